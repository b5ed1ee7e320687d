//! What only types tell: no place for a rejection, an argument that cannot be cloned.

use resilience::prelude::*;

struct Broken;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

type Number = u8;

#[resilient]
trait Api {
    #[rate_limiter]
    fn no_place(&self) -> Result<u8, Broken>;

    #[rate_limiter]
    fn alias(&self) -> Number;

    #[retry]
    fn closure(&self, once: Once) -> Result<u8, Failure>;

    #[retry(retry_on = ["failed", KIND])]
    fn kind(&self) -> Result<u8, Failure>;
}

struct Once;

const KIND: &str = "failed";

#[resilient(registry = REGISTRY)]
#[retry]
async fn body() -> Result<u8, Failure> {
    Ok("one")
}

#[resilient(registry = 5)]
#[retry]
fn number() -> Result<u8, Failure> {
    Ok(1)
}

static REGISTRY: std::sync::LazyLock<Registry> = std::sync::LazyLock::new(Registry::new);

#[derive(FromRejection)]
enum Nowhere {
    Here(u8),
}

fn main() {}
