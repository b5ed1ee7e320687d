//! Every way to wait, through every `self` and with every kind of argument: alone, with more attempts, with a fallback.

use std::{
    pin::Pin,
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

use resilience::prelude::*;

use crate::{Failure, is_send, now, still};

type Outcome = Result<u8, Failure>;
type Boxed<'a> = Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>;

/// Counts its calls; the first ones fail.
struct Flaky {
    fails: u8,
    calls: AtomicU8,
}

impl Flaky {
    fn call(&self, key: &str, owned: &str, into: &mut Vec<u8>) -> Outcome {
        assert_eq!((key, owned), ("key", "owned"));
        let call = self.calls.fetch_add(1, Relaxed);
        into.push(call);
        if call < self.fails { Err(Failure::Down) } else { Ok(call) }
    }

    fn recover(&self, key: &str, owned: &str, into: &mut Vec<u8>, error: &Failure) -> Outcome {
        into.push(100);
        let told = (key, owned, error) == ("key", "owned", &Failure::Down);
        if told { Ok(self.calls.load(Relaxed)) } else { Err(Failure::Down) }
    }
}

macro_rules! matrix {
    ($name:ident [$($shared:tt)*] [$($mutable:tt)*] [$($later:tt)*] $fails:literal failures lead to $pushed:expr) => {
        mod $name {
            use super::*;

            #[resilient]
            #[allow(dead_code, reason = "some have no fallback")]
            pub(super) trait Api: Sync {
                $($shared)*
                fn sync(&self, key: &str, owned: String, into: &mut Vec<u8>) -> Result<u8, Failure>;
                $($mutable)*
                fn sync_mut(&mut self, key: &str, owned: String, into: &mut Vec<u8>) -> Outcome;
                $($later)*
                async fn later(&self, key: &str, owned: String, into: &mut Vec<u8>) -> Outcome;
                $($mutable)*
                async fn later_mut(&mut self, key: &str, owned: String, into: &mut Vec<u8>) -> Result<u8, Failure>;
                $($later)*
                fn future(&self, key: &str, owned: String, into: &mut Vec<u8>) -> impl Future<Output = Outcome> + Send;
                $($mutable)*
                fn future_mut(
                    &mut self,
                    key: &str,
                    owned: String,
                    into: &mut Vec<u8>,
                ) -> impl Future<Output = Outcome> + Send;
                $($shared)*
                fn boxed<'a>(
                    &'a self,
                    key: &'a str,
                    owned: String,
                    into: &'a mut Vec<u8>,
                ) -> Pin<Box<dyn Future<Output = Result<u8, Failure>> + Send + 'a>>;
                $($mutable)*
                fn boxed_mut<'a>(
                    &'a mut self,
                    key: &'a str,
                    owned: String,
                    into: &'a mut Vec<u8>,
                ) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>;

                fn instead(&self, key: &str, owned: String, into: &mut Vec<u8>, error: &Failure) -> Result<u8, Failure>;
                fn instead_mut(
                    &mut self,
                    key: &str,
                    owned: String,
                    into: &mut Vec<u8>,
                    error: &Failure,
                ) -> Result<u8, Failure>;
                fn instead_later(
                    &self,
                    key: &str,
                    owned: String,
                    into: &mut Vec<u8>,
                    error: &Failure,
                ) -> impl Future<Output = Outcome> + Send;
            }

            impl Api for Flaky {
                fn sync(&self, key: &str, owned: String, into: &mut Vec<u8>) -> Outcome {
                    self.call(key, &owned, into)
                }
                fn sync_mut(&mut self, key: &str, owned: String, into: &mut Vec<u8>) -> Outcome {
                    self.call(key, &owned, into)
                }
                async fn later(&self, key: &str, owned: String, into: &mut Vec<u8>) -> Outcome {
                    self.call(key, &owned, into)
                }
                async fn later_mut(&mut self, key: &str, owned: String, into: &mut Vec<u8>) -> Outcome {
                    self.call(key, &owned, into)
                }
                async fn future(&self, key: &str, owned: String, into: &mut Vec<u8>) -> Outcome {
                    self.call(key, &owned, into)
                }
                async fn future_mut(&mut self, key: &str, owned: String, into: &mut Vec<u8>) -> Outcome {
                    self.call(key, &owned, into)
                }
                fn boxed<'a>(&'a self, key: &'a str, owned: String, into: &'a mut Vec<u8>) -> Boxed<'a> {
                    Box::pin(async move { self.call(key, &owned, into) })
                }
                fn boxed_mut<'a>(&'a mut self, key: &'a str, owned: String, into: &'a mut Vec<u8>) -> Boxed<'a> {
                    Box::pin(async move { self.call(key, &owned, into) })
                }
                fn instead(&self, key: &str, owned: String, into: &mut Vec<u8>, error: &Failure) -> Outcome {
                    self.recover(key, &owned, into, error)
                }
                fn instead_mut(&mut self, key: &str, owned: String, into: &mut Vec<u8>, error: &Failure) -> Outcome {
                    self.recover(key, &owned, into, error)
                }
                async fn instead_later(
                    &self,
                    key: &str,
                    owned: String,
                    into: &mut Vec<u8>,
                    error: &Failure,
                ) -> Outcome {
                    self.recover(key, &owned, into, error)
                }
            }

            #[test]
            fn every_way_to_wait_gets_there() {
                let check = |way: &str, call: &dyn Fn(ApiResilient<Flaky>, &mut Vec<u8>) -> Outcome| {
                    let mut into = Vec::new();
                    let flaky = Flaky { fails: $fails, calls: AtomicU8::new(0) };
                    let outcome = call(ApiResilient::new(flaky, &still()).unwrap(), &mut into);
                    assert!(outcome.is_ok(), "{way}: {outcome:?}");
                    assert_eq!(into, $pushed, "{way}");
                };
                let owned = || "owned".to_owned();
                check("sync", &|api, into| api.sync("key", owned(), into));
                check("sync, mutable", &|mut api, into| api.sync_mut("key", owned(), into));
                check("async", &|api, into| now(is_send(api.later("key", owned(), into))));
                check("async, mutable", &|mut api, into| now(is_send(api.later_mut("key", owned(), into))));
                check("future", &|api, into| now(is_send(api.future("key", owned(), into))));
                check("future, mutable", &|mut api, into| now(is_send(api.future_mut("key", owned(), into))));
                check("boxed", &|api, into| now(api.boxed("key", owned(), into)));
                check("boxed, mutable", &|mut api, into| now(api.boxed_mut("key", owned(), into)));
            }
        }
    };
}

matrix! {
    alone [#[rate_limiter]] [#[rate_limiter]] [#[rate_limiter]]
    0 failures lead to [0]
}
matrix! {
    attempts [#[retry(delay = "0")]] [#[retry(delay = "0")]] [#[retry(delay = "0")]]
    2 failures lead to [0, 1, 2]
}
matrix! {
    fallback
    [#[fallback(method = "instead")]] [#[fallback(method = "instead_mut")]] [#[fallback(method = "instead_later")]]
    9 failures lead to [0, 100]
}
matrix! {
    attempts_and_fallback
    [#[retry(delay = "0")] #[fallback(method = "instead")]]
    [#[retry(delay = "0")] #[fallback(method = "instead_mut")]]
    [#[retry(delay = "0")] #[fallback(method = "instead_later")]]
    9 failures lead to [0, 1, 2, 100]
}
