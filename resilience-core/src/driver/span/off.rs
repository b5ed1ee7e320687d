#![expect(clippy::unused_self, reason = "with the feature `tracing` there is something to do")]

use crate::{Error, Id};

/// Whether calls have spans.
#[derive(Clone, Copy, Debug)]
pub struct Spans;

impl Spans {
    pub(crate) const OFF: Self = Self;

    #[inline(always)]
    pub(crate) const fn is_on(self) -> bool {
        false
    }
}

/// The span of a call.
#[derive(Default)]
pub(crate) struct CallSpan;

/// The time in which it is current.
pub(crate) struct Entered;

impl CallSpan {
    pub(crate) const NONE: Self = Self;

    pub(crate) fn or_open(self, _: Id) -> Self {
        self
    }

    pub(crate) fn enter(&self) -> Entered {
        Entered
    }

    #[inline(always)]
    pub(crate) fn attempt(&self) {}

    pub(crate) fn end<T, E>(self, _: &Result<T, Error<E>>) {}
}
