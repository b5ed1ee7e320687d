//! How long the call that runs on this thread may still take: kept by the drivers, asked by the call.
//!
//! A deadline is on a clock. The one of the system, which nearly all calls are on, has a slot that is one plain word;
//! all other clocks (a test's, tokio's, a custom one) share a second slot, off the straight way, which keeps the
//! deadline with its clock.

use std::{cell::Cell, mem::ManuallyDrop, time::Duration};

use crate::{Clock, Nanos, clock::Source, sync::per_thread};

/// Not dropped with its thread, so that asking needs no check: each [`Within`] that fills it also empties it.
type Other = ManuallyDrop<Option<(Clock, Nanos)>>;

per_thread! {
    static SYSTEM: Cell<Nanos> = const { Cell::new(Nanos::NEVER) };
    static OTHER: Cell<Other> = const { Cell::new(ManuallyDrop::new(None)) };
}

/// How long the call that runs on this thread right now may still take: what to hand to a client that blocks, or to a
/// server that is asked to give up in time. `None` if there is no limit, zero once it has passed.
///
/// It is the earliest deadline of all that the call is in: the timeout policies and the call's own deadline
/// ([`CallOptions::timeout`](crate::CallOptions::timeout)) of its pipeline, and those of the pipelines around that. A
/// pipeline further in can make the time shorter, never longer. Each deadline is measured on the clock of the pipeline
/// that set it; of two deadlines on different test or custom clocks, the one with less time left as the inner call
/// begins is kept.
///
/// Known to the closure of a sync call, and to an async call whenever it is polled: two tasks on one thread never see
/// one another's. Not known on threads and in tasks that the call starts; ask before, and take the answer along.
///
/// ```
/// use resilience_core::{CallOptions, Pipeline, Registry, remaining};
/// use std::time::Duration;
///
/// let pipeline = Pipeline::builder(&Registry::new(), "search").build()?;
/// let options = CallOptions::new().timeout(Duration::from_secs(2));
/// let left = pipeline.execute_with(options, || Ok::<_, ()>(remaining()));
///
/// assert!(left.unwrap().is_some_and(|left| left <= Duration::from_secs(2)));
/// assert_eq!(remaining(), None);
/// # Ok::<(), resilience_core::RegistryError>(())
/// ```
pub fn remaining() -> Option<Duration> {
    let deadline = SYSTEM.with(Cell::get);
    let system = (!deadline.is_never()).then(|| deadline.since(Clock::system().now()));
    let other = OTHER.with(look).map(|(clock, deadline)| deadline.since(clock.now()));
    [system, other].into_iter().flatten().min()
}

/// While it lives, the calls on this thread are within a deadline. Then what was there before is there again.
pub(crate) enum Within {
    /// Within no deadline, or within an earlier one already.
    Same,
    System(Nanos),
    Other(Other),
}

impl Within {
    /// The deadline may be [`Nanos::NEVER`].
    #[inline(always)]
    pub(crate) fn enter(clock: &Clock, deadline: Nanos) -> Self {
        if deadline.is_never() {
            return Self::Same;
        }
        match clock.source() {
            Source::System(_) => Self::System(SYSTEM.with(|slot| slot.replace(slot.get().min(deadline)))),
            _ => Self::enter_other(clock, deadline),
        }
    }

    #[cold]
    #[inline(never)]
    fn enter_other(clock: &Clock, deadline: Nanos) -> Self {
        let earlier = OTHER.with(look).is_some_and(|(other, until)| {
            if other.is_same_as(clock) {
                until <= deadline
            } else {
                until.since(other.now()) <= deadline.since(clock.now())
            }
        });
        if earlier {
            return Self::Same;
        }
        let within = ManuallyDrop::new(Some((clock.clone(), deadline)));
        Self::Other(OTHER.with(|slot| slot.replace(within)))
    }
}

impl Drop for Within {
    #[inline(always)]
    fn drop(&mut self) {
        match self {
            Self::Same => {}
            Self::System(before) => SYSTEM.with(|slot| slot.set(*before)),
            Self::Other(before) => leave_other(before),
        }
    }
}

#[cold]
#[inline(never)]
fn leave_other(before: &mut Other) {
    let within = OTHER.with(|slot| slot.replace(std::mem::take(before)));
    drop(ManuallyDrop::into_inner(within));
}

/// A copy of what is in the slot. A clock is foreign code: it never runs while the slot is empty.
fn look(slot: &Cell<Other>) -> Option<(Clock, Nanos)> {
    let held = slot.take();
    let copy = Option::clone(&held);
    slot.set(held);
    copy
}
