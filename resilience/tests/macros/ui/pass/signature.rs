//! A fallback that returns the same by another name.

#![allow(dead_code, reason = "compiled, not called")]

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

type Answer = Result<u8, Failure>;

#[resilient]
trait Api {
    #[retry]
    #[fallback(method = "returns")]
    fn call<'a>(&'a self, key: &'a str) -> Answer;

    fn returns(&self, key: &str, error: &Failure) -> Result<u8, Failure>;
}
