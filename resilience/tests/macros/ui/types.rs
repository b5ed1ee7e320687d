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
}

struct Once;

#[derive(FromRejection)]
enum Nowhere {
    Here(u8),
}

fn main() {}
