//! What the code that `#[resilient]` writes is made of, beside the public types. No part of the stable interface.

mod lent;
mod returns;

use crate::{Error, Fallible};

pub use crate::fallback::Fallbacks;
pub use lent::{Lent, Loan};
pub use returns::{OfResult, OfValue, Returns};

/// An argument that is needed more than once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is an argument by value of a method with a retry or a fallback, and cannot be cloned \
               (R4C-MAC-001)",
    note = "each attempt and the fallback get the argument anew: implement `Clone`, or take the argument by reference"
)]
pub trait Repeatable {
    /// A copy for one more use.
    #[must_use]
    fn again(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> Repeatable for T {
    #[inline(always)]
    fn again(&self) -> Self {
        self.clone()
    }
}

/// The body of a function, which may give away what it took.
#[inline(always)]
pub fn once<R>(body: impl FnOnce() -> R) -> R {
    body()
}

/// What the fallback of a method that returns an `R` is told.
pub fn told<R: Fallible>(error: Error<R::Error>) -> R::Error {
    match R::from_result(Err(error)).into_result() {
        Ok(_) => unreachable!("an error stays one"),
        Err(error) => error,
    }
}
