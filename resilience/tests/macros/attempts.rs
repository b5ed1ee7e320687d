//! What happens when a call is made once more.

use std::cell::Cell;

use resilience::prelude::*;

use crate::{Failure, is_send, now, still};

/// Counts its copies.
#[derive(Default)]
struct Counted<'a>(Option<&'a Cell<u32>>);

impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        if let Some(copies) = self.0 {
            copies.set(copies.get() + 1);
        }
        Self(self.0)
    }
}

#[resilient]
trait Attempts {
    #[retry(max_attempts = 3, delay = "0")]
    fn count(&mut self) -> Result<u32, Failure>;

    #[retry(max_attempts = 3, delay = "0")]
    async fn count_later(&mut self, into: &mut Vec<u32>, text: String) -> Result<u32, Failure>;

    #[rate_limiter]
    fn once(&self, counted: Counted<'_>) -> Result<(), Failure>;

    #[retry(max_attempts = 3, delay = "0")]
    fn often(&self, counted: Counted<'_>) -> Result<(), Failure>;

    #[retry(max_attempts = 2, delay = "0")]
    #[fallback(method = "other")]
    async fn recover(&self, key: String) -> Result<String, Failure>;

    async fn other(&self, key: String, error: &Failure) -> Result<String, Failure>;
}

#[derive(Default)]
struct Third {
    calls: u32,
}

impl Attempts for Third {
    fn count(&mut self) -> Result<u32, Failure> {
        self.calls += 1;
        if self.calls < 3 { Err(Failure::Down) } else { Ok(self.calls) }
    }

    async fn count_later(&mut self, into: &mut Vec<u32>, text: String) -> Result<u32, Failure> {
        assert_eq!(text, "text");
        into.push(self.calls);
        self.count()
    }

    fn once(&self, _: Counted<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn often(&self, _: Counted<'_>) -> Result<(), Failure> {
        Err(Failure::Down)
    }

    async fn recover(&self, _: String) -> Result<String, Failure> {
        Err(Failure::Down)
    }

    async fn other(&self, key: String, error: &Failure) -> Result<String, Failure> {
        Ok(format!("{key} {error:?}"))
    }
}

#[test]
fn three_attempts_see_the_same_object() {
    let mut third = AttemptsResilient::new(Third::default(), &still()).unwrap();
    assert_eq!(third.count(), Ok(3));
}

#[test]
fn three_futures_see_the_same_object_one_after_the_other() {
    let mut third = AttemptsResilient::new(Third::default(), &still()).unwrap();
    let mut seen = Vec::new();
    assert_eq!(now(is_send(third.count_later(&mut seen, "text".to_owned()))), Ok(3));
    assert_eq!(seen, [0, 1, 2]);
}

#[test]
fn arguments_are_copied_for_attempts_and_only_for_them() {
    let third = AttemptsResilient::new(Third::default(), &still()).unwrap();
    let copies = Cell::new(0);
    assert_eq!((third.once(Counted(Some(&copies))), copies.get()), (Ok(()), 0));
    assert_eq!((third.often(Counted(Some(&copies))), copies.get()), (Err(Failure::Down), 3));
}

#[test]
fn a_fallback_gets_the_arguments_and_the_error() {
    let third = AttemptsResilient::new(Third::default(), &still()).unwrap();
    assert_eq!(now(third.recover("key".to_owned())).unwrap(), "key Down");
}

#[resilient]
trait Eager {
    #[rate_limiter(permits = 1, period = "1h")]
    fn alone(&self) -> impl Future<Output = Result<u8, Failure>>;

    #[rate_limiter(permits = 1, period = "1h")]
    #[retry(max_attempts = 1)]
    fn tried(&self) -> impl Future<Output = Result<u8, Failure>>;
}

/// Does something before there is a future.
struct Begun(Cell<u8>);

impl Begun {
    fn begin(&self) -> std::future::Ready<Result<u8, Failure>> {
        self.0.set(self.0.get() + 1);
        std::future::ready(Ok(self.0.get()))
    }
}

impl Eager for &Begun {
    fn alone(&self) -> impl Future<Output = Result<u8, Failure>> {
        self.begin()
    }

    fn tried(&self) -> impl Future<Output = Result<u8, Failure>> {
        self.begin()
    }
}

#[test]
fn what_a_method_does_before_its_future_waits_for_the_policies_only_with_a_retry() {
    let begun = Begun(Cell::new(0));
    let eager = EagerResilient::new(&begun, &still()).unwrap();
    assert!(now(eager.alone()).is_ok() && now(eager.alone()).is_err());
    assert_eq!(begun.0.replace(0), 2);
    assert!(now(eager.tried()).is_ok() && now(eager.tried()).is_err());
    assert_eq!(begun.0.get(), 1);
}
