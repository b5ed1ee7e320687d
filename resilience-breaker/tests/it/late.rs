//! A result counts only in the phase that admitted its call.

use resilience_breaker::{CircuitBreaker, Permit, State};
use resilience_core::ManualClock;

use crate::{SECOND, breaker, cb0, refused, succeed, trip};

const ENDS: [fn(Permit<'_>); 2] = [|it| it.success(), |it| it.failure()];

fn unchanged(breaker: &CircuitBreaker, late: impl FnOnce()) {
    let before = format!("{breaker:?}");
    late();
    assert_eq!(format!("{breaker:?}"), before);
}

#[test]
fn of_a_closed_phase_when_the_breaker_is_open() {
    for end in ENDS {
        let breaker = breaker(&ManualClock::new(), cb0);
        let permit = breaker.try_acquire().unwrap();
        trip(&breaker);
        unchanged(&breaker, || end(permit));
        refused(&breaker);
    }
}

#[test]
fn of_a_closed_phase_when_the_breaker_is_half_open() {
    for end in ENDS {
        let clock = ManualClock::new();
        let breaker = breaker(&clock, cb0);
        let late = breaker.try_acquire().unwrap();
        trip(&breaker);
        clock.advance(SECOND);
        let probe = breaker.try_acquire().unwrap();
        unchanged(&breaker, || end(late));
        assert_eq!(breaker.state(), State::HalfOpen);
        probe.success();
        assert_eq!(breaker.state(), State::Closed);
    }
}

#[test]
fn of_an_earlier_closed_phase_when_the_breaker_is_closed_again() {
    for end in ENDS {
        let clock = ManualClock::new();
        let breaker = breaker(&clock, cb0);
        let late: Vec<_> = (0..10).map(|_| breaker.try_acquire().unwrap()).collect();
        trip(&breaker);
        clock.advance(SECOND);
        succeed(&breaker);
        assert_eq!(breaker.state(), State::Closed);
        unchanged(&breaker, || late.into_iter().for_each(end));
        assert_eq!(breaker.snapshot().window.calls, 0);
    }
}

#[test]
fn of_an_earlier_half_open_phase() {
    for end in ENDS {
        let clock = ManualClock::new();
        let breaker = breaker(&clock, |it| cb0(it).permitted_in_half_open(2).max_wait_in_half_open(SECOND));
        trip(&breaker);
        clock.advance(SECOND);
        let late = breaker.try_acquire().unwrap();
        clock.advance(SECOND);
        refused(&breaker); // the probes had their time
        clock.advance(SECOND);
        let probes = [breaker.try_acquire().unwrap(), breaker.try_acquire().unwrap()];
        unchanged(&breaker, || end(late));
        assert_eq!(breaker.snapshot().probes_running, 2, "nobody's place is given back twice");
        for probe in probes {
            probe.success();
        }
        assert_eq!(breaker.state(), State::Closed);
    }
}

#[test]
fn of_a_probe_whose_time_is_over_though_nobody_has_asked_since() {
    for end in ENDS {
        let clock = ManualClock::new();
        let breaker = breaker(&clock, |it| cb0(it).max_wait_in_half_open(SECOND));
        trip(&breaker);
        clock.advance(SECOND);
        let late = breaker.try_acquire().unwrap();
        clock.advance(SECOND);
        end(late);
        assert_eq!(breaker.state(), State::Open);
        assert_eq!(breaker.snapshot().open_for, Some(SECOND));
    }
}

#[test]
fn of_a_half_open_phase_when_the_breaker_is_closed_again() {
    for end in ENDS {
        let clock = ManualClock::new();
        let breaker = breaker(&clock, |it| cb0(it).window_size(1).minimum_calls(1).permitted_in_half_open(1));
        breaker.try_acquire().unwrap().failure();
        clock.advance(SECOND);
        let late = breaker.try_acquire().unwrap();
        breaker.reset();
        unchanged(&breaker, || end(late));
        assert_eq!(breaker.state(), State::Closed);
    }
}

#[test]
fn of_a_call_before_a_reset_by_hand() {
    for end in ENDS {
        let breaker = breaker(&ManualClock::new(), cb0);
        let late: Vec<_> = (0..10).map(|_| breaker.try_acquire().unwrap()).collect();
        breaker.reset();
        unchanged(&breaker, || late.into_iter().for_each(end));
    }
}

#[test]
fn of_a_call_that_passed_while_the_breaker_was_disabled() {
    let breaker = breaker(&ManualClock::new(), cb0);
    breaker.disable();
    let late: Vec<_> = (0..10).map(|_| breaker.try_acquire().unwrap()).collect();
    breaker.reset();
    late.into_iter().for_each(Permit::failure);
    assert_eq!((breaker.state(), breaker.snapshot().window.calls), (State::Closed, 0));
}
