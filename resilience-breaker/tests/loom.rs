//! Every schedule of a few threads on one breaker. Run with `cargo xtask loom`.
#![cfg(loom)]

use std::time::Duration;

use loom::{sync::Arc, thread};
use resilience_breaker::{Builder, CircuitBreaker, Config, State, Ticket, WindowType};
use resilience_core::{Admission, Cx, ManualClock, Outcome, Policy};

const WAIT: Duration = Duration::from_secs(1);

fn breaker(clock: &ManualClock, set: impl FnOnce(Builder) -> Builder) -> Arc<CircuitBreaker> {
    let builder = CircuitBreaker::builder().window_size(2).minimum_calls(2).wait_in_open(WAIT);
    Arc::new(set(builder.permitted_in_half_open(1)).clock(clock).build().unwrap())
}

/// A dozen words and locks: not every schedule can be tried, but all that switch threads only so often where they need
/// not.
fn switching(times: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(times);
    builder.check(model);
}

fn beside<T: Send + 'static>(
    breaker: &Arc<CircuitBreaker>,
    run: impl FnOnce(&CircuitBreaker) -> T + Send + 'static,
) -> thread::JoinHandle<T> {
    let breaker = Arc::clone(breaker);
    thread::spawn(move || run(&breaker))
}

fn tripped(clock: &ManualClock) -> Arc<CircuitBreaker> {
    let breaker = breaker(clock, |it| it);
    (0..2).for_each(|_| breaker.try_acquire().unwrap().failure());
    assert_eq!(breaker.state(), State::Open);
    breaker
}

#[test]
fn two_threads_record_each_call_once() {
    switching(3, || {
        let breaker = breaker(&ManualClock::new(), |it| it.window_size(3).minimum_calls(3));
        let other = beside(&breaker, |it| it.try_acquire().unwrap().failure());
        breaker.try_acquire().unwrap().success();
        other.join().unwrap();
        let window = breaker.snapshot().window;
        assert_eq!((window.calls, window.failed), (2, 1));
    });
}

/// The ring has come round, so that the one writes over the other.
#[test]
fn two_threads_on_a_full_ring_leave_counts_that_are_those_of_the_ring() {
    switching(3, || {
        let breaker = breaker(&ManualClock::new(), |it| it);
        breaker.metrics_only();
        breaker.try_acquire().unwrap().failure();
        breaker.try_acquire().unwrap().success();
        let other = beside(&breaker, |it| it.try_acquire().unwrap().failure());
        breaker.try_acquire().unwrap().success();
        other.join().unwrap();
        let window = breaker.snapshot().window;
        assert_eq!((window.calls, window.failed), (2, 1));
        (0..2).for_each(|_| breaker.try_acquire().unwrap().success());
        assert_eq!(breaker.snapshot().window.failed, 0);
    });
}

/// The ring comes round to where a success was about to write, with the same counts over other calls.
#[test]
fn a_success_is_never_taken_for_the_failure_that_was_written_in_its_place() {
    switching(3, || {
        let breaker = breaker(&ManualClock::new(), |it| it);
        breaker.metrics_only();
        breaker.try_acquire().unwrap().success();
        breaker.try_acquire().unwrap().failure();
        let other = beside(&breaker, |it| it.try_acquire().unwrap().success());
        breaker.try_acquire().unwrap().failure();
        breaker.try_acquire().unwrap().success();
        other.join().unwrap();
        breaker.try_acquire().unwrap().failure();
        let window = breaker.snapshot().window;
        assert_eq!((window.calls, window.failed), (2, 1), "whatever their order, the last but one succeeded");
    });
}

#[test]
fn a_trip_beside_a_record_opens_once_and_the_late_record_changes_nothing() {
    switching(2, || {
        let breaker = breaker(&ManualClock::new(), |it| it);
        breaker.try_acquire().unwrap().failure();
        let other = beside(&breaker, |it| it.try_acquire().map(|it| it.failure()).is_ok());
        let first = breaker.try_acquire().map(|it| it.failure()).is_ok();
        assert!(other.join().unwrap() | first);
        assert_eq!(breaker.state(), State::Open);
        assert_eq!(breaker.snapshot().open_for, Some(WAIT));
    });
}

#[test]
fn of_two_callers_at_the_end_of_the_open_phase_one_is_the_probe() {
    switching(3, || {
        let clock = ManualClock::new();
        let breaker = tripped(&clock);
        clock.advance(WAIT);
        let other = beside(&breaker, |it| it.try_acquire().map(std::mem::forget).is_ok());
        let first = breaker.try_acquire().map(std::mem::forget).is_ok();
        assert!(other.join().unwrap() ^ first);
        assert_eq!((breaker.state(), breaker.snapshot().probes_running), (State::HalfOpen, 1));
    });
}

fn admit(breaker: &CircuitBreaker) -> Ticket {
    match breaker.admit(&mut Cx::new(breaker.clock())) {
        Admission::Go(ticket) => ticket,
        other => panic!("{other:?}"),
    }
}

fn settle(breaker: &CircuitBreaker, ticket: Ticket, fails: bool) {
    let outcome = if fails { Outcome::PANICKED } else { Outcome::Success };
    _ = breaker.settle(ticket, &outcome, &mut Cx::new(breaker.clock()));
}

/// A result of a closed phase comes while the breaker closes again.
#[test]
fn a_late_result_never_gets_into_the_next_closed_phase() {
    for fails in [false, true] {
        switching(3, move || {
            let clock = ManualClock::new();
            let breaker = breaker(&clock, |it| it);
            let late = admit(&breaker);
            (0..2).for_each(|_| breaker.try_acquire().unwrap().failure());
            clock.advance(WAIT);
            let other = beside(&breaker, move |it| settle(it, late, fails));
            breaker.try_acquire().unwrap().success();
            other.join().unwrap();
            assert_eq!((breaker.state(), breaker.snapshot().window.calls), (State::Closed, 0));
        });
    }
}

/// It goes from closed to closed, so that only the pause tells the two apart.
#[test]
fn a_result_beside_a_reset_by_hand_never_gets_into_the_new_window() {
    for fails in [false, true] {
        switching(3, move || {
            let breaker = breaker(&ManualClock::new(), |it| it);
            let late = admit(&breaker);
            let other = beside(&breaker, move |it| settle(it, late, fails));
            breaker.reset();
            other.join().unwrap();
            assert_eq!((breaker.state(), breaker.snapshot().window.calls), (State::Closed, 0));
        });
    }
}

/// The same over a window of time.
#[test]
fn a_result_beside_a_reset_never_gets_into_a_new_time_window() {
    switching(3, || {
        let breaker = breaker(&ManualClock::new(), |it| it.window_type(WindowType::Time));
        let late = admit(&breaker);
        let other = beside(&breaker, move |it| settle(it, late, true));
        breaker.reset();
        other.join().unwrap();
        assert_eq!(breaker.snapshot().window.calls, 0);
    });
}

#[test]
fn a_dropped_probe_frees_its_place_beside_another_caller() {
    switching(3, || {
        let clock = ManualClock::new();
        let breaker = tripped(&clock);
        clock.advance(WAIT);
        let other = beside(&breaker, |it| drop(it.try_acquire()));
        drop(breaker.try_acquire());
        other.join().unwrap();
        assert_eq!(breaker.snapshot().probes_running, 0);
        breaker.try_acquire().expect("there is room").success();
        assert_eq!(breaker.state(), State::Closed);
    });
}

#[test]
fn a_smaller_window_beside_a_record_keeps_counts_that_are_those_of_the_ring() {
    switching(2, || {
        let breaker = breaker(&ManualClock::new(), |it| it.window_size(3).minimum_calls(1));
        breaker.metrics_only();
        (0..3).for_each(|_| breaker.try_acquire().unwrap().failure());
        let other = beside(&breaker, |it| it.try_acquire().unwrap().success());
        let config = Config { window_size: 2, ..breaker.config() };
        breaker.reconfigure(config).unwrap();
        other.join().unwrap();
        let window = breaker.snapshot().window;
        assert_eq!((window.calls, window.failed), (2, 1));
    });
}
