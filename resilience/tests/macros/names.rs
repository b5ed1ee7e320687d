//! B67: any name of an argument arrives.

use resilience::prelude::*;

use crate::{Failure, still};

#[resilient]
trait Names {
    #[rate_limiter]
    #[retry]
    #[expect(clippy::too_many_arguments, reason = "one for each name")]
    fn all(
        &self,
        key: u32,
        result: u32,
        cache: u32,
        clock: u32,
        now: u32,
        registry: u32,
        policy: u32,
        inner: u32,
        this: u32,
        args: u32,
        f: u32,
        e: u32,
        r#type: u32,
        r#async: u32,
        _unused: u32,
        delegate: u32,
        pipeline: u32,
        value: u32,
        error: u32,
        future: u32,
    ) -> Result<u32, Failure>;

    #[retry]
    fn unnamed(&self, _: u32, _: u32) -> Result<u32, Failure>;

    #[rate_limiter]
    fn delegate(&self) -> Result<u32, Failure>;

    #[retry]
    #[fallback(method = "fallbacks_fallback")]
    fn fallbacks(&self) -> Result<u32, Failure>;

    fn fallbacks_fallback(&self) -> Result<u32, Failure>;

    #[bulkhead]
    fn r#match(&self, r#fn: u32) -> Result<u32, Failure>;
}

/// As the delegate of a wrapper might be called.
#[derive(Clone, Debug, PartialEq)]
struct D(u32);

#[resilient]
trait Types {
    type Of<Delegate>: From<Delegate>;

    #[retry]
    fn of_a_type(&self, d: D) -> Result<D, Failure>;

    #[retry]
    fn of_a_parameter<Delegate_: Clone>(&self, d: Delegate_) -> Result<Delegate_, Failure>;

    fn associated<T>(&self, of: T) -> Self::Of<T>;
}

impl Types for Sum {
    type Of<T> = Option<T>;

    fn of_a_type(&self, d: D) -> Result<D, Failure> {
        Ok(d)
    }

    fn of_a_parameter<T: Clone>(&self, d: T) -> Result<T, Failure> {
        Ok(d)
    }

    fn associated<T>(&self, of: T) -> Option<T> {
        Some(of)
    }
}

#[test]
fn the_delegate_has_a_name_that_nothing_else_has() {
    let types = TypesResilient::new(Sum, &still()).unwrap();
    assert_eq!((types.of_a_type(D(1)), types.of_a_parameter(2)), (Ok(D(1)), Ok(2)));
    assert_eq!(types.associated(3), Some(3));
}

/// What is allowed here is allowed in what is written.
#[resilient]
trait Lints {
    #[allow(non_snake_case, reason = "of another language")]
    #[rate_limiter]
    fn fetchUrl(&self, theUrl: &str) -> Result<u32, Failure>;

    #[expect(non_snake_case, reason = "of another language")]
    fn plainUrl(&self, theUrl: &str) -> u32;
}

#[resilient]
#[allow(non_snake_case, reason = "of another language")]
trait AllLints {
    #[rate_limiter]
    fn fetchUrl(&self, theUrl: &str) -> Result<u32, Failure>;
}

impl Lints for Sum {
    fn fetchUrl(&self, url: &str) -> Result<u32, Failure> {
        Ok(self.plainUrl(url))
    }

    fn plainUrl(&self, url: &str) -> u32 {
        url.bytes().map(u32::from).sum()
    }
}

impl AllLints for Sum {
    fn fetchUrl(&self, url: &str) -> Result<u32, Failure> {
        Lints::fetchUrl(self, url)
    }
}

#[test]
fn names_in_another_style_stay_as_they_are() {
    let (one, all) = (LintsResilient::new(Sum, &still()).unwrap(), AllLintsResilient::new(Sum, &still()).unwrap());
    assert_eq!((one.fetchUrl("a"), one.plainUrl("a"), all.fetchUrl("b")), (Ok(97), 97, Ok(98)));
}

struct Sum;

impl Names for Sum {
    fn all(
        &self,
        key: u32,
        result: u32,
        cache: u32,
        clock: u32,
        now: u32,
        registry: u32,
        policy: u32,
        inner: u32,
        this: u32,
        args: u32,
        f: u32,
        e: u32,
        r#type: u32,
        r#async: u32,
        unused: u32,
        delegate: u32,
        pipeline: u32,
        value: u32,
        error: u32,
        future: u32,
    ) -> Result<u32, Failure> {
        let first = key + result + cache + clock + now + registry + policy + inner + this + args;
        Ok(first + f + e + r#type + r#async + unused + delegate + pipeline + value + error + future)
    }

    fn unnamed(&self, a: u32, b: u32) -> Result<u32, Failure> {
        Ok(10 * a + b)
    }

    fn delegate(&self) -> Result<u32, Failure> {
        Ok(1)
    }

    fn fallbacks(&self) -> Result<u32, Failure> {
        Err(Failure::Down)
    }

    fn fallbacks_fallback(&self) -> Result<u32, Failure> {
        Ok(2)
    }

    fn r#match(&self, r#fn: u32) -> Result<u32, Failure> {
        Ok(r#fn)
    }
}

#[test]
fn every_argument_arrives_whatever_its_name() {
    let names = NamesResilient::new(Sum, &still()).unwrap();
    let sum = names.all(
        1,
        2,
        4,
        8,
        16,
        32,
        64,
        128,
        256,
        512,
        1024,
        2048,
        4096,
        1 << 13,
        1 << 14,
        1 << 15,
        1 << 16,
        1 << 17,
        1 << 18,
        1 << 19,
    );
    assert_eq!(sum, Ok((1 << 20) - 1));
    assert_eq!(names.unnamed(3, 4), Ok(34));
    assert_eq!((names.delegate(), names.fallbacks(), names.r#match(9)), (Ok(1), Ok(2), Ok(9)));
}

struct Service {
    registry: Registry,
}

#[resilient(registry = self.registry)]
impl Service {
    #[rate_limiter]
    fn pair(&self, (a, b): (u8, u8)) -> Result<u8, Failure> {
        Ok(10 * a + b)
    }

    #[rate_limiter]
    fn partly(&self, #[cfg(any())] gone: NoSuchType, #[cfg(not(any()))] n: u32) -> Result<u32, Failure> {
        Ok(n)
    }

    #[retry]
    fn count(&self, mut n: u32) -> Result<u32, Failure> {
        n += 1;
        Ok(n)
    }
}

#[test]
fn patterns_of_inherent_methods_work() {
    let service = Service { registry: still() };
    assert_eq!((service.pair((3, 4)), service.count(4), service.partly(6)), (Ok(34), Ok(5), Ok(6)));
}

#[resilient(registry = registry)]
#[retry]
fn partly(registry: &Registry, #[cfg(any())] gone: NoSuchType) -> Result<usize, Failure> {
    Ok(registry.snapshot().retries().len())
}

#[test]
fn arguments_of_functions_may_be_there_only_sometimes() {
    assert_eq!(partly(&still()), Ok(1));
}
