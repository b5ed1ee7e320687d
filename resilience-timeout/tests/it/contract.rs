use resilience_core::{
    ManualClock,
    testing::{Alone, Prepared, Subject, contract},
};
use resilience_timeout::Timeout;

use crate::{NS, SECOND, timeout};

struct Limited;

impl Subject for Limited {
    type Stack = Alone<Timeout>;

    fn open(&self, clock: &ManualClock) -> Prepared<Alone<Timeout>> {
        Prepared::new(timeout(clock, SECOND))
    }

    fn disabled(&self, clock: &ManualClock) -> Prepared<Alone<Timeout>> {
        Prepared::new(Timeout::builder().timeout(NS).enabled(false).clock(clock).build().unwrap())
    }

    fn waiting(&self, _: &ManualClock) -> Option<Prepared<Alone<Timeout>>> {
        None // it lets everybody in
    }

    fn rejecting(&self, _: &ManualClock) -> Option<Prepared<Alone<Timeout>>> {
        None // it lets everybody in
    }
}

#[test]
fn the_timeout_keeps_the_contract_of_policies() {
    contract::check(&Limited);
}
