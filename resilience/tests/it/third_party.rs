//! A policy written outside of our crates.

use std::sync::atomic::{AtomicU64, Ordering};

use resilience::{Admission, Code, Cx, Id, Kind, Outcome, Policy, Rejection, SinglePass, Verdict, at};

/// Rejects every third call.
#[derive(Debug)]
pub(crate) struct EveryThird<At> {
    calls: AtomicU64,
    at: std::marker::PhantomData<fn(At)>,
}

impl<At> EveryThird<At> {
    pub(crate) fn new() -> Self {
        Self { calls: AtomicU64::new(0), at: std::marker::PhantomData }
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl<At: at::Place> Policy for EveryThird<At> {
    type At = At;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("every-third")
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        if self.calls.fetch_add(1, Ordering::Relaxed) % 3 == 2 {
            let kind = Kind::CALL_NOT_PERMITTED;
            return Admission::Reject(Rejection::new(Code::CallNotPermitted, kind, self.id(), Self::LAYER));
        }
        Admission::Go(())
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        Verdict::Return
    }
}

impl<At: at::Place> SinglePass for EveryThird<At> {}
