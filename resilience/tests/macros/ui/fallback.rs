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

    fn cached(&self, key: &str) -> Result<u8, Failure>;

    fn other(&self, key: String) -> Result<u8, Failure>;
}

fn main() {}
