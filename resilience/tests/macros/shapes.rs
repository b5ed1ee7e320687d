//! Signatures of every shape stay as they are.

use std::{borrow::Cow, collections::HashMap, fmt::Debug, pin::Pin};

use resilience::prelude::*;

use crate::{Failure, is_send, now, still};

/// Of every shape.
#[resilient]
pub trait Shapes {
    /// Two lifetimes.
    ///
    /// # Errors
    ///
    /// None.
    #[rate_limiter]
    fn shared<'a>(&'a self, key: &'a str, other: &str) -> Result<&'a str, Failure>;

    /// A closure.
    ///
    /// # Errors
    ///
    /// None.
    #[rate_limiter]
    fn each(&self, f: impl FnMut(&str)) -> Result<(), Failure>;

    /// A type with a hidden lifetime.
    ///
    /// # Errors
    ///
    /// None.
    #[retry]
    fn cow(&self, text: Cow<'_, str>) -> Result<usize, Failure>;

    /// Type parameters.
    ///
    /// # Errors
    ///
    /// None.
    #[bulkhead]
    fn generic<K, V>(&self, map: &HashMap<K, V>) -> Result<usize, Failure>
    where
        K: Debug,
        V: Clone;

    /// A type that only the caller knows.
    ///
    /// # Errors
    ///
    /// None.
    #[retry(delay = "0")]
    fn make<T: Default, const N: usize>(&self) -> Result<(T, [u8; N]), Failure>;

    /// A function of every lifetime.
    ///
    /// # Errors
    ///
    /// None.
    #[rate_limiter]
    fn higher(&self, f: for<'z> fn(&'z str) -> &'z str) -> Result<usize, Failure>;

    /// An iterator.
    ///
    /// # Errors
    ///
    /// None.
    #[rate_limiter]
    fn iterate(&self, up_to: u8) -> Result<impl Iterator<Item = u8>, Failure>;

    /// An iterator, and no policy.
    fn plain(&self) -> impl Iterator<Item = u8>;

    /// A future.
    #[timeout("1s")]
    fn future(&self, key: String) -> impl Future<Output = Result<usize, Failure>> + Send;

    /// A future of a call that is tried again.
    #[retry(delay = "0")]
    fn again(&self, key: String) -> impl Future<Output = Result<usize, Failure>> + Send;

    /// A future in a box.
    #[timeout("1s")]
    #[retry(delay = "0")]
    fn boxed<'a>(&'a self, key: &'a str) -> Pin<Box<dyn Future<Output = Result<usize, Failure>> + Send + 'a>>;

    /// A future that borrows nothing.
    #[timeout("1s")]
    fn free(&self, key: u8) -> Pin<Box<dyn Future<Output = Result<u8, Failure>> + Send>>;

    /// A future that borrows nothing and has no box.
    #[timeout("1s")]
    fn unboxed(&self, key: u8) -> impl Future<Output = Result<u8, Failure>> + Send + 'static;

    /// A future in a box, with its usual name.
    #[retry(delay = "0")]
    fn named(&self, key: u8) -> BoxFuture<'_, Result<u8, Failure>>;

    /// On purpose.
    ///
    /// # Errors
    ///
    /// None.
    #[deprecated = "on purpose"]
    #[must_use = "on purpose"]
    #[rate_limiter]
    fn old(&self) -> Result<u8, Failure>;

    /// Not there.
    ///
    /// # Errors
    ///
    /// None.
    #[cfg(any())]
    #[rate_limiter]
    fn gone(&self) -> Result<NoSuchType, Failure>;

    /// With an argument that is not there, and one that is.
    ///
    /// # Errors
    ///
    /// None.
    #[rate_limiter]
    fn partly(&self, #[cfg(any())] gone: NoSuchType, #[cfg(not(any()))] there: u8) -> Result<u8, Failure>;

    /// By mutable reference.
    ///
    /// # Errors
    ///
    /// None.
    #[rate_limiter]
    fn fill(&mut self, into: &mut Vec<u8>) -> Result<&mut u8, Failure>;

    /// By value.
    ///
    /// # Errors
    ///
    /// None.
    #[rate_limiter]
    fn end(self) -> Result<u8, Failure>
    where
        Self: Sized;

    /// In a box.
    ///
    /// # Errors
    ///
    /// None.
    #[rate_limiter]
    fn end_box(self: Box<Self>) -> Result<u8, Failure>;
}

/// As the crate `futures` has it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[derive(Clone)]
struct Impl(u8);

impl Shapes for Impl {
    fn shared<'a>(&'a self, key: &'a str, _: &str) -> Result<&'a str, Failure> {
        Ok(key)
    }

    fn each(&self, mut f: impl FnMut(&str)) -> Result<(), Failure> {
        f("a");
        Ok(())
    }

    fn cow(&self, text: Cow<'_, str>) -> Result<usize, Failure> {
        Ok(text.len())
    }

    fn generic<K, V>(&self, map: &HashMap<K, V>) -> Result<usize, Failure>
    where
        K: Debug,
        V: Clone,
    {
        Ok(map.len())
    }

    fn make<T: Default, const N: usize>(&self) -> Result<(T, [u8; N]), Failure> {
        Ok((T::default(), [self.0; N]))
    }

    fn higher(&self, f: for<'z> fn(&'z str) -> &'z str) -> Result<usize, Failure> {
        Ok(f("abc").len())
    }

    fn iterate(&self, up_to: u8) -> Result<impl Iterator<Item = u8>, Failure> {
        Ok(0..up_to)
    }

    fn plain(&self) -> impl Iterator<Item = u8> {
        0..self.0
    }

    async fn future(&self, key: String) -> Result<usize, Failure> {
        Ok(key.len())
    }

    async fn again(&self, key: String) -> Result<usize, Failure> {
        Ok(key.len())
    }

    fn boxed<'a>(&'a self, key: &'a str) -> Pin<Box<dyn Future<Output = Result<usize, Failure>> + Send + 'a>> {
        Box::pin(async move { Ok(key.len()) })
    }

    fn free(&self, key: u8) -> BoxFuture<'static, Result<u8, Failure>> {
        let own = self.0;
        Box::pin(async move { Ok(key + own) })
    }

    fn unboxed(&self, key: u8) -> impl Future<Output = Result<u8, Failure>> + Send + 'static {
        self.free(key)
    }

    fn named(&self, key: u8) -> BoxFuture<'_, Result<u8, Failure>> {
        self.free(key)
    }

    fn old(&self) -> Result<u8, Failure> {
        Ok(1)
    }

    fn partly(&self, there: u8) -> Result<u8, Failure> {
        Ok(there)
    }

    fn fill(&mut self, into: &mut Vec<u8>) -> Result<&mut u8, Failure> {
        into.push(1);
        Ok(&mut self.0)
    }

    fn end(self) -> Result<u8, Failure> {
        Ok(self.0)
    }

    fn end_box(self: Box<Self>) -> Result<u8, Failure> {
        Ok(self.0)
    }
}

#[test]
fn calls_of_every_shape_go_through() {
    let mut shapes = ShapesResilient::new(Impl(5), &still()).unwrap();
    assert_eq!(shapes.shared("k", "o"), Ok("k"));
    let mut seen = String::new();
    assert_eq!((shapes.each(|text| seen.push_str(text)), seen.as_str()), (Ok(()), "a"));
    assert_eq!(shapes.cow("abc".into()), Ok(3));
    assert_eq!(shapes.generic(&HashMap::from([(1, 2)])), Ok(1));
    assert_eq!(shapes.make::<u64, 2>(), Ok((0, [5, 5])));
    assert_eq!(shapes.higher(|text| &text[1..]), Ok(2));
    assert_eq!(shapes.iterate(3).unwrap().sum::<u8>(), 3);
    assert_eq!(shapes.plain().count(), 5);
    assert_eq!(now(is_send(shapes.future("abc".into()))), Ok(3));
    assert_eq!(now(is_send(shapes.again("abc".into()))), Ok(3));
    assert_eq!(now(is_send(shapes.boxed("abc"))), Ok(3));
    assert_eq!(now(is_send(shapes.named(1))), Ok(6));
    let free = {
        let gone = ShapesResilient::new(Impl(6), &still()).unwrap();
        (gone.free(1), gone.unboxed(2))
    };
    assert_eq!((now(free.0), now(free.1)), (Ok(7), Ok(8)));
    #[expect(deprecated, reason = "the attribute is still there")]
    let old = shapes.old();
    assert_eq!((old, shapes.partly(4)), (Ok(1), Ok(4)));
    let mut filled = Vec::new();
    *shapes.fill(&mut filled).unwrap() += 1;
    assert_eq!((filled, shapes.clone().end(), Box::new(shapes).end_box()), (vec![1], Ok(6), Ok(6)));
}
