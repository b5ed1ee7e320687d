use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

/// Polls `future` once, then drops it.
#[inline]
pub fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}
