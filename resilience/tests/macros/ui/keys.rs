//! Keys and attributes that are not known, or written twice.

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

#[resilient(crat = "x")]
#[resilient]
trait Api {
    #[rate_limiter(permit = 10, name = "")]
    #[rate_limiter]
    #[timeout(onblocking = "late", timeout = "1s")]
    async fn unknown(&self) -> Result<(), Failure>;

    #[rate_limitter(permits = 10)]
    #[retry(max_attempts)]
    #[fallback(methd = "other")]
    async fn near(&self) -> Result<(), Failure>;

    #[cfg_attr(feature = "slow", timeout("1s"))]
    #[cfg_attr(all(), doc = "not ours", retry)]
    async fn unseen(&self) -> Result<(), Failure>;
}

fn main() {}
