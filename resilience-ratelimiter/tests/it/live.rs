//! Law 5: a live limiter is changed at any moment; what is used stays used, what is promised stays promised, and the
//! new rate holds for everybody who comes from then on.

mod agree;
mod load;

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};

use proptest::prelude::*;
use resilience_core::{Events, ManualClock, Nanos, Rejection, event};
use resilience_ratelimiter::{Acquire, Config, Event, RateLimiter};

use crate::{MS, NS, SECOND, burst, limiter, retry_after};

fn poll(future: &mut Pin<Box<Acquire<'_>>>) -> Poll<Result<(), Rejection>> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// Callers that wait, in the order in which they came.
fn waiting(limiter: &RateLimiter, callers: usize) -> Vec<Pin<Box<Acquire<'_>>>> {
    let mut futures: Vec<_> = (0..callers).map(|_| Box::pin(limiter.acquire_async())).collect();
    for future in &mut futures {
        assert!(poll(future).is_pending(), "it waits");
    }
    futures
}

/// Each of them starts at its time, not a nanosecond sooner.
fn assert_starts(clock: &ManualClock, futures: Vec<Pin<Box<Acquire<'_>>>>, times: impl IntoIterator<Item = Duration>) {
    let mut times = times.into_iter();
    for mut future in futures {
        let due = Nanos::ZERO.after(times.next().expect("a time for each"));
        clock.advance_to(Nanos::new(due.as_u64() - 1));
        assert!(poll(&mut future).is_pending(), "before {due:?}");
        clock.advance_to(due);
        assert!(matches!(poll(&mut future), Poll::Ready(Ok(()))), "at {due:?}");
    }
}

/// What is published from now on, each event and how it reads.
type Heard = Arc<Mutex<Vec<(Event, String)>>>;

fn heard(events: &Events) -> (event::Subscription, Heard) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    let listening = events.subscribe(move |event: &event::Event<'_>| {
        list.lock().unwrap().push((*event.payload::<Event>().unwrap(), event.to_string()));
    });
    (listening, heard)
}

/// B08
#[test]
fn a_reload_that_changes_nothing_refills_nothing() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 10, SECOND, Duration::ZERO);
    assert_eq!(burst(&limiter, 10), "AAAAAAAAAA");
    for _ in 0..100 {
        limiter.reconfigure(Config { permits: 10, period: SECOND, ..Config::default() }).unwrap();
    }
    assert_eq!((limiter.available_permits(), burst(&limiter, 1)), (0, "R".into()));
    clock.advance(100 * MS - NS);
    assert_eq!(burst(&limiter, 1), "R");
    clock.advance(NS);
    assert_eq!(burst(&limiter, 2), "AR");
}

proptest! {
    /// B08: at any moment, in any state.
    #[test]
    fn equal_values_change_no_bit_and_publish_nothing(
        permits in 1_u32..2_000, extra in 0_u64..5_000, enabled: bool,
        steps in prop::collection::vec((0_u64..3_000, 1_u64..4), 1..20),
    ) {
        let clock = ManualClock::new();
        let events = Events::new();
        let builder = RateLimiter::builder().permits(permits).period(Duration::from_nanos(u64::from(permits) + extra));
        let builder = builder.max_wait(SECOND).enabled(enabled).clock(&clock).events(&events);
        let [changed, left_alone] = [(); 2].map(|()| builder.clone().build().unwrap());
        let mut held = Vec::new();
        for (step, n) in steps {
            clock.advance(Duration::from_nanos(step));
            held.push([changed.reserve(n).ok(), left_alone.reserve(n).ok()]);
            let before = (changed.snapshot(), format!("{changed:?}"));
            let (_listening, heard) = heard(&events);
            for _ in 0..100 {
                changed.reconfigure(changed.config()).unwrap();
            }
            prop_assert!(heard.lock().unwrap().is_empty());
            prop_assert_eq!((changed.snapshot(), format!("{changed:?}")), before);
            let ask = |limiter: &RateLimiter| limiter.try_acquire_n(permits.into()).map_err(|it| it.retry_after());
            prop_assert_eq!(ask(&changed), ask(&left_alone), "to the nanosecond");
        }
    }
}

#[test]
fn permits_that_were_used_stay_used_under_a_larger_and_a_smaller_number() {
    for (used, permits, available) in
        [(10, 20, 10), (10, 5, 0), (3, 20, 17), (3, 5, 2), (3, 4, 1), (0, 5, 5), (0, 20, 20)]
    {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, 10, SECOND, Duration::ZERO);
        limiter.try_acquire_n(used).unwrap();
        limiter.reconfigure(Config { permits, ..limiter.config() }).unwrap();
        assert_eq!(limiter.available_permits(), available, "{used} of 10 used, now {permits}");
        limiter.try_acquire_n(available.into()).unwrap();
        let interval = SECOND / permits;
        assert_eq!(retry_after(limiter.try_acquire()), interval, "the next one after one new interval");
        clock.advance(interval - NS);
        assert_eq!(burst(&limiter, 1), "R");
        clock.advance(NS);
        assert_eq!(burst(&limiter, 2), "AR");
    }
}

#[test]
fn a_part_of_a_permit_that_has_come_back_is_carried_over_as_that_part() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 10, SECOND, Duration::ZERO);
    limiter.try_acquire_n(10).unwrap();
    clock.advance(25 * MS);
    limiter.reconfigure(Config { period: 10 * SECOND, ..limiter.config() }).unwrap();
    assert_eq!(retry_after(limiter.try_acquire()), 750 * MS, "three quarters of the new interval are missing");
}

#[test]
fn who_was_promised_a_time_starts_exactly_then_and_newcomers_follow_at_the_new_rate() {
    for (permits, period, newcomer) in
        [(1, 10 * SECOND, 50 * SECOND), (1, 100 * MS, 500 * MS), (2, 2 * SECOND, 5 * SECOND)]
    {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, 1, SECOND, Duration::MAX);
        limiter.try_acquire().unwrap();
        let promised = waiting(&limiter, 4);
        limiter.reconfigure(Config { permits, period, ..limiter.config() }).unwrap();
        // The bucket is empty and four are promised: the next one is the fifth from now on, whatever the burst.
        let late = limiter.reserve(1).unwrap();
        assert_eq!(late.start(), newcomer, "{permits} per {period:?}");
        drop(late);
        assert_starts(&clock, promised, (1..=4).map(|n| n * SECOND));
        assert_eq!((clock.pending_tasks(), limiter.available_permits() <= permits), (0, true));
    }
}

#[test]
fn a_promise_outlives_any_number_of_changes_and_is_given_back_in_the_new_measure() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 2, SECOND, 10 * SECOND);
    limiter.try_acquire_n(2).unwrap();
    let mut promised = waiting(&limiter, 6);
    for n in 0..100_u32 {
        let (period, max_wait, enabled) = (SECOND + n * 7 * MS, n * MS, n % 5 > 0);
        limiter.reconfigure(Config { permits: 2, period, max_wait, enabled }).unwrap();
        assert_eq!(limiter.snapshot().waiting, 6);
    }
    limiter.reconfigure(Config { permits: 2, period: 4 * SECOND, max_wait: Duration::MAX, enabled: true }).unwrap();
    let next = |limiter: &RateLimiter| limiter.reserve(1).unwrap().wait();
    let first = next(&limiter);
    drop(promised.split_off(3));
    assert_eq!(first - next(&limiter), 3 * 2 * SECOND, "three permits of two seconds each");
    assert_starts(&clock, promised, (1..=3).map(|n| n * 500 * MS));
}

#[test]
fn a_shorter_max_wait_holds_for_newcomers_only() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 1, SECOND, 3 * SECOND);
    limiter.try_acquire().unwrap();
    let promised = waiting(&limiter, 2);
    limiter.reconfigure(Config { max_wait: SECOND, ..limiter.config() }).unwrap();
    assert_eq!(retry_after(limiter.acquire()), 2 * SECOND);
    limiter.reconfigure(Config { max_wait: 3 * SECOND, ..limiter.config() }).unwrap();
    let third = waiting(&limiter, 1);
    assert_starts(&clock, promised.into_iter().chain(third).collect(), (1..=3).map(|n| n * SECOND));
}

#[test]
fn a_limiter_that_is_switched_off_lets_everybody_through_and_remembers_when_it_is_switched_on() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 10, SECOND, SECOND);
    let on = limiter.config();
    limiter.try_acquire_n(10).unwrap();
    let promised = waiting(&limiter, 1);
    limiter.reconfigure(Config { enabled: false, ..on }).unwrap();
    assert_eq!(burst(&limiter, 100), "A".repeat(100));
    assert!(limiter.try_acquire_n(u64::MAX).is_ok() && limiter.would_admit(u64::MAX));
    limiter.reconfigure(on).unwrap();
    assert_eq!((limiter.available_permits(), limiter.snapshot().waiting), (0, 1));
    assert_eq!(retry_after(limiter.try_acquire()), 200 * MS);
    assert_starts(&clock, promised, [100 * MS]);

    // Time goes on meanwhile, and the rate may change.
    limiter.reconfigure(Config { enabled: false, ..on }).unwrap();
    clock.advance(500 * MS);
    limiter.reconfigure(Config { permits: 20, enabled: false, ..on }).unwrap();
    limiter.reconfigure(Config { permits: 20, ..on }).unwrap();
    assert_eq!(limiter.available_permits(), 15);
}

#[test]
fn a_limiter_that_was_made_switched_off_is_full_when_it_is_switched_on() {
    let clock = ManualClock::new();
    let builder = RateLimiter::builder().permits(5).period(SECOND).enabled(false).clock(&clock);
    let limiter = builder.build().unwrap();
    assert_eq!(burst(&limiter, 100), "A".repeat(100));
    limiter.reconfigure(Config { enabled: true, ..limiter.config() }).unwrap();
    assert_eq!(burst(&limiter, 6), "AAAAAR");
}

#[test]
fn an_invalid_configuration_changes_nothing_and_tells_all_that_is_wrong() {
    let clock = ManualClock::new();
    let events = Events::new();
    let builder = RateLimiter::builder().name("search").permits(10).period(SECOND).max_wait(SECOND);
    let limiter = builder.clock(&clock).events(&events).build().unwrap();
    limiter.try_acquire_n(10).unwrap();
    let promised = waiting(&limiter, 1);
    let (before, config) = (limiter.snapshot(), limiter.config());
    let (_listening, heard) = heard(&events);
    let year = 365 * 86_400 * SECOND;
    for (permits, period, codes) in [
        (0, SECOND, vec!["R4C-ATR-003"]),
        (10, Duration::ZERO, vec!["R4C-ATR-002"]),
        (0, Duration::ZERO, vec!["R4C-ATR-003", "R4C-ATR-002"]),
        (1_000, 999 * NS, vec!["R4C-ATR-005"]),
        (1_000_000_001, year, vec!["R4C-CFG-002"]),
        (10, 101 * year, vec!["R4C-CFG-002"]),
        (10, Duration::MAX, vec!["R4C-CFG-002"]),
    ] {
        let error = limiter.reconfigure(Config { permits, period, ..config }).unwrap_err();
        assert_eq!((error.code().to_string().as_str(), error.instance()), ("R4C-REG-001", "search"));
        assert_eq!(error.problems().iter().map(|problem| problem.code.to_string()).collect::<Vec<_>>(), codes);
        assert_eq!((limiter.snapshot(), limiter.config()), (before, config));
    }
    assert!(heard.lock().unwrap().is_empty());
    assert_starts(&clock, promised, [100 * MS]);
}

#[test]
fn the_event_tells_what_it_was_and_what_it_is_now() {
    let events = Events::new();
    let builder = RateLimiter::builder().name("search").permits(10).period(SECOND).events(&events);
    let limiter = builder.clock(ManualClock::new()).build().unwrap();
    let (_listening, heard) = heard(&events);
    let from = limiter.config();
    let to = Config { permits: 20, max_wait: 5 * MS, ..from };
    let off = Config { enabled: false, ..to };
    for config in [to, to, off] {
        limiter.reconfigure(config).unwrap();
    }
    let expected = [
        (Event::Reconfigured { from, to }, "permits 10 -> 20 max_wait 0ns -> 5ms"),
        (Event::Reconfigured { from: to, to: off }, "enabled true -> false"),
    ];
    let expected = expected.map(|(event, text)| (event, format!("[0ns] rate_limiter `search`: reconfigured: {text}")));
    assert_eq!(*heard.lock().unwrap(), expected);
    assert_eq!(limiter.config(), off);
}

#[test]
fn a_thousand_changes_leave_nothing_behind() {
    let clock = ManualClock::new();
    let events = Events::new();
    let builder = RateLimiter::builder().permits(10).period(SECOND).max_wait(Duration::MAX).events(&events);
    let limiter = builder.clock(&clock).build().unwrap();
    let config = limiter.config();
    let (_listening, heard) = heard(&events);
    limiter.try_acquire_n(10).unwrap();
    let mut promised = waiting(&limiter, 100);
    for n in 0..1_000_u32 {
        let period = SECOND * [3, 1][n as usize % 2];
        limiter.reconfigure(Config { period, ..config }).unwrap();
        if n % 20 == 0 {
            drop(promised.remove(promised.len() / 2));
        }
    }
    let changes = heard.lock().unwrap().iter().filter(|(event, _)| matches!(event, Event::Reconfigured { .. })).count();
    assert_eq!((changes, promised.len(), limiter.snapshot().waiting), (1_000, 50, 50));
    drop(promised);
    assert_eq!((clock.pending_tasks(), limiter.snapshot().waiting, limiter.available_permits()), (0, 0, 0));
    clock.advance(SECOND - NS);
    assert_eq!(limiter.available_permits(), 9);
    clock.advance(NS);
    assert_eq!(burst(&limiter, 11), "AAAAAAAAAAR");
}

#[test]
fn a_burst_that_is_raised_and_lowered_again_forgets_no_promise_and_gives_nothing_away() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 10, SECOND, Duration::MAX);
    limiter.try_acquire_n(10).unwrap();
    let held = limiter.reserve(10).unwrap();
    let on = limiter.config();
    limiter.reconfigure(Config { permits: 20, ..on }).unwrap();
    let raised = limiter.snapshot();
    assert_eq!((raised.waiting, raised.available_permits), (10, 0));
    limiter.reconfigure(on).unwrap();
    let next = limiter.reserve(1).unwrap();
    assert_eq!(next.start(), SECOND + 100 * MS);
    drop((next, held));
    assert_eq!(limiter.available_permits(), 0, "ten are used");
}
