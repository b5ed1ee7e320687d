//! Fallback methods that are there and fit.

#![allow(dead_code, reason = "compiled, not called")]

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

#[resilient]
trait Api {
    #[fallback(method = "cached")]
    fn without_error(&self, key: &str) -> Result<u8, Failure>;

    #[fallback(method = "told")]
    async fn with_error(&self, key: &str) -> Result<u8, Failure>;

    fn cached(&self, key: &str) -> Result<u8, Failure>;

    fn told(&self, key: &str, error: &Failure) -> Result<u8, Failure>;
}
