use std::{fmt, time::Duration};

use crate::{Kind, Nanos, Rejection};

/// How what is inside a layer ended, as the layer is told. (A call that was dropped is told through
/// [`Policy::abandon`](crate::Policy::abandon).)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It worked.
    Success,
    /// It ran and failed; a panic is the kind [`Kind::PANICKED`].
    Failure(Failure),
    /// It ended in a way that says nothing about the health of what was called.
    Ignored,
    /// A layer further in did not let it through, or cut it short.
    Rejected(Rejection),
    /// The deadline that this very layer set has passed, and what was inside is gone.
    Expired,
}

impl Outcome {
    /// What a layer is told of a panic inside.
    pub const PANICKED: Self = Self::Failure(Failure::new(Kind::PANICKED));

    /// The kind of a failure or a rejection.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Self::Success | Self::Ignored => None,
            Self::Failure(failure) => Some(failure.kind()),
            Self::Rejected(rejection) => Some(rejection.kind()),
            Self::Expired => Some(Kind::TIMED_OUT),
        }
    }
}

/// What a policy needs to know of a failure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// The kind, and whether another attempt makes no sense: one word, for the reason that rejections are made of words.
    what: u64,
    /// `NEVER`: not known.
    retry_after: Nanos,
}

const NEVER_RETRY: u64 = 1 << 8;

impl Failure {
    /// A failure of this kind, which may be tried again.
    #[inline]
    pub const fn new(kind: Kind) -> Self {
        Self { what: kind.number() as u64, retry_after: Nanos::NEVER }
    }

    /// The kind.
    #[inline]
    pub const fn kind(&self) -> Kind {
        Kind::of(self.what as u8)
    }

    /// Whether another attempt makes sense.
    #[inline]
    pub const fn is_retryable(&self) -> bool {
        self.what & NEVER_RETRY == 0
    }

    /// When whoever failed wants to be asked again.
    pub fn retry_after(&self) -> Option<Duration> {
        (!self.retry_after.is_never()).then(|| self.retry_after.into())
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("kind", &self.kind())
            .field("retryable", &self.is_retryable())
            .field("retry_after", &self.retry_after())
            .finish()
    }
}

/// A classifier's answer: what the result of a call means for the policies. The result itself, `Ok` or `Err`, reaches the
/// caller as it is, whatever the answer, if no fallback takes it.
///
/// | policy | [`Success`](Class::Success) | [`Failure`](Class::Failure) | [`Ignored`](Class::Ignored) |
/// | --- | --- | --- | --- |
/// | fallback | hands it on | makes another result of an `Err`, if it takes the kind; hands an `Ok` on | hands it on |
/// | retry | ends | tries again, if its lists take the kind; not if it is [`never_retry`](Class::never_retry), and not before [`retry_after`](Class::retry_after) | ends |
/// | circuit breaker | counts a success | counts a failure, if its lists take the kind | counts nothing; a probe gives its place back |
/// | rate limiter | the permit is spent | the permit is spent | the permit is spent |
/// | timeout | goes by the time alone | goes by the time alone | goes by the time alone |
/// | bulkhead | takes the slot back | takes the slot back | takes the slot back |
///
/// ```
/// use resilience_core::{Class, Kind};
/// use std::time::Duration;
///
/// let busy = Class::failure(Kind::FAILED).retry_after(Duration::from_secs(1));
/// let refused = Class::failure(Kind::FAILED).never_retry();
/// # drop((busy, refused));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Class {
    /// It worked.
    Success,
    /// It failed. An `Ok` can be a failure too, an HTTP 503 for example.
    Failure(Failure),
    /// It says nothing about the health of what was called.
    Ignored,
}

impl Class {
    /// A failure of this kind.
    pub const fn failure(kind: Kind) -> Self {
        Self::Failure(Failure::new(kind))
    }

    /// Says that another attempt makes no sense. Changes nothing but failures.
    pub const fn never_retry(mut self) -> Self {
        if let Self::Failure(failure) = &mut self {
            failure.what |= NEVER_RETRY;
        }
        self
    }

    /// Says when whoever failed wants to be asked again; more than a clock can show is as much as it can. Changes nothing
    /// but failures.
    pub const fn retry_after(mut self, duration: Duration) -> Self {
        if let Self::Failure(failure) = &mut self {
            failure.retry_after = Nanos::ZERO.after(duration).clamp_to_clock();
        }
        self
    }
}

impl From<Class> for Outcome {
    #[inline]
    fn from(class: Class) -> Self {
        match class {
            Class::Success => Self::Success,
            Class::Failure(failure) => Self::Failure(failure),
            Class::Ignored => Self::Ignored,
        }
    }
}

/// Tells what a result means for the policies. Closures `Fn(&Result<T, E>) -> Class` are classifiers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not classify `Result<{T}, {E}>`",
    note = "a classifier is a closure `|result: &Result<{T}, {E}>| -> Class`; the call must return that same `Result`"
)]
pub trait Classify<T, E> {
    /// What `result` means.
    fn classify(&self, result: &Result<T, E>) -> Class;
}

impl<T, E, F: Fn(&Result<T, E>) -> Class> Classify<T, E> for F {
    #[inline]
    fn classify(&self, result: &Result<T, E>) -> Class {
        self(result)
    }
}

/// The default classifier: `Ok` is a success, `Err` a failure of the kind [`Kind::FAILED`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ByResult;

impl<T, E> Classify<T, E> for ByResult {
    #[inline]
    fn classify(&self, result: &Result<T, E>) -> Class {
        match result {
            Ok(_) => Class::Success,
            Err(_) => Class::failure(Kind::FAILED),
        }
    }
}
