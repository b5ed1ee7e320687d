//! B70: types decide what is a `Result`, not tokens.

mod shadowed {
    #![expect(dead_code, reason = "they only stand in the way")]

    pub struct Result;
    pub struct Option;
    pub struct Some;
    pub struct Box;
    pub struct Vec;
    pub struct String;
    pub mod std {}
    pub mod core {}

    #[::resilience::resilient]
    pub trait Foreign {
        #[retry(max_attempts = 2, delay = "0")]
        #[rate_limiter(name = "foreign")]
        fn plain(&self) -> ::core::result::Result<u8, crate::Failure>;
    }
}

use std::cell::Cell;

use resilience::prelude::*;
use shadowed::{Foreign, ForeignResilient};

use crate::{Failure, still};

type R<T> = Result<T, Failure>;

mod io {
    //! A foreign alias.
    pub type Outcome<T> = Result<T, crate::Failure>;
}

#[resilient]
#[retry(max_attempts = 2, delay = "0")]
trait Aliases {
    fn alias(&self) -> R<u8>;

    fn foreign(&self) -> io::Outcome<u8>;

    fn core(&self) -> core::result::Result<u8, Failure>;

    /// Nothing that a retry could see.
    fn value(&self) -> Number;

    async fn later(&self) -> R<u8>;

    async fn value_later(&self) -> Number;
}

type Number = u8;

/// Fails every other time.
#[derive(Default)]
struct Flaky(Cell<u8>);

impl Flaky {
    fn next(&self) -> Result<u8, Failure> {
        self.0.set(self.0.get() + 1);
        if self.0.get() % 2 == 0 { Ok(self.0.get()) } else { Err(Failure::Down) }
    }
}

impl Aliases for Flaky {
    fn alias(&self) -> R<u8> {
        self.next()
    }

    fn foreign(&self) -> io::Outcome<u8> {
        self.next()
    }

    fn core(&self) -> core::result::Result<u8, Failure> {
        self.next()
    }

    fn value(&self) -> Number {
        7
    }

    async fn later(&self) -> R<u8> {
        self.next()
    }

    async fn value_later(&self) -> Number {
        8
    }
}

impl Foreign for Flaky {
    fn plain(&self) -> Result<u8, Failure> {
        self.next()
    }
}

#[test]
fn a_retry_sees_the_errors_behind_every_alias() {
    let flaky = AliasesResilient::new(Flaky::default(), &still()).unwrap();
    assert_eq!((flaky.alias(), flaky.foreign(), flaky.core()), (Ok(2), Ok(4), Ok(6)));
    assert_eq!(crate::now(flaky.later()), Ok(8));
    assert_eq!((flaky.value(), crate::now(flaky.value_later())), (7, 8));
    let flaky = ForeignResilient::new(Flaky::default(), &still()).unwrap();
    assert_eq!(flaky.plain(), Ok(2));
}

#[resilient]
trait Infallible {
    #[rate_limiter(permits = 1, period = "1s")]
    #[fallback(method = "cached")]
    fn price(&self) -> u32;

    fn cached(&self, error: &Rejection) -> u32;

    #[rate_limiter(permits = 1, period = "1s")]
    #[fallback(method = "cached")]
    async fn price_later(&self) -> u32;
}

struct Prices;

impl Infallible for Prices {
    fn price(&self) -> u32 {
        10
    }

    fn cached(&self, error: &Rejection) -> u32 {
        assert_eq!(error.code(), Code::RateLimitExceeded);
        9
    }

    async fn price_later(&self) -> u32 {
        11
    }
}

#[test]
fn what_cannot_fail_has_a_fallback_for_rejections() {
    let prices = InfallibleResilient::new(Prices, &still()).unwrap();
    assert_eq!([prices.price(), prices.price()], [10, 9]);
    assert_eq!([crate::now(prices.price_later()), crate::now(prices.price_later())], [11, 9]);
}

#[resilient]
trait Anyhow {
    #[retry(max_attempts = 2, delay = "0")]
    fn maybe(&self) -> anyhow::Result<u8>;
}

impl Anyhow for Flaky {
    fn maybe(&self) -> anyhow::Result<u8> {
        self.next().map_err(|_| anyhow::anyhow!("down"))
    }
}

#[test]
fn errors_of_any_type_take_rejections() {
    let flaky = AnyhowResilient::new(Flaky::default(), &still()).unwrap();
    assert_eq!(flaky.maybe().unwrap(), 2);
}
