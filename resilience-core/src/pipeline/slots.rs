//! The builder's list of places as a type: `(Slot<at::Retry, X>, (Slot<at::CircuitBreaker, Y>, ..))`, where a part
//! finds its own place whatever the order of the calls. Which step finds it, the compiler infers ([`Here`],
//! [`There`]); a place that is taken has none, which is a compile error.

use std::{fmt, marker::PhantomData};

use super::Part;
use crate::{
    Id, Registry, RegistryError,
    at::{self, Inside},
    stack::{Call, Stack},
};

/// One place of a pipeline that is being built.
pub struct Slot<At, P>(P, PhantomData<At>);

/// Nothing, so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vacant;

/// The places of a pipeline without policies: those of the documented order, and one right inside each.
pub type Empty = Places<
    at::Retry,
    Places<at::CircuitBreaker, Places<at::RateLimiter, Places<at::Timeout, Places<at::Bulkhead, Call>>>>,
>;

/// A place, the one right inside it, and those further in.
type Places<At, Rest> = (Slot<At, Vacant>, (Slot<Inside<At>, Vacant>, Rest));

/// The place is this one.
#[derive(Debug)]
pub struct Here;

/// The place is further in.
#[derive(Debug)]
pub struct There<I>(PhantomData<I>);

/// Puts a part in its place.
#[diagnostic::on_unimplemented(
    message = "the pipeline has no free place for this policy: there is one at `{At}` already",
    label = "added twice",
    note = "each policy stands once in a pipeline; for two of a kind, call one pipeline inside another"
)]
pub trait Insert<P, At, I> {
    /// The list with the part in it.
    type Out;

    /// Puts the part in its place.
    fn insert(self, part: P) -> Self::Out;
}

impl<P, At, Rest> Insert<P, At, Here> for (Slot<At, Vacant>, Rest) {
    type Out = (Slot<At, P>, Rest);

    fn insert(self, part: P) -> Self::Out {
        (Slot(part, PhantomData), self.1)
    }
}

#[diagnostic::do_not_recommend]
impl<P, At, I, Head, Rest> Insert<P, At, There<I>> for (Head, Rest)
where
    Rest: Insert<P, At, I>,
{
    type Out = (Head, Rest::Out);

    fn insert(self, part: P) -> Self::Out {
        (self.0, self.1.insert(part))
    }
}

/// Turns the list into a stack; the places nothing was put in are left out.
pub trait Seal {
    /// The stack.
    type Stack: Stack;

    /// Hands all that is wrong with any part to `report`, which can end the search. Creates nothing.
    ///
    /// # Errors
    ///
    /// The error that `report` gave.
    fn check(
        &self,
        registry: &Registry,
        id: Id,
        report: &mut dyn FnMut(RegistryError) -> Result<(), RegistryError>,
    ) -> Result<(), RegistryError>;

    /// The stack, with instances created where there are none.
    ///
    /// # Errors
    ///
    /// The first error of a part.
    fn seal(self, registry: &Registry, id: Id) -> Result<Self::Stack, RegistryError>;
}

type Report<'a> = &'a mut dyn FnMut(RegistryError) -> Result<(), RegistryError>;

impl Seal for Call {
    type Stack = Call;

    fn check(&self, _: &Registry, _: Id, _: Report<'_>) -> Result<(), RegistryError> {
        Ok(())
    }

    fn seal(self, _: &Registry, _: Id) -> Result<Call, RegistryError> {
        Ok(self)
    }
}

impl<At, Rest: Seal> Seal for (Slot<At, Vacant>, Rest) {
    type Stack = Rest::Stack;

    fn check(&self, registry: &Registry, id: Id, report: Report<'_>) -> Result<(), RegistryError> {
        self.1.check(registry, id, report)
    }

    fn seal(self, registry: &Registry, id: Id) -> Result<Self::Stack, RegistryError> {
        self.1.seal(registry, id)
    }
}

impl<At, P: Part, Rest: Seal> Seal for (Slot<At, P>, Rest) {
    type Stack = (P::Policy, Rest::Stack);

    fn check(&self, registry: &Registry, id: Id, report: Report<'_>) -> Result<(), RegistryError> {
        if let Err(error) = self.0.0.check(registry, id) {
            report(error)?;
        }
        self.1.check(registry, id, report)
    }

    fn seal(self, registry: &Registry, id: Id) -> Result<Self::Stack, RegistryError> {
        Ok((self.0.0.make(registry, id)?, self.1.seal(registry, id)?))
    }
}

impl<At> Default for Slot<At, Vacant> {
    fn default() -> Self {
        Self(Vacant, PhantomData)
    }
}

impl<At, P> fmt::Debug for Slot<At, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slot")
    }
}
