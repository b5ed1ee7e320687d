//! An impl of a type: policies of all its methods, and bodies of every shape.

use std::pin::Pin;

use resilience::prelude::*;

use crate::{Failure, is_send, now, still};

type Outcome = Result<u8, Failure>;
type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

struct Meter {
    registry: Registry,
}

#[resilient(registry = self.registry)]
#[rate_limiter(permits = 1, period = "1h")]
impl Meter {
    fn new(registry: &Registry) -> Result<Self, Failure> {
        let unused = registry.snapshot().rate_limiters().is_empty();
        if unused { Ok(Self { registry: registry.clone() }) } else { Err(Failure::Down) }
    }

    fn again(&self) -> Meter {
        Meter { registry: self.registry.clone() }
    }

    fn alias(&self) -> Outcome {
        Ok(1)
    }

    fn iterate(&self, up_to: u8) -> Result<impl Iterator<Item = u8>, Failure> {
        let none = self.registry.snapshot().rate_limiters().is_empty();
        if none { Err(Failure::Down) } else { Ok(0..up_to) }
    }

    async fn iterate_later(&self, up_to: u8) -> Result<impl Iterator<Item = u8>, Failure> {
        self.iterate(up_to)
    }

    fn boxed(&self, early: bool) -> BoxFuture<'_, Outcome> {
        if early {
            return Box::pin(async { Ok(1) });
        }
        Box::pin(async { self.alias() })
    }

    fn future(&self, n: u8) -> impl Future<Output = Outcome> + Send {
        async move { if n == 0 { Err(Failure::Down) } else { self.alias() } }
    }

    fn field(&mut self, _: &str) -> Result<&mut Registry, Failure> {
        let Self { registry } = self;
        Ok(registry)
    }

    fn mutable(&mut self, n: &mut u8) -> Outcome {
        *n += 1;
        self.alias()
    }
}

fn limited<T>(result: &Result<T, Failure>) -> bool {
    matches!(result, Err(Failure::Rejected(rejection)) if rejection.code() == Code::RateLimitExceeded)
}

#[test]
fn policies_of_a_type_apply_to_its_methods_that_can_fail() {
    let meter = Meter::new(&still()).unwrap();
    let limiters = || meter.registry.snapshot().rate_limiters().len();
    assert_eq!((meter.again().registry.snapshot().rate_limiters().len(), limiters()), (0, 0), "nothing to protect");
    assert_eq!(meter.alias(), Ok(1));
    assert!(limited(&meter.alias()), "a `Result` behind an alias");
    assert_eq!(limiters(), 1);
    let id = concat!(module_path!(), "::Meter#alias()");
    assert_eq!(meter.registry.rate_limiter(id).unwrap().config().permits, 1);
}

#[test]
fn bodies_of_every_shape_are_protected() {
    let mut meter = Meter::new(&still()).unwrap();
    assert_eq!(meter.iterate(3).unwrap().count(), 3);
    assert!(limited(&meter.iterate(3)));
    assert!(limited(&now(is_send(meter.iterate_later(3)))), "what it calls has had its permit");
    assert_eq!(now(meter.boxed(true)), Ok(1));
    assert!(limited(&now(meter.boxed(true))), "also where a body returns early");
    assert_eq!(now(is_send(meter.future(1))), Ok(1));
    assert!(limited(&now(meter.future(1))));
    assert!(meter.field("a").is_ok_and(|registry| registry.rate_limiter("none").is_err()));
    assert!(limited(&meter.field("b")));
    let mut n = 0;
    assert!(limited(&meter.mutable(&mut n)), "what it calls has had its permit");
    assert!(limited(&meter.mutable(&mut n)));
    assert_eq!(n, 1, "a call that is rejected does not run");
}

#[resilient(registry = registry)]
#[retry(max_attempts = 3, delay = "0")]
async fn count(registry: &Registry, calls: &mut Vec<String>, name: String) -> Result<usize, Failure> {
    assert!(registry.snapshot().rate_limiters().is_empty());
    calls.push(name);
    if calls.len() < 3 {
        return Err(Failure::Down);
    }
    Ok(calls.len())
}

#[test]
fn a_mutable_argument_goes_from_attempt_to_attempt() {
    let mut calls = Vec::new();
    assert_eq!(now(is_send(count(&still(), &mut calls, "call".to_owned()))), Ok(3));
    assert_eq!(calls, ["call"; 3]);
}
