//! `&P`, `Arc<P>`, `Option<P>` and `()` are policies too, so that stacks can be named, shared and left open.

use std::sync::Arc;

use super::{Admission, Policy, Queued, SinglePass, Verdict, Was};
use crate::{Clock, Cx, Id, Nanos, Outcome, Rejection, at, meter::Meter};

macro_rules! forward {
    ($($pointer:ty),+) => {$(
        impl<P: Policy> Policy for $pointer {
            type At = P::At;
            type Permit = P::Permit;
            const SETS_DEADLINE: bool = P::SETS_DEADLINE;

            fn id(&self) -> Id {
                (**self).id()
            }

            #[inline(always)]
            fn admit(&self, cx: &mut Cx<'_>) -> Admission<P::Permit> {
                (**self).admit(cx)
            }

            #[inline(always)]
            fn settle(&self, permit: P::Permit, outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<P::Permit> {
                (**self).settle(permit, outcome, cx)
            }

            fn abandon(&self, permit: P::Permit, was: Was) {
                (**self).abandon(permit, was);
            }

            fn interrupted(&self, rejection: &Rejection, cx: &mut Cx<'_>) {
                (**self).interrupted(rejection, cx);
            }

            #[inline(always)]
            fn deadline(&self, permit: &P::Permit) -> Nanos {
                (**self).deadline(permit)
            }

            fn poll_queued(&self, permit: &mut P::Permit, cx: &mut Cx<'_>) -> Queued {
                (**self).poll_queued(permit, cx)
            }

            #[inline(always)]
            fn meter(&self) -> Option<&Meter> {
                (**self).meter()
            }

            fn clock(&self) -> Option<&Clock> {
                (**self).clock()
            }
        }

        impl<P: SinglePass> SinglePass for $pointer {}
    )+};
}

forward!(&P, Arc<P>);

/// Without a policy in it, it lets everything through.
impl<P: Policy> Policy for Option<P> {
    type At = P::At;
    type Permit = Option<P::Permit>;
    const SETS_DEADLINE: bool = P::SETS_DEADLINE;

    fn id(&self) -> Id {
        self.as_ref().map_or_else(|| ().id(), Policy::id)
    }

    #[inline(always)]
    fn admit(&self, cx: &mut Cx<'_>) -> Admission<Self::Permit> {
        let Some(policy) = self else { return Admission::Go(None) };
        match policy.admit(cx) {
            Admission::Go(permit) => Admission::Go(Some(permit)),
            Admission::GoAt(permit, when) => Admission::GoAt(Some(permit), when),
            Admission::Queue(permit, until) => Admission::Queue(Some(permit), until),
            Admission::Reject(rejection) => Admission::Reject(rejection),
        }
    }

    #[inline(always)]
    fn settle(&self, permit: Self::Permit, outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<Self::Permit> {
        let (Some(policy), Some(permit)) = (self, permit) else {
            return Verdict::Return;
        };
        match policy.settle(permit, outcome, cx) {
            Verdict::Return => Verdict::Return,
            Verdict::Again(permit, when) => Verdict::Again(Some(permit), when),
            Verdict::Reject(rejection) => Verdict::Reject(rejection),
        }
    }

    fn abandon(&self, permit: Self::Permit, was: Was) {
        if let (Some(policy), Some(permit)) = (self, permit) {
            policy.abandon(permit, was);
        }
    }

    fn interrupted(&self, rejection: &Rejection, cx: &mut Cx<'_>) {
        if let Some(policy) = self {
            policy.interrupted(rejection, cx);
        }
    }

    #[inline(always)]
    fn deadline(&self, permit: &Self::Permit) -> Nanos {
        match (self, permit) {
            (Some(policy), Some(permit)) => policy.deadline(permit),
            _ => Nanos::NEVER,
        }
    }

    fn poll_queued(&self, permit: &mut Self::Permit, cx: &mut Cx<'_>) -> Queued {
        match (self, permit) {
            (Some(policy), Some(permit)) => policy.poll_queued(permit, cx),
            _ => Queued::Go,
        }
    }

    #[inline(always)]
    fn meter(&self) -> Option<&Meter> {
        self.as_ref().and_then(Policy::meter)
    }

    fn clock(&self) -> Option<&Clock> {
        self.as_ref().and_then(Policy::clock)
    }
}

impl<P: SinglePass> SinglePass for Option<P> {}

/// Lets everything through.
impl Policy for () {
    type At = at::Anywhere;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("()")
    }

    #[inline(always)]
    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        Admission::Go(())
    }

    #[inline(always)]
    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        Verdict::Return
    }
}

impl SinglePass for () {}
