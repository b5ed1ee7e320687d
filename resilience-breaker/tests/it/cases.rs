//! Cases from the field.

use std::{
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use resilience_breaker::{CircuitBreaker, State, WindowType};
use resilience_core::{Clock, Code, Failure, Kind, ManualClock, Outcome, TimeSource};

use crate::{MS, NS, SECOND, YEAR, breaker, calls, cb0, fail, refused, succeed, trip};

/// B18
#[test]
fn ignored_results_do_not_use_up_the_probes() {
    let ignored = Kind::new("ignored_kind").unwrap();
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| cb0(it).permitted_in_half_open(2).ignore_on(ignored));
    trip(&breaker);
    clock.advance(SECOND);
    for round in 0..1_000 {
        let probes = [breaker.try_acquire(), breaker.try_acquire()].map(|it| it.expect("there is room again"));
        refused(&breaker);
        let [first, second] = probes;
        first.settle(&Outcome::Failure(Failure::new(ignored)));
        second.settle(&Outcome::Ignored);
        let seen = breaker.snapshot();
        assert_eq!((seen.state, seen.probes.calls, seen.probes_running), (State::HalfOpen, 0, 0), "round {round}");
    }
    calls(&breaker, "SS");
    assert_eq!(breaker.state(), State::Closed);
}

/// B20
#[test]
fn half_open_lets_exactly_the_permitted_probes_through() {
    for (ends, state) in [("SSS", State::Closed), ("FFS", State::Open), ("FSS", State::Closed)] {
        let clock = ManualClock::new();
        let breaker = breaker(&clock, |it| cb0(it).permitted_in_half_open(3));
        trip(&breaker);
        clock.advance(SECOND);
        let (running, refused): (Vec<_>, Vec<_>) = (0..9).map(|_| breaker.try_acquire()).partition(Result::is_ok);
        assert_eq!((running.len(), refused.len()), (3, 6));
        let codes = refused.into_iter().map(|it| it.unwrap_err().code());
        assert!(codes.into_iter().all(|code| code == Code::CallNotPermitted), "as by an open one");
        for (probe, end) in running.into_iter().zip(ends.chars()) {
            if end == 'S' { probe.unwrap().success() } else { probe.unwrap().failure() }
        }
        assert_eq!(breaker.state(), state, "{ends}");
    }
}

/// B20
#[test]
fn sixteen_threads_never_get_more_than_three_probes_inside() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| cb0(it).permitted_in_half_open(3));
    for round in 0..100 {
        breaker.reset();
        trip(&breaker);
        clock.advance(SECOND);
        let (barrier, inside, admitted) = (Barrier::new(16), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    barrier.wait();
                    let probe = breaker.try_acquire().ok();
                    if probe.is_some() {
                        assert!(inside.fetch_add(1, Ordering::SeqCst) < 3, "round {round}");
                        admitted.fetch_add(1, Ordering::SeqCst);
                    }
                    barrier.wait();
                    inside.fetch_sub(usize::from(probe.is_some()), Ordering::SeqCst);
                    // The last one closes the breaker.
                    if let Some(probe) = probe {
                        probe.success();
                    }
                });
            }
        });
        assert_eq!(admitted.into_inner(), 3);
        assert_eq!(breaker.state(), State::Closed);
    }
}

/// B23
#[test]
fn more_minimum_calls_than_the_window_holds_is_an_error_that_names_both() {
    let error = CircuitBreaker::builder().minimum_calls(10).window_size(5).build().unwrap_err();
    let text = error.to_string();
    assert_eq!(error.problems()[0].code, Code::Contradiction);
    assert!(text.contains("minimum_calls") && text.contains("window_size"), "{text}");
}

/// B23
#[test]
fn the_call_that_reaches_the_minimum_counts() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| it.minimum_calls(5).window_size(100));
    calls(&breaker, "FFFF");
    assert_eq!(breaker.state(), State::Closed);
    calls(&breaker, "F");
    assert_eq!(breaker.state(), State::Open);
    refused(&breaker);
}

/// B23
#[test]
fn a_rate_equal_to_the_threshold_opens() {
    let clock = ManualClock::new();
    let set = |it: resilience_breaker::Builder| it.window_size(10).minimum_calls(10).failure_rate_threshold(20.0);
    let late = breaker(&clock, set);
    calls(&late, "SSSSSSSSF");
    assert_eq!(late.state(), State::Closed);
    fail(&late);
    assert_eq!(late.state(), State::Open);

    // A success can be the call that completes the rate, too.
    let early = breaker(&clock, set);
    calls(&early, "FFSSSSSSS");
    assert_eq!(early.state(), State::Closed);
    succeed(&early);
    assert_eq!(early.state(), State::Open);
}

/// B23
#[test]
fn a_window_full_of_successes_opens_on_the_fifth_failure_in_a_row() {
    let breaker = breaker(&ManualClock::new(), |it| it.window_size(10).failure_rate_threshold(50.0));
    calls(&breaker, "SSSSSSSSSSFFFF");
    assert_eq!(breaker.state(), State::Closed);
    fail(&breaker);
    assert_eq!(breaker.state(), State::Open);
}

/// B23
#[test]
fn what_is_older_than_a_time_window_does_not_count() {
    let clock = ManualClock::new();
    let set = |it: resilience_breaker::Builder| it.window_type(WindowType::Time).window_duration(10 * SECOND);
    let breaker = breaker(&clock, |it| set(it).minimum_calls(5));
    calls(&breaker, "FFFF");
    clock.advance(60 * SECOND);
    fail(&breaker);
    assert_eq!((breaker.state(), breaker.snapshot().window.calls), (State::Closed, 1));
}

/// B26
#[test]
fn calls_are_inside_together() {
    let breaker = CircuitBreaker::builder().build().unwrap();
    let barrier = Barrier::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| breaker.execute(|| Ok::<_, ()>(barrier.wait())));
        }
    });
    assert_eq!(breaker.snapshot().window.calls, 2);
}

/// B26
#[test]
fn a_call_may_go_through_the_same_breaker_again() {
    let breaker = CircuitBreaker::builder().build().unwrap();
    let inner = || breaker.execute(|| breaker.execute(|| Ok::<_, ()>(3)));
    assert_eq!(breaker.execute(inner).unwrap(), 3);
    let window = breaker.snapshot().window;
    assert_eq!((window.calls, window.failed), (3, 0));
}

/// B35
#[test]
fn very_long_waits_are_never_over() {
    let seconds = [u64::MAX, u64::MAX / 10].map(Duration::from_secs);
    for long in [Duration::MAX, Duration::from_nanos(u64::MAX)].into_iter().chain(seconds) {
        let clock = ManualClock::new();
        let on_manual = breaker(&clock, |it| cb0(it).wait_in_open(long).wait_in_open_multiplier(3.0));
        trip(&on_manual);
        refused(&on_manual);
        clock.advance(YEAR);
        refused(&on_manual);
        on_manual.reset();
        succeed(&on_manual);

        let on_system = cb0(CircuitBreaker::builder()).wait_in_open(long).build().unwrap();
        trip(&on_system);
        refused(&on_system);
    }
    let clock = ManualClock::new();
    let long = Duration::from_nanos(u64::MAX);
    let breaker = breaker(&clock, |it| {
        cb0(it).max_wait_in_half_open(long).slow_call_duration(long).window_type(WindowType::Time).window_duration(long)
    });
    trip(&breaker);
    clock.advance(SECOND);
    succeed(&breaker);
    assert_eq!(breaker.state(), State::Closed);
}

struct Zero;

impl TimeSource for Zero {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// B15
#[test]
fn a_clock_at_its_origin_is_an_ordinary_clock() {
    let hour = 3_600 * SECOND;
    for clock in [ManualClock::new().clock(), Clock::custom(Zero)] {
        for window_type in [WindowType::Count, WindowType::Time] {
            let builder = cb0(CircuitBreaker::builder()).wait_in_open(hour).window_type(window_type);
            let breaker = builder.window_duration(hour).clock(clock.clone()).build().unwrap();
            succeed(&breaker);
            calls(&breaker, "FFFF");
            assert_eq!(breaker.state(), State::Open);
            assert_eq!(breaker.snapshot().open_for, Some(hour));
        }
    }
}

/// B53
#[test]
fn values_out_of_range_are_errors_that_show_the_range() {
    let codes = |set: fn(resilience_breaker::Builder) -> resilience_breaker::Builder| {
        let error = set(CircuitBreaker::builder()).build().unwrap_err();
        let codes: Vec<_> = error.problems().iter().map(|problem| (problem.path.clone(), problem.code)).collect();
        codes
    };
    let one = |key: &str, code| vec![(key.to_owned(), code)];
    for (percent, shown) in [(150.0, "150"), (-1.0, "-1"), (0.0, "0"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let error = CircuitBreaker::builder().failure_rate_threshold(percent).build().unwrap_err();
        let problem = &error.problems()[0];
        assert_eq!((problem.code, &*problem.value), (Code::BadPercentage, shown));
        assert_eq!(&*problem.allowed, "more than 0, at most 100");
    }
    let error = CircuitBreaker::builder().window_size(100_001).build().unwrap_err().to_string();
    assert!(error.contains("`window_size = 100001`") && error.contains("1 to 100_000"), "{error}");
    assert!(CircuitBreaker::builder().failure_rate_threshold(100.0).build().is_ok());
    assert_eq!(codes(|it| it.window_size(0)), one("window_size", Code::CountBelowOne));
    assert_eq!(codes(|it| it.window_size(100_001)), one("window_size", Code::OutOfRange));
    assert_eq!(codes(|it| it.minimum_calls(0)), one("minimum_calls", Code::CountBelowOne));
    assert_eq!(codes(|it| it.permitted_in_half_open(0)), one("permitted_in_half_open", Code::CountBelowOne));
    assert_eq!(codes(|it| it.wait_in_open(Duration::ZERO)), one("wait_in_open", Code::ZeroDuration));
    assert_eq!(codes(|it| it.slow_call_duration(Duration::ZERO)), one("slow_call_duration", Code::ZeroDuration));
    assert_eq!(codes(|it| it.wait_in_open_multiplier(0.5)), one("wait_in_open_multiplier", Code::BadPercentage));
    assert_eq!(codes(|it| it.max_wait_in_open(MS)), one("max_wait_in_open", Code::Contradiction));
    let all = codes(|it| it.window_size(0).wait_in_open(Duration::ZERO).failure_rate_threshold(0.0));
    assert_eq!(all.len(), 3, "all at once");
}

#[test]
fn open_lasts_to_the_nanosecond() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, cb0);
    trip(&breaker);
    clock.advance(SECOND - NS);
    let rejected = breaker.try_acquire().unwrap_err();
    assert_eq!(rejected.retry_after(), Some(NS));
    clock.advance(NS);
    assert_eq!(breaker.state(), State::Open, "reading changes nothing");
    succeed(&breaker);
    assert_eq!(breaker.state(), State::Closed);
}

#[test]
fn openings_in_a_row_grow_up_to_the_maximum_and_fall_back() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| cb0(it).wait_in_open_multiplier(2.0).max_wait_in_open(5 * SECOND));
    let wait = |breaker: &CircuitBreaker| breaker.snapshot().open_for.unwrap();
    trip(&breaker);
    for expected in [1, 2, 4, 5, 5] {
        assert_eq!(wait(&breaker), expected * SECOND);
        clock.advance(expected * SECOND);
        fail(&breaker);
    }
    clock.advance(5 * SECOND);
    succeed(&breaker);
    trip(&breaker);
    assert_eq!(wait(&breaker), SECOND);
}

/// Law 4: a clock that steps back shows no time that has passed, and none that has to pass twice.
#[test]
fn a_clock_that_steps_back_makes_no_open_phase_shorter_or_longer() {
    let shown = Arc::new(Mutex::new(100 * SECOND));
    let clock = Clock::custom({
        let shown = Arc::clone(&shown);
        move || *shown.lock().unwrap()
    });
    let show = |time| *shown.lock().unwrap() = time;
    let breaker = cb0(CircuitBreaker::builder()).clock(clock).build().unwrap();
    trip(&breaker);
    show(3 * SECOND);
    assert_eq!(breaker.snapshot().open_for, Some(SECOND));
    assert_eq!(breaker.try_acquire().unwrap_err().retry_after(), Some(SECOND));
    show(101 * SECOND - NS);
    assert_eq!(breaker.try_acquire().unwrap_err().retry_after(), Some(NS));
    show(50 * SECOND);
    refused(&breaker);
    show(101 * SECOND);
    succeed(&breaker);
    assert_eq!(breaker.state(), State::Closed);
}
