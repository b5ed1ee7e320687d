use std::{convert::Infallible, marker::PhantomData};

use crate::{
    Error, Fallible, Pipeline, Rejection,
    stack::{Once, Stack},
};

/// What a method returns, where the macro cannot know whether it is a `Result`: types tell, for they see through every
/// alias. A method is looked up on `&Returns<R>`, where that of [`OfResult`] comes before that of [`OfValue`].
#[derive(Debug)]
pub struct Returns<R>(PhantomData<fn() -> R>);

impl<R> Returns<R> {
    /// For methods that return an `R`.
    #[expect(clippy::new_without_default, reason = "only written by the macro")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// It is a `Result`.
pub trait OfResult {
    /// The value of a `Result`.
    type Value;
    /// The error of a `Result`.
    type Error;

    /// As a `Result`.
    ///
    /// # Errors
    ///
    /// If it is one.
    fn split(&self, returned: Result<Self::Value, Self::Error>) -> Result<Self::Value, Self::Error> {
        returned
    }

    /// What is returned of a value.
    fn join(&self, value: Self::Value) -> Result<Self::Value, Self::Error> {
        Ok(value)
    }

    /// What a fallback is told.
    fn error(&self, error: Error<Self::Error>) -> Self::Error
    where
        Result<Self::Value, Self::Error>: Fallible<Error = Self::Error, Value = Self::Value>,
    {
        super::told::<Result<Self::Value, Self::Error>>(error)
    }

    /// The pipeline it goes through.
    #[inline(always)]
    fn pipeline<P>(&self, make: impl FnOnce() -> P) -> P {
        make()
    }

    /// As [`Pipeline::call`].
    #[inline(always)]
    fn call<S: Stack, R: Fallible>(&self, pipeline: &Pipeline<S>, call: impl FnMut() -> R) -> R {
        pipeline.call(call)
    }

    /// As [`Pipeline::call_once`].
    #[inline(always)]
    fn call_once<S: Once, R: Fallible>(&self, pipeline: &Pipeline<S>, call: impl FnOnce() -> R) -> R {
        pipeline.call_once(call)
    }

    /// As [`Pipeline::call_async`].
    #[inline(always)]
    fn call_async<S: Stack, R: Fallible, Fut: Future<Output = R>>(
        &self,
        pipeline: &Pipeline<S>,
        call: impl FnMut() -> Fut,
    ) -> impl Future<Output = R> {
        pipeline.call_async(call)
    }

    /// As [`Pipeline::call_future`].
    #[inline(always)]
    fn call_future<S: Once, R: Fallible, Fut: Future<Output = R>>(
        &self,
        pipeline: &Pipeline<S>,
        future: Fut,
    ) -> impl Future<Output = R> {
        pipeline.call_future(future)
    }
}

impl<T, E> OfResult for Returns<Result<T, E>> {
    type Value = T;
    type Error = E;
}

/// It is anything else.
pub trait OfValue {
    /// What is returned.
    type Returned;

    /// As a `Result`.
    ///
    /// # Errors
    ///
    /// Never.
    fn split(&self, returned: Self::Returned) -> Result<Self::Returned, Infallible> {
        Ok(returned)
    }

    /// What is returned of a value.
    fn join(&self, value: Self::Returned) -> Self::Returned {
        value
    }

    /// What a fallback is told.
    fn error(&self, error: Error<Infallible>) -> Rejection {
        match error {
            Error::Rejected(rejection) => rejection,
            Error::Failed(never) => match never {},
        }
    }

    /// It goes through none.
    fn pipeline<P>(&self, _: impl FnOnce() -> P) {}

    /// Only makes the call.
    fn call<P, R>(&self, _: &P, mut call: impl FnMut() -> R) -> R {
        call()
    }

    /// Only makes the call.
    fn call_once<P, R>(&self, _: &P, call: impl FnOnce() -> R) -> R {
        call()
    }

    /// Only makes the call.
    fn call_async<P, Fut: Future>(&self, _: &P, mut call: impl FnMut() -> Fut) -> Fut {
        call()
    }

    /// Only makes the call.
    fn call_future<P, Fut: Future>(&self, _: &P, future: Fut) -> Fut {
        future
    }
}

impl<R> OfValue for &Returns<R> {
    type Returned = R;
}
