use resilience_breaker::CircuitBreaker;
use resilience_core::{
    ManualClock,
    testing::{Alone, Prepared, Subject, contract},
};

use crate::{MS, breaker, cb0, fail, trip};

struct Breaker;

impl Subject for Breaker {
    type Stack = Alone<CircuitBreaker>;

    fn open(&self, clock: &ManualClock) -> Prepared<Alone<CircuitBreaker>> {
        let set = |it| cb0(it).wait_in_open(60 * MS).slow_call_duration(20 * MS).permitted_in_half_open(3);
        Prepared::new(breaker(clock, set))
    }

    fn disabled(&self, clock: &ManualClock) -> Prepared<Alone<CircuitBreaker>> {
        Prepared::new(breaker(clock, |it| cb0(it).enabled(false)))
    }

    fn waiting(&self, _: &ManualClock) -> Option<Prepared<Alone<CircuitBreaker>>> {
        None
    }

    fn rejecting(&self, clock: &ManualClock) -> Option<Prepared<Alone<CircuitBreaker>>> {
        let breaker = breaker(clock, cb0);
        trip(&breaker);
        Some(Prepared::new(breaker))
    }
}

#[test]
fn the_breaker_keeps_the_contract_of_policies() {
    contract::check(&Breaker);
}

/// Open breakers reject, and so do half-open ones without room: neither changes anything.
#[test]
fn a_rejection_changes_nothing_whatever_the_state() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, cb0);
    trip(&breaker);
    clock.advance(crate::SECOND);
    let probe = breaker.try_acquire().expect("the first probe");
    let before = format!("{breaker:?}");
    for _ in 0..10 {
        crate::refused(&breaker);
        assert_eq!(format!("{breaker:?}"), before);
    }
    drop(probe);
    breaker.force_open();
    let before = format!("{breaker:?}");
    crate::refused(&breaker);
    assert_eq!(format!("{breaker:?}"), before);
    breaker.reset();
    fail(&breaker);
}
