use std::cell::Cell;

use tracing::{Span, field::Empty, span::Entered};

use crate::{Error, Id};

/// Whether calls have spans.
#[derive(Clone, Copy, Debug)]
pub struct Spans(bool);

impl Spans {
    pub(crate) const OFF: Self = Self(false);
    pub(crate) const ON: Self = Self(true);

    #[inline(always)]
    pub(crate) const fn is_on(self) -> bool {
        self.0
    }
}

/// The span of a call. In a box, so that the future of a call without one is no longer than it need be.
#[derive(Default)]
pub(crate) struct CallSpan(Option<Box<Open>>);

struct Open {
    span: Span,
    /// How often what the pipeline calls was called.
    attempts: Cell<u64>,
    outcome: Cell<&'static str>,
}

impl CallSpan {
    pub(crate) const NONE: Self = Self(None);

    /// Opens it, if it is not open yet and a subscriber wants it.
    pub(crate) fn or_open(self, id: Id) -> Self {
        if self.0.is_some() {
            return self;
        }
        let span = tracing::info_span!(
            target: "resilience",
            "resilience.call",
            id = id.as_str(),
            attempts = Empty,
            outcome = Empty,
            code = Empty,
        );
        let open = Open { span, attempts: Cell::new(0), outcome: Cell::new("dropped") };
        Self((!open.span.is_disabled()).then(|| Box::new(open)))
    }

    /// Current from here on, until what comes back is dropped.
    pub(crate) fn enter(&self) -> Option<Entered<'_>> {
        self.0.as_ref().map(|open| open.span.enter())
    }

    /// The call is tried, or tried again.
    #[inline(always)]
    pub(crate) fn attempt(&self) {
        if let Some(open) = &self.0 {
            open.attempts.set(open.attempts.get() + 1);
        }
    }

    /// The call has ended with this result.
    pub(crate) fn end<T, E>(self, result: &Result<T, Error<E>>) {
        if let Some(open) = &self.0 {
            open.outcome.set(match result {
                Ok(_) => "success",
                Err(Error::Failed(_)) => "failure",
                Err(Error::Rejected(rejection)) => {
                    open.span.record("code", rejection.code().as_str());
                    "rejected"
                }
            });
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let outcome = if std::thread::panicking() { "panicked" } else { self.outcome.get() };
        self.span.record("attempts", self.attempts.get()).record("outcome", outcome);
    }
}
