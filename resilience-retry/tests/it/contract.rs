use resilience_core::{
    ManualClock,
    testing::{Alone, Prepared, Subject, contract},
};
use resilience_retry::{Builder, Retry};

use crate::{MS, SECOND};

struct Retries(fn(Builder) -> Builder);

impl Subject for Retries {
    type Stack = Alone<Retry>;

    fn open(&self, clock: &ManualClock) -> Prepared<Alone<Retry>> {
        Prepared::new((self.0)(Retry::builder()).seed(1).clock(clock).build().unwrap())
    }

    fn disabled(&self, clock: &ManualClock) -> Prepared<Alone<Retry>> {
        let builder = (self.0)(Retry::builder()).enabled(false);
        Prepared::new(builder.clock(clock).build().unwrap())
    }

    fn waiting(&self, _: &ManualClock) -> Option<Prepared<Alone<Retry>>> {
        None
    }

    fn rejecting(&self, _: &ManualClock) -> Option<Prepared<Alone<Retry>>> {
        None
    }
}

#[test]
fn the_retry_keeps_the_contract_of_policies() {
    contract::check(&Retries(|it| it.delay(5 * MS)));
    contract::check(&Retries(|it| it.delay(5 * MS).max_duration(SECOND).budget_percent(40.0)));
}
