//! Keys and attributes as they are called, once each.

#![allow(dead_code, reason = "compiled, not called")]

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

#[resilient(crate = "resilience")]
trait Api {
    #[rate_limiter(permits = 10, name = "limiter", config = "slow", locked = true)]
    #[timeout(on_blocking = "late", timeout = "1s")]
    fn known(&self) -> Result<(), Failure>;

    #[rate_limiter(permits = 10)]
    #[retry]
    #[fallback(method = "other")]
    async fn near(&self) -> Result<(), Failure>;

    #[cfg_attr(all(), doc = "not ours")]
    #[cfg(any())]
    #[timeout("1s")]
    async fn seen(&self) -> Result<(), Failure>;

    #[cfg(not(any()))]
    async fn seen(&self) -> Result<(), Failure>;

    async fn other(&self) -> Result<(), Failure>;
}
