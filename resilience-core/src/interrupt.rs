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

#[cfg(all(test, not(loom)))]
mod tests {
    use std::{
        future::{pending, ready},
        pin::pin,
        sync::Arc,
        task::{Context, Poll, Waker},
        time::Duration,
    };

    use super::Interrupt;
    use crate::{
        Admission, Call, CallOptions, Code, Cx, Id, ManualClock, Nanos, Outcome, Pipeline, Policy, Registry, Verdict,
        at,
    };

    const SECOND: Duration = Duration::from_secs(1);

    /// Lets calls in at this moment.
    struct Later(Nanos);

    impl Policy for Later {
        type At = at::RateLimiter;
        type Permit = ();

        fn id(&self) -> Id {
            Id::new("later")
        }

        fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
            Admission::GoAt((), self.0)
        }

        fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
            Verdict::Return
        }
    }

    fn poll<F: Future>(future: F) -> Poll<F::Output> {
        pin!(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    /// Calls with `Later` and without; as a future that is not polled, that is ready, that is pending inside; on a thread.
    #[test]
    fn whatever_becomes_of_a_call_it_lets_go_of_its_interrupt() {
        let clock = ManualClock::new();
        let interrupt = Interrupt::new();
        let let_go = || {
            assert_eq!(Arc::strong_count(&interrupt.0), 1);
            assert!(interrupt.0.waiting.lock().unwrap().wakers.is_empty());
        };
        let options = || CallOptions::new().interrupt(&interrupt);
        let answer = || ready(Ok::<_, ()>(7));

        let registry = Registry::builder().clock(&clock).build();
        let at_once = Pipeline::ordered(&registry, "at once", Call).unwrap();
        drop(at_once.execute_async_with(options(), answer));
        let_go();
        assert_eq!(poll(at_once.execute_async_with(options(), answer)), Poll::Ready(Ok(7)));
        let_go();
        assert!(poll(at_once.execute_async_with(options(), pending::<Result<(), ()>>)).is_pending());
        let_go();
        assert_eq!(at_once.execute_with(options(), || Ok::<_, ()>(7)), Ok(7));
        let_go();

        let later = Pipeline::ordered(&registry, "later", (Later(clock.now().after(SECOND)), Call)).unwrap();
        assert!(poll(later.execute_async_with(options(), answer)).is_pending());
        let_go();
        {
            let mut call = pin!(later.execute_async_with(options(), answer));
            let task = &mut Context::from_waker(Waker::noop());
            assert!(call.as_mut().poll(task).is_pending());
            assert_eq!(interrupt.0.waiting.lock().unwrap().wakers.len(), 1);
            clock.advance(SECOND);
            assert_eq!(call.as_mut().poll(task), Poll::Ready(Ok(7)));
            assert!(interrupt.0.waiting.lock().unwrap().wakers.is_empty(), "a call that is over is not woken");
        }
        let_go();

        let never = Pipeline::ordered(&registry, "never", (Later(Nanos::LAST), Call)).unwrap();
        interrupt.trigger();
        let rejected = never.execute_with(options(), || Ok::<_, ()>(7)).unwrap_err();
        assert_eq!(rejected.rejection().map(crate::Rejection::code), Some(Code::Interrupted));
        let_go();
    }
}
