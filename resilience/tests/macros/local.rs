//! Functions and inherent methods.

use std::cell::Cell;

use resilience::prelude::*;

use crate::{Failure, is_send, now, still};

thread_local! {
    static CALLS: Cell<u8> = const { Cell::new(0) };
}

fn next() -> Result<u8, Failure> {
    CALLS.set(CALLS.get() + 1);
    if CALLS.get() < 3 { Err(Failure::Down) } else { Ok(CALLS.get()) }
}

/// The registry is an argument.
#[resilient(registry = registry)]
#[retry(max_attempts = 3, delay = "0")]
#[fallback(method = "instead")]
fn function(registry: &Registry, text: &str, add: u8) -> Result<u8, Failure> {
    assert_eq!(text, "text");
    let calls = next()?;
    if calls > 3 {
        return Err(Failure::Down);
    }
    Ok(calls + add)
}

#[expect(clippy::unnecessary_wraps, reason = "a fallback returns what the call returns")]
fn instead(_: &Registry, text: &str, add: u8, error: &Failure) -> Result<u8, Failure> {
    assert_eq!((text, error), ("text", &Failure::Down));
    Ok(100 + add)
}

#[test]
fn a_function_is_tried_again_and_has_a_fallback() {
    let registry = still();
    assert_eq!(function(&registry, "text", 10), Ok(13));
    assert_eq!(function(&registry, "text", 10), Ok(110));
    assert!(registry.retry(concat!(module_path!(), "::function(&Registry, &str, u8)")).is_ok());
}

struct Client {
    registry: Registry,
    limit: u8,
}

#[resilient(registry = self.registry)]
#[rate_limiter(name = "client", permits = 2, period = "1h")]
impl Client {
    async fn get(&self, key: &str) -> Result<usize, Failure> {
        let length = is_send(async { key.len() }).await;
        if length > usize::from(self.limit) { Err(Failure::Down) } else { Ok(length) }
    }

    #[rate_limiter(name = "client", permits = 2, period = "1h")]
    #[retry(max_attempts = 2, delay = "0")]
    async fn put(&self, key: String) -> Result<usize, Failure> {
        if self.fits(&key) { Ok(key.len()) } else { Err(Failure::Down) }
    }

    #[fallback(method = "instead")]
    fn partly(&self, #[cfg(any())] gone: NoSuchType, n: usize) -> Result<usize, Failure> {
        if n == 0 { Err(Failure::Down) } else { Ok(n) }
    }

    fn instead(&self, #[cfg(any())] gone: NoSuchType, n: usize, _: &Failure) -> Result<usize, Failure> {
        if n < usize::from(self.limit) { Ok(9) } else { Err(Failure::Down) }
    }

    fn fits(&self, key: &str) -> bool {
        key.len() <= usize::from(self.limit)
    }
}

#[test]
fn methods_of_a_type_share_what_has_one_name() {
    let client = Client { registry: still(), limit: 3 };
    assert_eq!(now(is_send(client.get("abc"))), Ok(3));
    assert_eq!(now(is_send(client.put("ab".to_owned()))), Ok(2));
    let elsewhere = Client { registry: still(), limit: 3 };
    assert_eq!(
        (elsewhere.partly(1), elsewhere.partly(0)),
        (Ok(1), Ok(9)),
        "a fallback has the arguments that are there"
    );
    assert!(matches!(now(client.get("a")), Err(Failure::Rejected(_))));
}

#[resilient(registry = REGISTRY.get_or_init(Registry::new))]
#[bulkhead]
#[tracing::instrument(skip_all)]
async fn under() -> Result<u8, Failure> {
    Ok(1)
}

#[tracing::instrument(skip_all)]
#[resilient(registry = REGISTRY.get_or_init(Registry::new))]
#[bulkhead]
async fn over(n: u8) -> Result<u8, Failure> {
    Ok(n)
}

static REGISTRY: std::sync::OnceLock<Registry> = std::sync::OnceLock::new();

#[test]
fn it_goes_over_and_under_instrument() {
    assert_eq!((now(is_send(under())), now(is_send(over(2)))), (Ok(1), Ok(2)));
}

#[resilient]
#[async_trait::async_trait]
trait Below: Send + Sync {
    #[retry(max_attempts = 3, delay = "0")]
    #[timeout("1s")]
    async fn below(&self, key: &str, owned: String) -> Result<usize, Failure>;
}

#[async_trait::async_trait]
#[resilient]
trait Above: Send + Sync {
    #[retry(max_attempts = 3, delay = "0")]
    #[timeout("1s")]
    async fn above(&self, key: &str, owned: String) -> Result<usize, Failure>;
}

#[async_trait::async_trait]
#[resilient]
trait Defaults {
    #[retry(max_attempts = 3, delay = "0")]
    async fn shared(&self, key: &str) -> Result<usize, Failure> {
        Ok(key.len())
    }

    #[rate_limiter]
    async fn mutable(&mut self, key: &str) -> Result<usize, Failure> {
        Ok(key.len())
    }
}

impl Defaults for Length {}

struct Length;

#[async_trait::async_trait]
impl Below for Length {
    async fn below(&self, key: &str, owned: String) -> Result<usize, Failure> {
        Ok(key.len() + owned.len())
    }
}

#[async_trait::async_trait]
impl Above for Length {
    async fn above(&self, key: &str, owned: String) -> Result<usize, Failure> {
        Ok(key.len() + owned.len())
    }
}

#[test]
fn it_goes_over_and_under_async_trait() {
    let registry = still();
    let below: Box<dyn Below> = Box::new(BelowResilient::new(Length, &registry).unwrap());
    let above: Box<dyn Above> = Box::new(AboveResilient::new(Length, &registry).unwrap());
    assert_eq!(now(is_send(below.below("abc", "d".to_owned()))), Ok(4));
    assert_eq!(now(is_send(above.above("abc", "d".to_owned()))), Ok(4));
    let mut defaults = DefaultsResilient::new(Length, &registry).unwrap();
    assert_eq!((now(is_send(defaults.shared("a"))), now(is_send(defaults.mutable("ab")))), (Ok(1), Ok(2)));
}
