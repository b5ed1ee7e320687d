use std::time::Duration;

use resilience_core::{
    ManualClock,
    testing::{Alone, Prepared, Subject, contract},
};
use resilience_ratelimiter::RateLimiter;

use crate::{MS, SECOND, limiter};

struct Limiter;

impl Limiter {
    fn drained(clock: &ManualClock, max_wait: Duration) -> Prepared<Alone<RateLimiter>> {
        let limiter = limiter(clock, 3, 30 * MS, max_wait);
        limiter.try_acquire_n(3).unwrap();
        Prepared::new(limiter)
    }
}

impl Subject for Limiter {
    type Stack = Alone<RateLimiter>;

    fn open(&self, clock: &ManualClock) -> Prepared<Alone<RateLimiter>> {
        Prepared::new(limiter(clock, 3, 60 * MS, SECOND))
    }

    fn disabled(&self, clock: &ManualClock) -> Prepared<Alone<RateLimiter>> {
        let builder = RateLimiter::builder().permits(1).period(3_600 * SECOND).enabled(false);
        Prepared::new(builder.clock(clock).build().unwrap())
    }

    fn waiting(&self, clock: &ManualClock) -> Option<Prepared<Alone<RateLimiter>>> {
        Some(Self::drained(clock, SECOND))
    }

    fn rejecting(&self, clock: &ManualClock) -> Option<Prepared<Alone<RateLimiter>>> {
        Some(Self::drained(clock, Duration::ZERO))
    }
}

#[test]
fn the_limiter_keeps_the_contract_of_policies() {
    contract::check(&Limiter);
}
