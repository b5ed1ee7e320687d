//! What a policy cannot protect.

use resilience::prelude::*;
use std::sync::Arc;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

#[resilient]
trait Api {
    #[rate_limiter]
    fn nothing(&self);

    #[rate_limiter]
    fn number(&self) -> u32;

    #[bulkhead]
    fn make() -> Result<u8, Failure>;

    #[retry]
    fn consume(self) -> Result<(), Failure>
    where
        Self: Sized;

    #[retry]
    fn shared(self: Arc<Self>) -> Result<(), Failure>;

    #[timeout("1s")]
    fn blocks(&self) -> Result<(), Failure>;

    fn copy(&self) -> Self
    where
        Self: Sized;

    #[retry]
    const N: u8;
}

#[resilient]
#[retry]
trait Plain {
    fn number(&self) -> u32;
}

#[resilient]
struct Type;

#[resilient]
#[retry]
fn no_registry() -> Result<(), Failure> {
    Ok(())
}

fn main() {}
