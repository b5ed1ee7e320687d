use std::{fmt, task::Waker};

use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};

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
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    made: u64,
    wakers: Vec<(u64, Waker)>,
}

impl Interrupt {
    /// A handle that is not triggered.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the waits of all calls that were given this handle, now and later.
    pub fn trigger(&self) {
        let mut waiting = lock(&self.0.waiting);
        // Ordering: Release; pairs with the Acquire in is_triggered, so the waiter sees why it was interrupted.
        self.0.triggered.store(true, Ordering::Release);
        let woken = std::mem::take(&mut waiting.wakers);
        drop(waiting); // a waker is foreign code: it runs under no lock
        for (_, waker) in woken {
            waker.wake();
        }
    }

    /// Makes the handle as new.
    pub fn clear(&self) {
        let _waiting = lock(&self.0.waiting);
        // Ordering: Release; pairs with the Acquire in is_triggered.
        self.0.triggered.store(false, Ordering::Release);
    }

    /// Whether [`Interrupt::trigger`] was called.
    pub fn is_triggered(&self) -> bool {
        // Ordering: Acquire; pairs with the Release in trigger and clear.
        self.0.triggered.load(Ordering::Acquire)
    }

    /// Wakes `waker` when triggered, until the watch is dropped. `None` if it is triggered already.
    #[doc(hidden)]
    pub fn watch(&self, waker: &Waker) -> Option<Watch> {
        let mut waiting = lock(&self.0.waiting);
        if self.is_triggered() {
            return None;
        }
        waiting.made += 1;
        let key = waiting.made;
        waiting.wakers.push((key, waker.clone()));
        Some(Watch {
            interrupt: self.clone(),
            key,
        })
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
        let at = waiting.wakers.iter().position(|(key, _)| *key == self.key);
        let waker = at.map(|at| waiting.wakers.swap_remove(at));
        drop(waiting);
        drop(waker);
    }
}
