//! Faults of other libraries, each reproduced there: here they are tests.

use std::{
    future::pending,
    task::{Context, Waker},
};

use resilience_breaker::{CircuitBreaker, OnDropped, State, WindowType};
use resilience_core::{Events, ManualClock, Outcome, event};

use crate::{SECOND, breaker, calls, cb0, fail, refused, trip};

/// A window that never slides takes ten thousand failures to open after ten thousand successes.
#[test]
fn the_count_window_slides() {
    let breaker = breaker(&ManualClock::new(), |it| it.window_size(100));
    calls(&breaker, &"S".repeat(10_000));
    calls(&breaker, &"F".repeat(49));
    assert_eq!(breaker.state(), State::Closed);
    fail(&breaker);
    assert_eq!(breaker.state(), State::Open);
}

/// A time window that keeps a list costs more with every call in it. Ten buckets take the same steps however many calls
/// there are: two million of them in this test's time say so.
#[test]
fn a_time_window_costs_the_same_with_millions_of_calls_in_it() {
    let breaker = breaker(&ManualClock::new(), |it| it.window_type(WindowType::Time).minimum_calls(3_000_000));
    for _ in 0..2_000_000 {
        breaker.try_acquire().unwrap().failure();
    }
    assert_eq!(breaker.snapshot().window.failed, 2_000_000);
}

/// A late failure of the closed period reopens a half-open breaker; late successes close a half-open one, or an open one.
#[test]
fn late_results_change_nothing() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, cb0);
    let [to_open, to_half_open, failure] = [(); 3].map(|()| breaker.try_acquire().unwrap());
    trip(&breaker);
    to_open.success();
    refused(&breaker);
    clock.advance(SECOND);
    let probe = breaker.try_acquire().unwrap();
    failure.failure();
    to_half_open.success();
    assert_eq!(breaker.state(), State::HalfOpen);
    refused(&breaker);
    probe.success();
    assert_eq!(breaker.state(), State::Closed);
}

/// A dependency that only hangs never trips the breaker when the caller's own time-out drops the calls.
#[test]
fn calls_that_hang_and_are_dropped_can_open() {
    let breaker = breaker(&ManualClock::new(), |it| cb0(it).on_dropped(OnDropped::Failure));
    for _ in 0..5 {
        let mut hangs = Box::pin(breaker.execute_async(pending::<Result<(), ()>>));
        assert!(hangs.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    refused(&breaker);
}

/// Half-open admits everybody; or twelve probes where two are permitted.
#[test]
fn half_open_admits_as_many_as_are_permitted() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| cb0(it).permitted_in_half_open(2));
    trip(&breaker);
    clock.advance(SECOND);
    let probes: Vec<_> = (0..12).filter_map(|_| breaker.try_acquire().ok()).collect();
    assert_eq!(probes.len(), 2);
}

/// One dropped probe wedges the breaker for ever.
#[test]
fn a_dropped_probe_does_not_wedge_the_breaker() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, cb0);
    trip(&breaker);
    clock.advance(SECOND);
    drop(breaker.try_acquire().unwrap());
    breaker.try_acquire().unwrap().success();
    assert_eq!(breaker.state(), State::Closed);
}

/// Permits leak when listeners throw.
#[test]
fn a_listener_that_panics_costs_no_probe_its_place() {
    let (clock, events) = (ManualClock::new(), Events::new());
    let _angry = events.subscribe(|_: &event::Event<'_>| std::panic::resume_unwind(Box::new("a listener panics")));
    let builder = cb0(CircuitBreaker::builder()).permitted_in_half_open(2).clock(&clock).events(&events);
    let breaker = builder.build().unwrap();
    for _ in 0..100 {
        breaker.reset();
        trip(&breaker);
        refused(&breaker);
        clock.advance(SECOND);
        let ignored = [breaker.try_acquire(), breaker.try_acquire()].map(Result::unwrap);
        refused(&breaker);
        for probe in ignored {
            probe.settle(&Outcome::Ignored);
        }
        assert_eq!((breaker.snapshot().probes_running, breaker.snapshot().probes.calls), (0, 0));
        calls(&breaker, "SS");
        assert_eq!(breaker.state(), State::Closed);
    }
    assert!(events.listener_panics() > 1_000);
}
