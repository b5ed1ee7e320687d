use std::{
    convert::Infallible,
    fmt,
    future::{Ready, ready},
    pin::Pin,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;
use resilience_core::{CallOptions, Error, Execute, Rejection, Solo};

use crate::RateLimiter;

type Nothing = Ready<Result<(), Infallible>>;

pin_project! {
    /// Waits for permits: made by [`RateLimiter::acquire_async`]. Dropping it before it is ready gives them back.
    #[must_use = "futures do nothing unless polled"]
    pub struct Acquire<'a> {
        #[pin]
        wait: Execute<Solo<'a, &'a RateLimiter>, fn() -> Nothing, Nothing>,
    }
}

impl<'a> Acquire<'a> {
    pub(crate) fn new(solo: Solo<'a, &'a RateLimiter>, options: CallOptions) -> Self {
        Self { wait: solo.execute_async(options, (|| ready(Ok(()))) as fn() -> Nothing) }
    }
}

impl Future for Acquire<'_> {
    type Output = Result<(), Rejection>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().wait.poll(cx).map_err(rejection)
    }
}

/// The error of a call that cannot fail.
pub(crate) fn rejection(error: Error<Infallible>) -> Rejection {
    match error {
        Error::Rejected(rejection) => rejection,
        Error::Failed(never) => match never {},
    }
}

impl fmt::Debug for Acquire<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wait.fmt(f)
    }
}
