//! What policies can protect.

#![allow(dead_code, reason = "compiled, not called")]

use resilience::prelude::*;
use std::pin::Pin;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

const BUSY: Kind = Kind::TIMED_OUT;

struct Client {
    registry: Registry,
}

#[resilient]
trait Api {
    #[rate_limiter]
    #[fallback(method = "none")]
    fn number(&self) -> u32;

    fn none(&self) -> u32;

    #[rate_limiter]
    fn consume(self) -> Result<(), Failure>
    where
        Self: Sized;

    #[retry]
    fn boxed(&self) -> Pin<Box<dyn Future<Output = Result<(), Failure>> + '_>>;

    fn make() -> Result<u8, Failure>;

    #[retry(retry_on = ["failed", BUSY])]
    fn busy(&self) -> Result<(), Failure>;

    fn never(&self) -> !;

    fn copy(&self) -> u8
    where
        Self: Clone + for<'a> PartialEq<&'a u8>;

    fn more(self: Box<Self>);

    const N: u8;
}

#[resilient(registry = self.registry)]
impl Client {
    #[rate_limiter]
    fn change(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}
