//! The value of last resort: outermost, once, after everything else failed.

use std::fmt;

use crate::{
    Clock, Error, Id, Kind, KindSet, Layer, Registry, Rejection,
    event::{Events, Fields, Payload},
};

/// What a pipeline does with the error that is left in the end. Made by the builder's `fallback` methods.
#[diagnostic::on_unimplemented(
    message = "the fallback of this pipeline does not make a `Result<{T}, {E}>`",
    note = "a fallback is a closure `|error: &Error<{E}>| -> Result<{T}, {E}>`; the call must return that same `Result`"
)]
pub trait Recover<T, E> {
    /// Gives a result in place of `error`, or hands it on.
    ///
    /// # Errors
    ///
    /// `error` itself if it is not taken, else the error of the fallback.
    fn recover(&self, id: Id, kind: Kind, error: Error<E>) -> Result<T, Error<E>>;
}

/// No fallback: the error is the caller's.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFallback;

impl<T, E> Recover<T, E> for NoFallback {
    #[inline(always)]
    fn recover(&self, _: Id, _: Kind, error: Error<E>) -> Result<T, Error<E>> {
        Err(error)
    }
}

/// Calls a function for errors of some kinds.
#[derive(Clone)]
pub struct Fallback<F> {
    kinds: KindSet,
    make: F,
    fallbacks: Fallbacks,
}

impl<F> Fallback<F> {
    pub(crate) fn new(kinds: KindSet, make: F, fallbacks: Fallbacks) -> Self {
        Self { kinds, make, fallbacks }
    }
}

/// How a fallback makes its result: a closure, or a [`CopyOf`] a value.
pub trait Make<T, E> {
    /// The result in place of `error`.
    ///
    /// # Errors
    ///
    /// The fallback's own, which is the caller's then.
    fn make(&self, error: &Error<E>) -> Result<T, E>;
}

impl<T, E, F: Fn(&Error<E>) -> Result<T, E>> Make<T, E> for F {
    fn make(&self, error: &Error<E>) -> Result<T, E> {
        self(error)
    }
}

/// Makes copies of one value.
#[derive(Clone, Copy, Debug)]
pub struct CopyOf<T>(pub(crate) T);

impl<T: Clone, E> Make<T, E> for CopyOf<T> {
    fn make(&self, _: &Error<E>) -> Result<T, E> {
        Ok(self.0.clone())
    }
}

impl<T, E, F: Make<T, E>> Recover<T, E> for Fallback<F> {
    fn recover(&self, id: Id, kind: Kind, error: Error<E>) -> Result<T, Error<E>> {
        if !self.kinds.contains(kind) {
            return Err(error);
        }
        let result = self.make.make(&error);
        self.fallbacks.tell(id, kind);
        result.map_err(Error::Failed)
    }
}

impl<F> fmt::Debug for Fallback<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fallback").field("kinds", &self.kinds).finish_non_exhaustive()
    }
}

/// Tells of fallbacks: of those of a pipeline, and of a wrapper's.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Fallbacks {
    events: Events,
    clock: Clock,
}

impl Fallbacks {
    /// On the bus of this registry.
    pub fn new(registry: &Registry) -> Self {
        Self { events: registry.events().clone(), clock: registry.clock().clone() }
    }

    /// The fallback of the method `id` is called in place of `error`, which is given back: a reference to it would keep it
    /// in memory where nothing failed, too.
    #[cold]
    pub fn applied<E>(&self, id: Id, error: Error<E>) -> Error<E> {
        self.tell(id, error.rejection().map_or(Kind::FAILED, Rejection::kind));
        error
    }

    fn tell(&self, id: Id, kind: Kind) {
        if self.events.is_heard() {
            self.events.publish(Layer::FALLBACK.name(), id, self.clock.now(), &FallbackApplied { kind });
        }
    }
}

/// A fallback was called in place of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FallbackApplied {
    /// The kind of the error.
    pub kind: Kind,
}

impl Payload for FallbackApplied {
    fn name(&self) -> &'static str {
        "applied"
    }

    fn fields(&self) -> Fields<'_> {
        vec![("reason", self.kind.into())]
    }
}

impl fmt::Display for FallbackApplied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "applied in place of {}", self.kind)
    }
}
