//! How calls ended, told to the meters of the layers by the stack: a policy need not, and a call that takes the straight
//! way asks once for all its layers whether anybody wants to know.

use super::Stack;
use crate::{Code, Outcome, Policy, Rejection, meter::is_on};

/// A call has come out of all layers the straight way, as it ended.
#[inline(always)]
pub(crate) fn all<S: Stack>(stack: &S, outcome: &Outcome) {
    if is_on() {
        all_now(stack, *outcome);
    }
}

/// The same for the layers inside one that did not let it out like that.
pub(super) use all as inside;

/// A policy was told this, and let it out like that; a rejection can be its own.
#[inline(always)]
pub(super) fn one<P: Policy>(policy: &P, outcome: &Outcome) {
    if is_on() {
        one_now(policy, *outcome);
    }
}

/// A policy itself did not let a call in. Only the code is looked at, and only if somebody counts: a whole rejection would
/// be copied byte by byte on the way out.
#[inline(always)]
pub(super) fn refused<P: Policy>(policy: &P, rejection: Rejection) {
    if is_on() {
        refused_now(policy, rejection.code());
    }
}

#[cold]
#[inline(never)]
fn refused_now<P: Policy>(policy: &P, code: Code) {
    if let Some(meter) = policy.meter() {
        meter.rejected(code);
    }
}

/// A policy or one inside it rejected a call.
#[inline(always)]
pub(super) fn rejected<P: Policy>(policy: &P, rejection: &Rejection) {
    if is_on() {
        one_now(policy, Outcome::Rejected(*rejection));
    }
}

/// A call is gone. Comes before the policy is told.
pub(super) fn dropped<P: Policy>(policy: &P) {
    if let Some(meter) = policy.meter() {
        meter.dropped();
    }
}

/// By value, so that the outcome need not lie in memory where nobody counts.
#[cold]
#[inline(never)]
fn all_now<S: Stack>(stack: &S, outcome: Outcome) {
    match outcome {
        Outcome::Success => stack.count(&Outcome::Success), // a copy of it all for the frequent one
        outcome => stack.count(&outcome),
    }
}

#[cold]
#[inline(never)]
fn one_now<P: Policy>(policy: &P, outcome: Outcome) {
    tell(policy, &outcome);
}

#[inline(always)]
pub(super) fn tell<P: Policy>(policy: &P, outcome: &Outcome) {
    let Some(meter) = policy.meter() else { return };
    match outcome {
        Outcome::Rejected(by) if by.layer() == P::LAYER && by.instance() == policy.id() => meter.rejected(by.code()),
        outcome => meter.ended(outcome),
    }
}
