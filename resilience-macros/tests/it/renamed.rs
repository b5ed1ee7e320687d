//! `Cargo.toml` calls the facade `shield` here.

use shield::prelude::*;

#[derive(Debug, PartialEq, FromRejection)]
enum Failure {
    Rejected(Rejection),
    Down,
}

#[resilient(crate = "shield")]
trait Api {
    #[retry(max_attempts = 2, delay = "0", retry_on = ["failed"], jitter = "none")]
    #[circuit_breaker]
    #[rate_limiter(permits = 2, period = "1h")]
    #[timeout("1s", on_blocking = "late")]
    #[bulkhead]
    #[fallback(method = "instead")]
    fn call(&mut self, key: &str) -> Result<usize, Failure>;

    fn instead(&mut self, key: &str, error: &Failure) -> Result<usize, Failure>;
}

struct Service {
    calls: usize,
}

impl Api for Service {
    fn call(&mut self, _: &str) -> Result<usize, Failure> {
        self.calls += 1;
        Err(Failure::Down)
    }

    fn instead(&mut self, key: &str, error: &Failure) -> Result<usize, Failure> {
        if *error == Failure::Down { Ok(10 * self.calls + key.len()) } else { Err(Failure::Down) }
    }
}

#[test]
fn another_name_of_the_facade_is_told_to_the_macro() {
    let registry = Registry::builder().clock(ManualClock::new()).build();
    let mut api = ApiResilient::new(Service { calls: 0 }, &registry).unwrap();
    assert_eq!(api.call("abc"), Ok(23));
}
