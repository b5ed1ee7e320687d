use std::{collections::BTreeMap, fmt, task::Waker};

use crate::{
    shield::wake_all,
    sync::{Arc, AtomicBool, AtomicU64, Mutex, Ordering, lock},
};

/// Ends the waits of calls from another thread or task: a call that waits for a permit, a slot or its next attempt
/// is rejected with R4C-RT-005 and gives back what it had reserved. A call that runs is not touched.
///
/// Given with the call, see [`CallOptions::interrupt`](crate::CallOptions::interrupt). Clones share one state. Once
/// triggered, the handle stays so, and later waits end at once, until [`Interrupt::clear`].
///
/// ```
/// use resilience_core::Interrupt;
///
/// let interrupt = Interrupt::new();
/// interrupt.trigger();
/// assert!(interrupt.is_triggered());
/// ```
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Written under the lock of `waiting`, so that a waiter is either in the list or sees the flag.
    triggered: AtomicBool,
    /// Counts up, under the lock too.
    triggers: AtomicU64,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    made: u64,
    /// By age, so that anybody can leave at the same cost.
    wakers: BTreeMap<u64, Waker>,
}

impl Interrupt {
    /// A handle that is not triggered.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the waits of all calls that were given this handle, now and later.
    pub fn trigger(&self) {
        let mut waiting = lock(&self.0.waiting);
        // Ordering: Release; pairs with the Acquire in triggers and is_triggered, so the waiter sees why.
        self.0.triggers.fetch_add(1, Ordering::Release);
        self.0.triggered.store(true, Ordering::Release);
        let woken = std::mem::take(&mut waiting.wakers);
        drop(waiting); // a waker is foreign code: it runs under no lock
        wake_all(woken.into_values());
    }

    /// Lets later calls wait again; those that wait now were ended by the trigger.
    pub fn clear(&self) {
        let _waiting = lock(&self.0.waiting);
        // Ordering: Release; pairs with the Acquire in is_triggered.
        self.0.triggered.store(false, Ordering::Release);
    }

    /// Whether [`Interrupt::trigger`] was called, and [`Interrupt::clear`] not since.
    pub fn is_triggered(&self) -> bool {
        // Ordering: Acquire; pairs with the Release in trigger and clear.
        self.0.triggered.load(Ordering::Acquire)
    }

    /// How often it was triggered. A wait that saw another number when it began was interrupted.
    #[doc(hidden)]
    pub fn triggers(&self) -> u64 {
        // Ordering: Acquire; pairs with the Release in trigger.
        self.0.triggers.load(Ordering::Acquire)
    }

    /// Wakes `waker` at the next trigger, until the watch is dropped; at once if it is triggered already.
    #[doc(hidden)]
    pub fn watch(&self, waker: &Waker) -> Watch {
        let waker = waker.clone();
        let mut waiting = lock(&self.0.waiting);
        waiting.made += 1;
        let key = waiting.made;
        if self.is_triggered() {
            drop(waiting);
            waker.wake();
        } else {
            waiting.wakers.insert(key, waker);
        }
        Watch { interrupt: self.clone(), key }
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Interrupt").field(&self.is_triggered()).finish()
    }
}

/// Watches an [`Interrupt`] for one wait.
#[doc(hidden)]
#[derive(Debug)]
pub struct Watch {
    interrupt: Interrupt,
    key: u64,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut waiting = lock(&self.interrupt.0.waiting);
        let waker = waiting.wakers.remove(&self.key);
        drop(waiting);
        drop(waker);
    }
}
