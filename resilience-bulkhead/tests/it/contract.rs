use std::time::Duration;

use resilience_bulkhead::Bulkhead;
use resilience_core::{
    Admission, Cx, ManualClock, Policy,
    testing::{Alone, Prepared, Subject, contract},
};

use crate::{SECOND, bulkhead};

struct Slots;

impl Subject for Slots {
    type Stack = Alone<Bulkhead>;

    fn open(&self, clock: &ManualClock) -> Prepared<Alone<Bulkhead>> {
        Prepared::new(bulkhead(clock, 3, SECOND))
    }

    fn disabled(&self, clock: &ManualClock) -> Prepared<Alone<Bulkhead>> {
        Prepared::new(Bulkhead::builder().max_concurrent(1).enabled(false).clock(clock).build().unwrap())
    }

    fn waiting(&self, _: &ManualClock) -> Option<Prepared<Alone<Bulkhead>>> {
        None // a slot is freed by another call, not by time
    }

    fn rejecting(&self, clock: &ManualClock) -> Option<Prepared<Alone<Bulkhead>>> {
        let full = bulkhead(clock, 1, Duration::ZERO);
        assert!(matches!(full.admit(&mut Cx::new(&clock.clock())), Admission::Go(_)));
        Some(Prepared::new(full))
    }
}

#[test]
fn the_bulkhead_keeps_the_contract_of_policies() {
    contract::check(&Slots);
}
