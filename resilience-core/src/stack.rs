//! Policies nested in one another: `(Outer, (Inner, Call))`.
//!
//! A call takes the straight way ([`Stack::pass`], [`Stack::finish`]): nested calls that the compiler flattens, with
//! nothing stored but the permits. Whatever does not end there (a wait, a queue, a deadline, another attempt) goes on
//! as a resumable machine over [`Stack::State`], one step at a time, driven by a driver that does the waiting.

pub(crate) mod count;
mod pair;

use crate::{Cx, Layer, Nanos, Outcome, Rejection, at};

/// The innermost end of a stack: the call itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call;

/// Nested policies. Implemented for [`Call`] and for pairs `(policy, stack)`; sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stack of policies",
    note = "a stack is nested pairs that end with `Call`: `(outer, (inner, Call))`"
)]
pub trait Stack: Send + Sync + sealed::Sealed {
    /// The permits of a call that got in the straight way.
    #[doc(hidden)]
    type Held: Copy + Send + 'static;

    /// Where a call is.
    #[doc(hidden)]
    type State: Copy + Send + 'static;

    /// The place of the outermost policy.
    #[doc(hidden)]
    type Outermost: at::Place;

    /// Whether a policy of the stack has deadlines.
    #[doc(hidden)]
    const SETS_DEADLINE: bool;

    /// A call that is in no layer.
    #[doc(hidden)]
    const OUTSIDE: Self::State;

    /// The straight way in.
    #[doc(hidden)]
    fn pass(&self, cx: &mut Cx<'_>) -> Pass<Self::Held, Self::State>;

    /// The straight way out: settles the layers from the inside.
    #[doc(hidden)]
    fn finish(&self, held: Self::Held, outcome: &Outcome, cx: &mut Cx<'_>) -> Done<Self::State>;

    /// The earliest deadline of a call that got in the straight way.
    #[doc(hidden)]
    fn limit(&self, held: &Self::Held) -> Nanos;

    /// The state of a call that got in the straight way and is inside.
    #[doc(hidden)]
    fn thaw(held: Self::Held) -> Self::State;

    /// One step further in. Called when the moment that the last step named has come, or a queue's waker was woken.
    #[doc(hidden)]
    fn enter(&self, state: &mut Self::State, cx: &mut Cx<'_>) -> Step;

    /// The call, or its wait, has ended: settles the layers from the inside.
    #[doc(hidden)]
    fn exit(&self, state: &mut Self::State, end: &End, cx: &mut Cx<'_>) -> Exit;

    /// The deadline `at` has passed: cuts off all that is inside the outermost layer that set it.
    #[doc(hidden)]
    fn expire(&self, state: &mut Self::State, at: Nanos, cx: &mut Cx<'_>) -> Exit;

    /// The earliest deadline of the layers the call is in.
    #[doc(hidden)]
    fn deadline(&self, state: &Self::State) -> Nanos;

    /// The call was dropped.
    #[doc(hidden)]
    fn abandon(&self, state: Self::State);

    /// Tells the meters of all layers that a call ended like this.
    #[doc(hidden)]
    fn count(&self, outcome: &Outcome);

    /// What the builder checks: the layers with the ids and clocks of their policies, outermost first.
    #[doc(hidden)]
    fn visit(&self, visit: &mut dyn FnMut(Layer, &dyn Member));
}

/// A policy of a stack, as the builder sees it.
#[doc(hidden)]
pub trait Member {
    fn id(&self) -> crate::Id;
    fn clock(&self) -> Option<&crate::Clock>;
}

impl<P: crate::Policy> Member for P {
    fn id(&self) -> crate::Id {
        crate::Policy::id(self)
    }

    fn clock(&self) -> Option<&crate::Clock> {
        crate::Policy::clock(self)
    }
}

/// A stack in the documented order, as the compiler can tell.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stack of policies in the documented order",
    note = "a stack is nested pairs that end with `Call`: `(outer, (inner, Call))`",
    note = "the order, outermost first: Retry > CircuitBreaker > RateLimiter > Timeout > Bulkhead > the call"
)]
pub trait Ordered: Stack {}

/// A stack in which nothing tries again: the call may be a plain future or an `FnOnce`.
pub trait Once: Stack {}

mod sealed {
    pub trait Sealed {}
}

/// The end of the straight way in.
#[doc(hidden)]
#[derive(Debug)]
pub enum Pass<H, S> {
    In(H),
    Reject(Rejection),
    Stop(S, Step),
}

/// The end of the straight way out.
#[doc(hidden)]
#[derive(Debug)]
pub enum Done<S> {
    Return,
    Reject(Rejection),
    Again(S, Nanos),
}

/// What a call on its way in has to do next.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// It is in.
    In,
    /// Wait until this moment, then enter.
    At(Nanos),
    /// Enter again whenever woken, at the latest at this moment; at once if the queue was not asked yet.
    Queue { until: Nanos, asked: bool },
    /// It is out again.
    Reject(Rejection),
}

/// What ended a call or its wait.
#[doc(hidden)]
#[derive(Debug)]
pub enum End {
    /// The call itself did.
    Outcome(Outcome),
    /// The driver cuts it off with this rejection.
    Cut(Rejection),
    /// An interrupt did; the layer where it waits signs the rejection.
    Interrupted,
    /// Its wait has led past its own deadline, or would: this rejection.
    Overslept(Rejection),
}

impl End {
    /// Whether the call must not be tried again, whatever the layers say.
    fn is_final(&self) -> bool {
        !matches!(self, Self::Outcome(_))
    }
}

/// Where a call on its way out goes.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Exit {
    /// Out, with what the call returned.
    Return,
    /// Out, with this rejection.
    Reject(Rejection),
    /// Out, with a rejection that the next layer signs.
    Unsigned,
    /// In again, at this moment.
    Again(Nanos),
}

impl sealed::Sealed for Call {}
impl Ordered for Call {}
impl Once for Call {}

impl Stack for Call {
    type Held = ();
    type State = ();
    type Outermost = at::Call;
    const SETS_DEADLINE: bool = false;
    const OUTSIDE: () = ();

    #[inline(always)]
    fn pass(&self, _: &mut Cx<'_>) -> Pass<(), ()> {
        Pass::In(())
    }

    #[inline(always)]
    fn finish(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Done<()> {
        Done::Return
    }

    #[inline(always)]
    fn limit(&self, (): &()) -> Nanos {
        Nanos::NEVER
    }

    fn thaw((): ()) {}

    fn enter(&self, (): &mut (), _: &mut Cx<'_>) -> Step {
        Step::In
    }

    fn exit(&self, (): &mut (), end: &End, _: &mut Cx<'_>) -> Exit {
        match end {
            End::Outcome(_) => Exit::Return,
            End::Cut(rejection) => Exit::Reject(*rejection),
            End::Interrupted | End::Overslept(_) => Exit::Unsigned,
        }
    }

    fn expire(&self, (): &mut (), _: Nanos, _: &mut Cx<'_>) -> Exit {
        Exit::Unsigned
    }

    fn deadline(&self, (): &()) -> Nanos {
        Nanos::NEVER
    }

    fn abandon(&self, (): ()) {}

    #[inline(always)]
    fn count(&self, _: &Outcome) {}

    fn visit(&self, _: &mut dyn FnMut(Layer, &dyn Member)) {}
}
