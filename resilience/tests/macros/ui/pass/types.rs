//! A place for a rejection, a fallback where there is none, arguments that can be cloned or lent.

#![allow(dead_code, reason = "compiled, not called")]

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

type Number = Result<u8, Failure>;

#[resilient]
trait Api {
    #[rate_limiter]
    fn place(&self) -> Result<u8, Failure>;

    #[rate_limiter]
    fn alias(&self) -> Number;

    #[retry]
    fn cloned(&self, often: Often) -> Result<u8, Failure>;

    #[retry]
    fn lent(&self, once: &mut Once) -> Result<u8, Failure>;
}

#[derive(Clone)]
struct Often;

struct Once;

#[derive(FromRejection)]
struct Wrapped {
    rejection: Rejection,
}
