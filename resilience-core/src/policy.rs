//! What a policy is: a state machine without I/O. It is asked "may this call go on?" and told "this is how it
//! ended"; everything that waits lives in the drivers.

mod blanket;

use crate::{Cx, Id, Layer, Nanos, Outcome, Rejection, at::Place, meter::Meter};

/// A resilience policy. It never sleeps, never spawns and never touches a runtime.
///
/// For every call: [`admit`](Policy::admit), then exactly one of [`settle`](Policy::settle) and
/// [`abandon`](Policy::abandon) for each permit that was handed out.
///
/// A policy that rejects every third call:
///
/// ```
/// use resilience_core::{at, Admission, Code, Cx, Id, Kind, Outcome, Policy, Rejection, Verdict};
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// #[derive(Debug, Default)]
/// struct EveryThird(AtomicU64);
///
/// impl Policy for EveryThird {
///     type At = at::Inside<at::RateLimiter>;
///     type Permit = ();
///
///     fn id(&self) -> Id {
///         Id::new("every-third")
///     }
///
///     fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
///         if self.0.fetch_add(1, Ordering::Relaxed) % 3 == 2 {
///             return Admission::Reject(Rejection::new(
///                 Code::CallNotPermitted, Kind::CALL_NOT_PERMITTED, self.id(), Self::LAYER,
///             ));
///         }
///         Admission::Go(())
///     }
///
///     fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
///         Verdict::Return
///     }
/// }
/// ```
pub trait Policy: Send + Sync {
    /// Where it sits in the documented order, as a type.
    type At: Place;

    /// What a call holds while it is inside: plain words. For speed neither a `bool` nor an enum with data; the
    /// padding copies cost more than the rest of a policy.
    type Permit: Copy + Send + 'static;

    /// Where it sits in the documented order, as a number.
    const LAYER: Layer = <Self::At as Place>::LAYER;

    /// Whether it has deadlines: only then it is asked for its [`deadline`](Policy::deadline). A stack without any
    /// keeps no time for [`remaining`](crate::remaining).
    const SETS_DEADLINE: bool = false;

    /// Who signs what this policy rejects.
    fn id(&self) -> Id;

    /// May this call go on?
    fn admit(&self, cx: &mut Cx<'_>) -> Admission<Self::Permit>;

    /// This is how what is inside ended. Takes the permit back, unless the verdict hands it out again. After
    /// [`Verdict::Again`], a rejection that the policy itself signs ended its wait: what it waited for never began.
    fn settle(&self, permit: Self::Permit, outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<Self::Permit>;

    /// The call is gone before it ended: dropped, or cut off further out. Takes the permit back. Runs in destructors:
    /// must not panic, and gets no clock.
    fn abandon(&self, permit: Self::Permit, was: Was) {
        _ = (permit, was);
    }

    /// A wait in this policy was interrupted, and the call is rejected in its name. The permit is taken back by now; left
    /// is to tell of it, if rejections are told of.
    fn interrupted(&self, rejection: &Rejection, cx: &mut Cx<'_>) {
        _ = (rejection, cx);
    }

    /// When what is inside must have ended. Once that has passed, `settle` is told [`Outcome::Expired`]. Asked only
    /// of a policy that says [`SETS_DEADLINE`](Policy::SETS_DEADLINE).
    #[inline]
    fn deadline(&self, permit: &Self::Permit) -> Nanos {
        _ = permit;
        Nanos::NEVER
    }

    /// Is it this queued call's turn? Asked right after `admit` said [`Admission::Queue`], whenever the waker was
    /// woken (given again with each question), and when the time is up, in which case it must not answer `Wait`.
    fn poll_queued(&self, permit: &mut Self::Permit, cx: &mut Cx<'_>) -> Queued {
        _ = (permit, cx);
        Queued::Go
    }

    /// Where the stack counts how this policy's calls end, for metrics: each call that reaches it once. By default nowhere.
    #[inline(always)]
    fn meter(&self) -> Option<&Meter> {
        None
    }

    /// The clock on which the policy keeps its state, if it has one: it must be that of the pipeline.
    fn clock(&self) -> Option<&crate::Clock> {
        None
    }
}

/// A policy that never says [`Verdict::Again`]: around it, a call may be a plain future or an `FnOnce`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can run a call more than once",
    note = "give `execute` or `execute_async` a closure that can be called again",
    note = "a policy that never says `Verdict::Again` states so by implementing `SinglePass`"
)]
pub trait SinglePass: Policy {}

/// The answer to "may this call go on?".
#[derive(Clone, Copy, Debug)]
#[must_use]
pub enum Admission<P> {
    /// Now.
    Go(P),
    /// At this moment, which is reserved for it.
    GoAt(P, Nanos),
    /// When [`Policy::poll_queued`] says so, at the latest at this moment.
    Queue(P, Nanos),
    /// No. Nothing was taken.
    Reject(Rejection),
}

/// What is to be done with an outcome.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub enum Verdict<P> {
    /// Hand it further out as it is.
    Return,
    /// Try again what is inside, at this moment.
    Again(P, Nanos),
    /// Hand out this rejection instead.
    Reject(Rejection),
}

/// The answer to a queued call.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub enum Queued {
    /// It is your turn.
    Go,
    /// Not yet; at the latest at this moment.
    Wait(Nanos),
    /// No. The permit is taken back.
    Reject(Rejection),
}

/// Where an abandoned call was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Was {
    /// Waiting for the moment that was reserved for it; it never got in.
    Waiting,
    /// Queued; it never got in.
    Queued,
    /// Inside.
    Inside,
}
