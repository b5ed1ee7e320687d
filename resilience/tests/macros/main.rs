//! Traits, impls and functions behind policies.

#![deny(warnings, missing_docs, clippy::pedantic)]
#![expect(unreachable_pub, reason = "as a library has it, so that missing documentation would be told")]
#![forbid(unsafe_code)]

mod attempts;
mod bare;
mod by_example;
mod by_type;
mod inherent;
mod layers;
mod local;
mod matrix;
mod names;
mod seed;
mod shapes;
mod traits;
mod ui;

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

use resilience::prelude::*;

/// An error with a place for rejections.
#[derive(Clone, Debug, PartialEq, FromRejection)]
pub enum Failure {
    /// By a policy.
    Rejected(Rejection),
    /// By the call.
    Down,
}

fn registry(clock: &ManualClock) -> Registry {
    Registry::builder().clock(clock).build()
}

fn still() -> Registry {
    registry(&ManualClock::new())
}

/// The result of a future that does not wait.
fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it does not wait"),
    }
}

fn is_send<T: Send>(value: T) -> T {
    value
}
