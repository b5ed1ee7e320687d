//! The straight way out of a call that got in at once.

use std::borrow::Borrow;

use super::Target;
use crate::{
    Cx, Nanos, Outcome, Rejection,
    options::Asked,
    remaining::Within,
    shield::shield,
    stack::{Done, Stack, count},
};

/// The straight way out of a thread's call. Reads the clock for itself only if the call has a deadline of its own.
#[inline(always)]
pub(super) fn finish<R: Target>(
    target: &R,
    asked: &Asked,
    held: <R::Stack as Stack>::Held,
    outcome: &Outcome,
) -> Done<<R::Stack as Stack>::State> {
    let mut cx = asked.cx(target.clock());
    match asked.overdue(target.id(), &mut cx) {
        None => target.stack().finish(held, outcome, &mut cx),
        Some(late) => finish_late(target, held, late.with_late(), cx),
    }
}

/// After its own deadline a call is not tried again.
#[cold]
#[inline(never)]
fn finish_late<R: Target>(
    target: &R,
    held: <R::Stack as Stack>::Held,
    late: Rejection,
    mut cx: Cx<'_>,
) -> Done<<R::Stack as Stack>::State> {
    match target.stack().finish(held, &Outcome::Rejected(late), &mut cx) {
        Done::Reject(rejection) => return Done::Reject(rejection),
        Done::Again(state, _) => target.stack().abandon(state),
        Done::Return => count::all(target.stack(), &Outcome::Rejected(late)),
    }
    Done::Reject(late)
}

/// A call that runs, having got in the straight way: tells the layers of a panic in it. Forgotten if there was none.
pub(super) struct Straight<'a, R: Target, A: Borrow<Asked>> {
    pub(super) target: &'a R,
    pub(super) asked: A,
    pub(super) held: <R::Stack as Stack>::Held,
}

impl<R: Target, A: Borrow<Asked>> Straight<'_, R, A> {
    /// What [`remaining`](crate::remaining) tells while the call runs, which has this deadline of its own.
    #[inline(always)]
    pub(super) fn within(&self, own: Nanos) -> Within {
        Within::enter(self.target.clock(), self.target.stack().limit(&self.held).min(own))
    }
}

impl<R: Target, A: Borrow<Asked>> Drop for Straight<'_, R, A> {
    /// Inlined, so that what the call holds need not lie in memory on the straight way, only to have an address here.
    #[inline(always)]
    fn drop(&mut self) {
        panicked(self.target, *self.asked.borrow(), self.held);
    }
}

#[cold]
#[inline(never)]
fn panicked<R: Target>(target: &R, asked: Asked, held: <R::Stack as Stack>::Held) {
    shield(|| {
        let mut cx = asked.cx(target.clock());
        match target.stack().finish(held, &Outcome::PANICKED, &mut cx) {
            Done::Again(state, _) => target.stack().abandon(state),
            Done::Return => count::all(target.stack(), &Outcome::PANICKED),
            Done::Reject(_) => {}
        }
    });
}
