//! Core and one policy are enough: a module gives them the names of the facade.

mod policies {
    pub(super) use resilience_core::*;
    pub(super) use resilience_ratelimiter as ratelimiter;
}

use resilience_core::{ManualClock, Registry, Rejection};
use resilience_macros::{FromRejection, resilient};
use resilience_ratelimiter::RegistryExt;

#[derive(Debug, FromRejection)]
struct Rejected(Rejection);

#[resilient(crate = "self::policies")]
trait Api {
    #[rate_limiter(name = "api", permits = 1, period = "1h")]
    fn call(&self) -> Result<u8, Rejected>;
}

struct Service;

impl Api for Service {
    fn call(&self) -> Result<u8, Rejected> {
        Ok(1)
    }
}

#[test]
fn a_policy_crate_is_enough() {
    let registry = Registry::builder().clock(ManualClock::new()).build();
    let api = ApiResilient::new(Service, &registry).unwrap();
    assert_eq!(api.call().unwrap(), 1);
    let Rejected(rejection) = api.call().unwrap_err();
    assert_eq!(rejection.instance().as_str(), "api");
    assert_eq!(registry.rate_limiter("api").unwrap().available_permits(), 0);
}
