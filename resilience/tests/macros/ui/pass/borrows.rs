//! Results that borrow mutably without another attempt, and that borrow otherwise.

#![allow(dead_code, reason = "compiled, not called")]

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

#[resilient]
trait Api {
    #[rate_limiter]
    fn own(&mut self) -> Result<&mut u8, Failure>;

    #[retry]
    async fn later(&self) -> Result<Option<&u8>, Failure>;

    #[retry]
    fn argument<'a>(&self, from: &'a [u8], into: &mut Vec<u8>) -> Result<&'a u8, Failure>;

    #[retry]
    fn beside(&self, into: &mut Vec<u8>) -> Result<&u8, Failure>;

    #[fallback(method = "instead")]
    fn recovered(&mut self) -> Result<View<'static>, Failure>;

    fn instead(&mut self) -> Result<View<'static>, Failure>;

    #[retry]
    fn iterate(&self) -> Result<impl Iterator<Item = u8>, Failure>;

    #[retry]
    fn function(&mut self) -> Result<fn(&u8) -> &u8, Failure>;

    #[retry]
    #[expect(clippy::type_complexity, reason = "a closure's arguments have lifetimes of their own")]
    fn closure(&mut self) -> Result<Box<dyn Fn(&u8) -> &u8>, Failure>;
}

type View<'a> = &'a u8;
