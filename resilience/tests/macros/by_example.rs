//! Macros by example that write what `#[resilient]` stands on: they put unseen parentheses around what they are given.

use std::pin::Pin;

use resilience::prelude::*;

use crate::{Failure, now, still};

macro_rules! api {
    ($name:ident, $permits:literal, $slots:expr, $period:literal, $id:expr, $kind:literal, $yes:literal, $to:literal) => {
        #[resilient]
        trait $name {
            #[rate_limiter(permits = $permits, period = $period, name = $id, locked = $yes)]
            #[bulkhead(max_concurrent = $slots, enabled = $yes)]
            #[circuit_breaker(failure_rate_threshold = $permits)]
            #[retry(retry_on = [$kind], delay = "0", max_attempts = $permits)]
            #[timeout($period, on_blocking = "late")]
            #[fallback(method = $to)]
            fn call(&self) -> Result<u8, Failure>;

            fn instead(&self, error: &Failure) -> Result<u8, Failure>;
        }
    };
}

api!(Values, 2, 4, "1h", "by example", "failed", true, "instead");

struct Down;

impl Values for Down {
    fn call(&self) -> Result<u8, Failure> {
        Err(Failure::Down)
    }

    fn instead(&self, error: &Failure) -> Result<u8, Failure> {
        if matches!(error, Failure::Down) { Ok(1) } else { Ok(2) }
    }
}

#[test]
fn values_come_through_a_macro() {
    let registry = still();
    let values = ValuesResilient::new(Down, &registry).unwrap();
    assert_eq!([values.call(), values.call()], [Ok(1), Ok(2)], "two attempts need two permits");
    assert_eq!(registry.rate_limiter("by example").unwrap().config().permits, 2);
}

type Boxed<T> = Pin<Box<T>>;

macro_rules! signatures {
    ($($(#[$attr:meta])* fn $name:ident($self:ident: $this:ty, $arg:ident: $ty:ty) -> $out:ty;)*) => {
        #[resilient]
        #[expect(clippy::needless_arbitrary_self_type, reason = "so that a macro can be given it")]
        trait Signatures {
            $($(#[$attr])* fn $name($self: $this, $arg: $ty) -> $out;)*
        }
    };
}

signatures! {
    #[retry(delay = "0")]
    fn plain(self: &Self, text: &str) -> Result<usize, Failure>;

    #[retry(delay = "0")]
    fn mutable(self: &mut Self, into: &mut Vec<u8>) -> Result<usize, Failure>;

    #[rate_limiter]
    fn future(self: &Self, text: String) -> impl Future<Output = Result<usize, Failure>> + Send;

    #[rate_limiter]
    fn boxed(self: &Self, text: String) -> Pin<Box<dyn Future<Output = Result<usize, Failure>>>>;

    #[rate_limiter]
    fn end(self: Box<Self>, add: usize) -> Result<usize, Failure>;
}

struct Length(usize);

impl Signatures for Length {
    fn plain(&self, text: &str) -> Result<usize, Failure> {
        Ok(text.len())
    }

    fn mutable(&mut self, into: &mut Vec<u8>) -> Result<usize, Failure> {
        into.push(0);
        self.0 += 1;
        if into.len() < 3 { Err(Failure::Down) } else { Ok(self.0) }
    }

    async fn future(&self, text: String) -> Result<usize, Failure> {
        Ok(text.len())
    }

    fn boxed(&self, text: String) -> Boxed<dyn Future<Output = Result<usize, Failure>>> {
        Box::pin(async move { Ok(text.len()) })
    }

    fn end(self: Box<Self>, add: usize) -> Result<usize, Failure> {
        Ok(self.0 + add)
    }
}

#[test]
fn types_come_through_a_macro() {
    let mut api = SignaturesResilient::new(Length(0), &still()).unwrap();
    assert_eq!((api.plain("abc"), api.mutable(&mut Vec::new())), (Ok(3), Ok(3)));
    assert_eq!((now(api.future("ab".to_owned())), now(api.boxed("a".to_owned()))), (Ok(2), Ok(1)));
    assert_eq!(Box::new(api).end(4), Ok(7));
}
