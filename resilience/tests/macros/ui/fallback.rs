//! Fallback methods that are missing or have another signature.

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

#[resilient]
trait Api {
    #[fallback(method = "cachd")]
    fn missing(&self, key: &str) -> Result<u8, Failure>;

    #[fallback(method = "other")]
    fn differs(&self, key: &str) -> Result<u8, Failure>;

    #[fallback]
    fn which(&self) -> Result<u8, Failure>;

    #[fallback(method = "itself")]
    fn itself(&self) -> Result<u8, Failure>;

    #[fallback(method = "by_value")]
    fn takes(&self) -> Result<u8, Failure>;

    #[retry(max_attempts = 0)]
    #[fallback]
    fn twice_wrong(&self) -> Result<u8, Failure>;

    fn by_value(&self, error: Failure) -> Result<u8, Failure>;

    fn cached(&self, key: &str) -> Result<u8, Failure>;

    fn other(&self, key: String) -> Result<u8, Failure>;
}

#[resilient(registry = REGISTRY)]
#[fallback(method = "again")]
fn again() -> Result<u8, Failure> {
    Ok(1)
}

fn main() {}
