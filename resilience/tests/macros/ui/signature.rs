//! What only types tell of a fallback: it returns something else, or is told of another error.

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

struct Other;

#[resilient]
trait Api {
    #[retry]
    #[fallback(method = "returns")]
    fn call(&self, key: &str) -> Result<u8, Failure>;

    fn returns(&self, key: &str) -> Result<u16, Failure>;

    #[retry]
    #[fallback(method = "takes")]
    async fn wait(&self, key: &str) -> Result<u8, Failure>;

    fn takes(&self, key: &str, error: &Other) -> Result<u8, Failure>;
}

fn main() {}
