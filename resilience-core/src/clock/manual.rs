use std::{
    collections::BTreeMap,
    fmt,
    task::{Context, Poll, Waker},
    time::Duration,
};

use super::Clock;
use crate::{
    Nanos,
    shield::wake_all,
    sync::{Arc, AtomicU64, Mutex, Ordering, lock},
};

/// A clock that a test moves by hand.
///
/// - A sync call that has to wait advances the clock instead of sleeping.
/// - An async call that has to wait registers a timer, which fires when the clock is advanced to it or past it; of
///   several timers the earlier is woken first. On a [`ManualClock::advancing`] clock the wait itself advances it.
///
/// ```
/// use resilience_core::ManualClock;
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// clock.advance(Duration::from_millis(700));
/// assert_eq!(clock.now(), Duration::from_millis(700));
/// assert_eq!(clock.pending_tasks(), 0);
/// ```
#[derive(Clone, Default)]
pub struct ManualClock(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Only ever grows. Written under the lock of `timers`, read without.
    now: AtomicU64,
    advancing: bool,
    timers: Mutex<Timers>,
}

#[derive(Default)]
struct Timers {
    made: u64,
    /// By due time, then by age.
    waiting: BTreeMap<(Nanos, u64), Waker>,
}

impl ManualClock {
    /// A clock at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// A clock at zero that an async wait advances as a sync wait does: for tests with a single task.
    pub fn advancing() -> Self {
        Self(Arc::new(Inner { advancing: true, ..Inner::default() }))
    }

    /// This clock, as the policies take it.
    pub fn clock(&self) -> Clock {
        self.into()
    }

    /// The time now.
    #[inline]
    pub fn now(&self) -> Nanos {
        // Ordering: Acquire; pairs with the Release in move_to, so who sees the time sees what was done before it.
        Nanos::from_clock(self.0.now.load(Ordering::Acquire))
    }

    /// Moves the clock forward, at most to [`Nanos::LAST`], and wakes every timer that is due then, in order.
    pub fn advance(&self, by: Duration) {
        let timers = lock(&self.0.timers);
        self.move_to(timers, self.now().after(by));
    }

    /// Moves the clock forward to `when` (at most [`Nanos::LAST`]); does nothing if that is in the past.
    pub fn advance_to(&self, when: Nanos) {
        self.move_to(lock(&self.0.timers), when);
    }

    /// Moves the clock to the next timer, if there is one, and says whether there was.
    pub fn advance_to_next(&self) -> bool {
        let next = self.next_timer();
        if let Some(when) = next {
            self.advance_to(when);
        }
        next.is_some()
    }

    /// When the next timer is due.
    pub fn next_timer(&self) -> Option<Nanos> {
        lock(&self.0.timers).waiting.keys().next().map(|(when, _)| *when)
    }

    /// How many async waits are registered; 0 once every call has completed or was dropped.
    pub fn pending_tasks(&self) -> usize {
        lock(&self.0.timers).waiting.len()
    }

    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// One step of a sync wait: to `until`, or to a timer before it, which may end what the thread waits for. False
    /// when neither will ever come.
    pub(super) fn advance_towards(&self, until: Nanos) -> bool {
        let next = self.next_timer().map_or(until, |next| next.min(until));
        self.advance_to(if next.is_never() { Nanos::ZERO } else { next });
        !next.is_never()
    }

    fn move_to(&self, mut timers: crate::sync::MutexGuard<'_, Timers>, when: Nanos) {
        let now = self.now().max(when.clamp_to_clock());
        // Ordering: Release; pairs with the Acquire in now().
        self.0.now.store(now.as_u64(), Ordering::Release);
        let later = timers.waiting.split_off(&(Nanos::new(now.as_u64() + 1), 0));
        let due = std::mem::replace(&mut timers.waiting, later);
        drop(timers); // a waker is foreign code: it runs under no lock
        wake_all(due.into_values());
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ManualClock({:?}, {} pending)", self.now(), self.pending_tasks())
    }
}

/// One async wait on a manual clock. Registered from the first pending poll until it fires or is dropped.
pub(crate) struct Entry {
    clock: ManualClock,
    when: Nanos,
    advances: bool,
    key: Option<(Nanos, u64)>,
}

impl Entry {
    pub(crate) fn new(clock: ManualClock, when: Nanos, advances: bool) -> Self {
        let advances = advances && clock.0.advancing && !when.is_never();
        Self { clock, when, advances, key: None }
    }

    pub(crate) fn poll(&mut self, cx: &Context<'_>) -> Poll<()> {
        if self.advances {
            self.clock.advance_to(self.when);
        }
        let waker = cx.waker().clone(); // foreign code, as all that wakers do: under no lock
        let mut timers = lock(&self.clock.0.timers);
        if self.clock.now() >= self.when {
            let fired = self.key.take().and_then(|key| timers.waiting.remove(&key));
            drop(timers);
            drop((fired, waker));
            return Poll::Ready(());
        }
        if self.when.is_never() {
            drop(timers);
            return Poll::Pending;
        }
        let key = *self.key.get_or_insert_with(|| {
            timers.made += 1;
            (self.when, timers.made)
        });
        let replaced = timers.waiting.insert(key, waker);
        drop(timers);
        drop(replaced);
        Poll::Pending
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            // Taken out under the lock, dropped after it: dropping a waker can run foreign code.
            let waker = lock(&self.clock.0.timers).waiting.remove(&key);
            drop(waker);
        }
    }
}
