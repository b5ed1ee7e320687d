use resilience_core::{
    ManualClock,
    testing::{Prepared, Subject, contract},
};
use resilience_timeout::Timeout;

use crate::{NS, SECOND, timeout};

struct Limited;

impl Subject for Limited {
    type Policy = Timeout;

    fn open(&self, clock: &ManualClock) -> Prepared<Timeout> {
        Prepared::new(timeout(clock, SECOND))
    }

    fn disabled(&self, clock: &ManualClock) -> Prepared<Timeout> {
        Prepared::new(Timeout::builder().timeout(NS).enabled(false).clock(clock).build().unwrap())
    }

    fn waiting(&self, _: &ManualClock) -> Option<Prepared<Timeout>> {
        None // it lets everybody in
    }

    fn rejecting(&self, _: &ManualClock) -> Option<Prepared<Timeout>> {
        None // it lets everybody in
    }

    fn state(&self, timeout: &Timeout) -> String {
        format!("{timeout:?}")
    }
}

#[test]
fn the_timeout_keeps_the_contract_of_policies() {
    contract::check(&Limited);
}
