//! What a policy cannot protect.

use resilience::prelude::*;
use std::{pin::Pin, sync::Arc};

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

macro_rules! more {
    ($body:tt) => {
        fn more(&self) $body
    };
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
    fn owns(&self) -> Pin<Box<dyn Future<Output = Result<(), Failure>>>>;

    unsafe fn risky(&self);

    fn boxed(self: &Box<Self>);

    #[rate_limiter]
    #[fallback(method = "never_else")]
    fn never(&self) -> !;

    fn never_else(&self) -> !;

    fn equals<T>(&self, other: &T) -> bool
    where
        Self: PartialEq<T>;

    #[retry(retry_on = ["failed", Self::BUSY])]
    fn busy(&self) -> Result<(), Failure>;

    more!(;);

    #[retry]
    const N: u8;
}

#[resilient]
unsafe trait Risky {
    #[retry]
    fn call(&self) -> Result<(), Failure>;
}

#[resilient]
#[fallback(method = "instead")]
trait Whole {
    #[retry]
    fn call(&self) -> Result<(), Failure>;
}

struct Client;

#[resilient(registry = REGISTRY)]
impl Whole for Client {
    fn call(&self) -> Result<(), Failure> {
        Ok(())
    }
}

#[resilient(registry = REGISTRY)]
#[fallback(method = "instead")]
impl Client {
    #[retry]
    fn consume(self) -> Result<(), Failure> {
        Ok(())
    }

    #[retry]
    fn change(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}

#[resilient(registry = REGISTRY)]
#[retry]
impl Client {
    more!({});
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

#[resilient(registry = REGISTRY)]
#[retry]
const fn constant() -> Result<(), Failure> {
    Ok(())
}

fn main() {}
