//! Futures whose own error has a place for rejections: between what a method returns and what a pipeline knows. Without a
//! state of their own, as an `async` block would have.

use std::{
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;

use crate::{Error, Fallible};

pin_project! {
    /// Gives a pipeline a result, of a future that gives an `R`.
    pub(super) struct Inward<Fut> {
        #[pin]
        future: Fut,
    }
}

pin_project! {
    /// Gives an `R`, of what a pipeline gives.
    pub(super) struct Outward<R, Fut> {
        #[pin]
        future: Fut,
        gives: PhantomData<fn() -> R>,
    }
}

impl<Fut> Inward<Fut> {
    #[inline(always)]
    pub(super) fn new(future: Fut) -> Self {
        Self { future }
    }
}

impl<R, Fut> Outward<R, Fut> {
    #[inline(always)]
    pub(super) fn new(future: Fut) -> Self {
        Self { future, gives: PhantomData }
    }
}

impl<R: Fallible, Fut: Future<Output = R>> Future for Inward<Fut> {
    type Output = Result<R::Value, R::Error>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().future.poll(task).map(R::into_result)
    }
}

impl<R, Fut> Future for Outward<R, Fut>
where
    R: Fallible,
    Fut: Future<Output = Result<R::Value, Error<R::Error>>>,
{
    type Output = R;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<R> {
        // In two arms, in each of which the compiler knows which result it moves.
        match ready!(self.project().future.poll(task)) {
            Ok(value) => Poll::Ready(R::from_result(Ok(value))),
            Err(error) => Poll::Ready(R::from_result(Err(error))),
        }
    }
}
