//! B70: types decide what is a `Result`, not tokens.

mod shadowed {
    #![expect(dead_code, reason = "they only stand in the way")]

    pub struct Result;
    pub struct Option;
    pub struct Some;
    pub struct Box;
    pub struct Vec;
    pub struct String;
    pub struct Ok;
    pub struct Err;
    pub struct Clone;
    pub struct Debug;
    pub struct Pipeline;
    pub trait Send {}
    pub trait Future {}
    pub trait From {}
    pub mod std {}
    pub mod core {}
    pub mod resilience {}

    #[expect(unused_macros, reason = "as the rest")]
    macro_rules! concat {
        () => {};
    }

    #[expect(unused_macros, reason = "as the rest")]
    macro_rules! panic {
        () => {};
    }

    type Outcome = ::core::result::Result<u8, crate::Failure>;

    #[::resilience::resilient]
    pub trait Foreign {
        #[retry(max_attempts = 2, delay = "0")]
        #[rate_limiter(name = "foreign")]
        fn plain(&self) -> ::core::result::Result<u8, crate::Failure>;

        #[retry(max_attempts = 3, delay = "0", retry_on = ["failed"])]
        #[circuit_breaker(window_type = "time")]
        #[timeout("1s")]
        #[bulkhead]
        #[fallback(method = "instead")]
        async fn all(&mut self, into: &mut u8, text: ::std::string::String) -> Outcome;

        async fn instead(&mut self, into: &mut u8, text: ::std::string::String, error: &crate::Failure) -> Outcome;

        #[rate_limiter]
        fn boxed(
            self: ::std::boxed::Box<Self>,
        ) -> ::std::pin::Pin<::std::boxed::Box<dyn ::core::future::Future<Output = Outcome>>>;
    }

    pub struct Client(pub ::resilience::Registry);

    #[::resilience::resilient(registry = self.0)]
    #[rate_limiter(permits = 1, period = "1h")]
    impl Client {
        pub async fn later(&self, into: &mut u8) -> Outcome {
            *into += 1;
            ::core::result::Result::Ok(*into)
        }
    }

    #[derive(::resilience::FromRejection)]
    pub enum Refused {
        By(::resilience::Rejection),
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

    async fn all(&mut self, into: &mut u8, _: String) -> Result<u8, Failure> {
        *into += 1;
        Err(Failure::Down)
    }

    async fn instead(&mut self, into: &mut u8, text: String, _: &Failure) -> Result<u8, Failure> {
        Ok(10 * *into + u8::try_from(text.len()).unwrap())
    }

    fn boxed(self: Box<Self>) -> std::pin::Pin<Box<dyn Future<Output = Result<u8, Failure>>>> {
        Box::pin(async move { self.next() })
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

#[test]
fn what_is_written_meets_no_name_of_its_module() {
    let mut flaky = ForeignResilient::new(Flaky(Cell::new(1)), &still()).unwrap();
    assert_eq!(crate::now(flaky.all(&mut 0, "ab".to_owned())), Ok(32));
    assert_eq!(crate::now(Box::new(flaky).boxed()), Ok(2));
    let client = shadowed::Client(still());
    assert_eq!(crate::now(client.later(&mut 4)), Ok(5));
    assert!(matches!(crate::now(client.later(&mut 4)), Err(Failure::Rejected(_))));
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

    #[retry(max_attempts = 2, delay = "0", retry_on = ["failed"])]
    #[rate_limiter(name = "io", permits = 2, period = "1h")]
    fn io(&self) -> std::io::Result<u8>;
}

impl Anyhow for Flaky {
    fn maybe(&self) -> anyhow::Result<u8> {
        self.next().map_err(|_| anyhow::anyhow!("down"))
    }

    fn io(&self) -> std::io::Result<u8> {
        self.next().map_err(|_| std::io::ErrorKind::NotFound.into())
    }
}

#[test]
fn errors_of_any_type_take_rejections() {
    let flaky = AnyhowResilient::new(Flaky::default(), &still()).unwrap();
    assert_eq!((flaky.maybe().unwrap(), flaky.io().unwrap()), (2, 4));
    let error = flaky.io().unwrap_err();
    assert!(error.downcast::<Rejection>().is_ok());
}
