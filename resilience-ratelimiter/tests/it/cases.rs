//! Cases from the field. What became of callers at one instant is written as `A` (at once), `W(start)` or `R`.

use std::{
    fmt::Write,
    pin::Pin,
    sync::atomic::{AtomicU64, Ordering},
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use resilience_core::{CallOptions, Clock, Code, ManualClock, Nanos};
use resilience_ratelimiter::{Acquire, RateLimiter};

use crate::{MS, NS, SECOND, burst, limiter, retry_after};

fn poll(future: &mut Pin<Box<Acquire<'_>>>) -> Poll<Result<(), resilience_core::Rejection>> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// Callers that come one after the other while the clock stands still: when each starts, `None` if rejected.
fn starts(clock: &ManualClock, limiter: &RateLimiter, callers: usize) -> Vec<Option<Duration>> {
    let mut futures: Vec<_> = (0..callers).map(|_| Box::pin(limiter.acquire_async())).collect();
    let mut starts = vec![None; callers];
    let mut waiting: Vec<usize> = (0..callers).collect();
    let begin = clock.now();
    loop {
        waiting.retain(|&n| match poll(&mut futures[n]) {
            Poll::Ready(result) => {
                starts[n] = result.ok().map(|()| clock.now().since(begin));
                false
            }
            Poll::Pending => true,
        });
        if waiting.is_empty() {
            return starts;
        }
        assert!(clock.advance_to_next(), "who waits has a timer");
    }
}

fn shape(starts: &[Option<Duration>]) -> String {
    starts.iter().fold(String::new(), |mut text, start| {
        match start {
            Some(Duration::ZERO) => text.push_str("A "),
            Some(start) => write!(text, "W({start:?}) ").unwrap(),
            None => text.push_str("R "),
        }
        text
    })
}

/// B01
#[test]
fn there_is_never_one_extra_call_after_an_idle_spell() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 5, SECOND, Duration::ZERO);
    assert_eq!(burst(&limiter, 6), "AAAAAR");
    clock.advance(2 * SECOND);
    assert_eq!(limiter.available_permits(), 5);
    assert_eq!(burst(&limiter, 7), "AAAAARR");
    for idle in 1..=1_000 {
        clock.advance(SECOND + idle * 7 * MS);
        assert_eq!(burst(&limiter, 7), "AAAAARR");
    }
}

/// B03
#[test]
fn what_is_available_is_right_at_every_nanosecond() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 2, 180 * MS, Duration::ZERO);
    assert_eq!(limiter.available_permits(), 2);
    limiter.try_acquire().unwrap();
    assert_eq!(limiter.available_permits(), 1);
    clock.advance(NS);
    assert_eq!(limiter.available_permits(), 1);
    limiter.try_acquire().unwrap();
    for (at, available) in [(89_999_999, 0), (90_000_000, 1), (179_999_999, 1), (180_000_000, 2)] {
        clock.advance_to(Nanos::new(at));
        assert_eq!(limiter.available_permits(), available, "at {at} ns");
    }
}

/// B04
#[test]
fn callers_start_in_a_burst_then_one_per_interval_in_the_order_of_arrival() {
    let clock = ManualClock::new();
    let by_ten = limiter(&clock, 2, 10 * SECOND, 60 * SECOND);
    let mut futures = Vec::new();
    for _ in 0..5 {
        let mut future = Box::pin(by_ten.acquire_async());
        let ready = poll(&mut future).is_ready();
        futures.push((future, ready.then(|| clock.now())));
        clock.advance(10 * MS);
    }
    while futures.iter().any(|(_, start)| start.is_none()) {
        assert!(clock.advance_to_next());
        for (future, start) in futures.iter_mut().filter(|(_, start)| start.is_none()) {
            *start = poll(future).is_ready().then(|| clock.now());
        }
    }
    let starts_at: Vec<_> = futures.iter().map(|(_, start)| Duration::from(start.unwrap())).collect();
    assert_eq!(starts_at, [Duration::ZERO, 10 * MS, 5 * SECOND, 10 * SECOND, 15 * SECOND]);

    let clock = ManualClock::new();
    let twenty = starts(&clock, &limiter(&clock, 10, 60 * SECOND, 60 * SECOND), 20);
    let expected: Vec<_> = (0..20_u32).map(|k| Some(6 * SECOND * k.saturating_sub(9))).collect();
    assert_eq!(twenty, expected, "the last one waits exactly max_wait");
}

/// B05
#[test]
fn calls_that_cannot_make_it_in_time_fail_at_once() {
    let clock = ManualClock::new();
    let ten = limiter(&clock, 3, 300 * MS, 500 * MS);
    let mut futures: Vec<_> = (0..10).map(|_| Box::pin(ten.acquire_async())).collect();
    let at_once: Vec<_> = futures.iter_mut().map(poll).collect();
    assert!(at_once[8].is_ready() && at_once[9].is_ready());
    assert_eq!(clock.now(), Nanos::ZERO);
    drop(futures);

    let clock = ManualClock::new();
    let ten = starts(&clock, &limiter(&clock, 3, 300 * MS, 500 * MS), 10);
    assert_eq!(shape(&ten), "A A A W(100ms) W(200ms) W(300ms) W(400ms) W(500ms) R R ");

    let clock = ManualClock::new();
    let sync = limiter(&clock, 3, 300 * MS, 500 * MS);
    for n in 0..10_u32 {
        let before = clock.now();
        sync.acquire().unwrap();
        assert_eq!(clock.now().since(before), if n < 3 { Duration::ZERO } else { 100 * MS });
    }
    assert_eq!(clock.now(), 700 * MS);

    for (max_wait, expected) in [(250, "A A A R R "), (500, "A A A W(333.333334ms) R ")] {
        let clock = ManualClock::new();
        assert_eq!(shape(&starts(&clock, &limiter(&clock, 3, SECOND, max_wait * MS), 5)), expected);
    }
}

/// B06
#[test]
fn a_rejected_reservation_leaves_the_limiter_as_it_was() {
    let clock = ManualClock::new();
    let one = limiter(&clock, 1, SECOND, 500 * MS);
    one.acquire().unwrap();
    let before = one.snapshot();
    for _ in 0..1_000 {
        assert_eq!(one.acquire().unwrap_err().code(), Code::RateLimitExceeded);
        assert_eq!(one.snapshot(), before);
    }
    clock.advance(600 * MS);
    one.acquire().unwrap();
    assert_eq!(clock.now(), SECOND);

    let ten = limiter(&ManualClock::new(), 10, SECOND, Duration::MAX);
    for n in [11, 12, u64::from(u32::MAX), u64::MAX] {
        let rejection = ten.acquire_n(n).unwrap_err();
        assert_eq!((rejection.code(), rejection.retry_after()), (Code::TooManyPermits, None));
        assert_eq!(ten.try_acquire_n(n).unwrap_err().code(), Code::TooManyPermits);
        assert_eq!(ten.available_permits(), 10);
    }
    ten.acquire_n(10).unwrap();
    assert_eq!(ten.available_permits(), 0);
}

/// B12
#[test]
fn waiting_exactly_the_advertised_time_is_enough_and_one_nanosecond_less_is_not() {
    for (permits, expected) in [(3, 333_333_334), (7, 142_857_143), (60, 16_666_667)] {
        for less in [true, false] {
            let clock = ManualClock::new();
            let limiter = limiter(&clock, permits, SECOND, Duration::ZERO);
            limiter.try_acquire_n(permits.into()).unwrap();
            let wait = retry_after(limiter.try_acquire());
            assert_eq!(wait, Duration::from_nanos(expected));
            clock.advance(if less { wait - NS } else { wait });
            assert_eq!(limiter.try_acquire().is_err(), less);
        }
    }
}

/// B15
#[test]
fn a_clock_at_its_origin_is_an_ordinary_clock() {
    let manual = ManualClock::new();
    for clock in [manual.clock(), Clock::custom(|| Duration::ZERO)] {
        let builder = RateLimiter::builder().permits(10).period(48 * 3_600 * SECOND).clock(clock);
        let limiter = builder.build().unwrap();
        assert_eq!(limiter.available_permits(), 10);
        assert_eq!(burst(&limiter, 11), "AAAAAAAAAAR");
    }
}

/// B16
#[test]
fn many_waiters_take_a_permit_each_and_no_two_start_together() {
    let clock = ManualClock::new();
    let twenty = starts(&clock, &limiter(&clock, 1, 100 * MS, SECOND), 20);
    let expected: Vec<_> = (0..20_u32).map(|n| (n <= 10).then_some(n * 100 * MS)).collect();
    assert_eq!(twenty, expected);
}

/// B16, on real threads and the real clock.
#[test]
fn eight_spinning_threads_get_the_rate_and_no_more() {
    let limiter = RateLimiter::builder().permits(1_000).period(SECOND).build().unwrap();
    let clock = Clock::system();
    let admitted = AtomicU64::new(0);
    let begin = clock.now();
    let spin = || {
        let mut last = clock.now();
        while last.since(begin) < 2 * SECOND {
            admitted.fetch_add(limiter.try_acquire().is_ok().into(), Ordering::Relaxed);
            last = clock.now();
        }
        last
    };
    let end = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(spin)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).max().unwrap()
    });
    let admitted = admitted.into_inner() as f64;
    let most = 1_000.0 + (1_000.0 * end.since(begin).as_secs_f64()).floor() + 1.0;
    assert!(admitted <= most && admitted >= 0.95 * (most - 1.0), "{admitted} of {most}");

    let idle = limiter.acquire_with(CallOptions::new().permits(1_000));
    assert!(idle.is_err(), "it never waits: max_wait is 0");
    let wait = idle.unwrap_err().retry_after().unwrap();
    assert!(wait <= SECOND, "after that long idle, all of them: {wait:?}");
}

/// B35
#[test]
fn an_endless_max_wait_waits_for_its_permit_and_never_panics() {
    let seconds = [u64::MAX, u64::MAX / 10].map(Duration::from_secs);
    for max_wait in [Duration::MAX, Duration::from_nanos(u64::MAX)].into_iter().chain(seconds) {
        let clock = ManualClock::new();
        let on_manual = limiter(&clock, 1, SECOND, max_wait);
        on_manual.try_acquire().unwrap();
        on_manual.acquire().unwrap();
        assert_eq!(clock.now(), SECOND);
        let mut waits = Box::pin(on_manual.acquire_async());
        assert!(poll(&mut waits).is_pending());
        clock.advance(SECOND);
        assert_eq!(poll(&mut waits), Poll::Ready(Ok(())));

        let on_system = RateLimiter::builder().permits(1).period(MS).max_wait(max_wait).build().unwrap();
        assert_eq!([on_system.acquire(), on_system.acquire()], [Ok(()); 2]);
    }
}

/// B53
#[test]
fn values_out_of_range_are_errors_that_show_the_value_and_the_range() {
    let build = RateLimiter::builder;
    let refused = [
        (build().permits(0), Code::CountBelowOne, "`permits = 0`", "1 to 1_000_000_000"),
        (
            build().permits(1_000_000_001).period(2 * SECOND),
            Code::OutOfRange,
            "`permits = 1000000001`",
            "1 to 1_000_000_000",
        ),
        (build().period(Duration::ZERO), Code::ZeroDuration, "`period = 0`", "more than 0"),
        (build().period(Duration::MAX), Code::OutOfRange, "`period = ", "at most 100 years"),
        (build().permits(10).period(9 * NS), Code::Contradiction, "`period = 9ns`", "at least 1 ns per permit: 10ns"),
    ];
    for (builder, code, value, range) in refused {
        let error = builder.build().unwrap_err();
        assert_eq!((error.code(), error.problems().len()), (Code::InvalidConfig, 1), "{error}");
        let problem = &error.problems()[0];
        assert_eq!(problem.code, code);
        let text = problem.to_string();
        assert!(text.contains(value) && text.contains(range), "{text}");
    }
    let largest = build().permits(1_000_000_000).period(SECOND).build().unwrap();
    assert_eq!(largest.available_permits(), 1_000_000_000);
}
