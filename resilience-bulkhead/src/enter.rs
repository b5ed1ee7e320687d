//! Slots without a call: a wait through the drivers of core that ends with the slot held.

use std::{
    convert::Infallible,
    fmt,
    future::{Ready, ready},
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use resilience_core::{
    Admission, CallOptions, Clock, Cx, Error, Execute, Id, Outcome, Policy, Queued, Rejection, Solo, Verdict, Was, at,
};

use crate::{
    Bulkhead, Permit,
    semaphore::{HELD, NONE},
};

type Nothing = Ready<Result<(), Infallible>>;

pin_project! {
    /// Waits for a slot: made by [`Bulkhead::enter_async`]. Dropping it before it is ready leaves the line.
    ///
    /// # Panics
    ///
    /// When polled again after it has completed.
    #[must_use = "futures do nothing unless polled"]
    pub struct Enter<'a> {
        bulkhead: &'a Bulkhead,
        #[pin]
        wait: Execute<Solo<'a, Entering<'a>>, fn() -> Nothing, Nothing>,
    }
}

impl<'a> Enter<'a> {
    pub(crate) fn new(bulkhead: &'a Bulkhead, options: CallOptions) -> Self {
        let solo = Solo::new(Entering(bulkhead), bulkhead.clock());
        Self { bulkhead, wait: solo.execute_async(options, (|| ready(Ok(()))) as fn() -> Nothing) }
    }
}

impl<'a> Future for Enter<'a> {
    type Output = Result<Permit<'a>, Rejection>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let result = ready!(this.wait.poll(cx));
        Poll::Ready(permit(this.bulkhead, result))
    }
}

impl fmt::Debug for Enter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Enter").field(&self.bulkhead.id()).finish()
    }
}

/// Waits on this thread.
pub(crate) fn on_this_thread(bulkhead: &Bulkhead, options: CallOptions) -> Result<Permit<'_>, Rejection> {
    let solo = Solo::new(Entering(bulkhead), bulkhead.clock());
    permit(bulkhead, solo.execute(options, || Ok(())))
}

/// The permit that [`Entering`] left behind.
fn permit(bulkhead: &Bulkhead, result: Result<(), Error<Infallible>>) -> Result<Permit<'_>, Rejection> {
    let permit = match result {
        Ok(()) => HELD,
        Err(Error::Rejected(rejection)) if rejection == no_slot_needed(bulkhead) => NONE,
        Err(Error::Rejected(rejection)) => {
            bulkhead.meter.rejected(rejection.code());
            return Err(rejection);
        }
        Err(Error::Failed(never)) => match never {},
    };
    bulkhead.meter.succeeded();
    Ok(Permit::new(bulkhead, permit))
}

/// How [`Entering`] tells that the bulkhead is switched off. No rejection of a bulkhead itself is late.
fn no_slot_needed(bulkhead: &Bulkhead) -> Rejection {
    bulkhead.rejection().with_late()
}

/// A bulkhead that leaves the slot to the permit when the way in has ended well. So that every permit is of a slot, it
/// lets nobody in who needs none.
#[derive(Clone, Copy)]
struct Entering<'a>(&'a Bulkhead);

impl Policy for Entering<'_> {
    type At = at::Bulkhead;
    type Permit = u64;

    fn id(&self) -> Id {
        self.0.id()
    }

    fn admit(&self, cx: &mut Cx<'_>) -> Admission<u64> {
        match self.0.admit(cx) {
            Admission::Go(NONE) => Admission::Reject(no_slot_needed(self.0)),
            admission => admission,
        }
    }

    fn settle(&self, permit: u64, outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<u64> {
        match outcome {
            Outcome::Success => Verdict::Return,
            _ => self.0.settle(permit, outcome, cx),
        }
    }

    fn abandon(&self, permit: u64, was: Was) {
        self.0.abandon(permit, was);
    }

    fn interrupted(&self, rejection: &Rejection, cx: &mut Cx<'_>) {
        self.0.interrupted(rejection, cx);
    }

    fn poll_queued(&self, permit: &mut u64, cx: &mut Cx<'_>) -> Queued {
        match self.0.poll_queued(permit, cx) {
            Queued::Go if *permit == NONE => Queued::Reject(no_slot_needed(self.0)),
            answer => answer,
        }
    }

    fn clock(&self) -> Option<&Clock> {
        Some(self.0.clock())
    }
}
