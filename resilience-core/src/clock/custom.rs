use std::time::Duration;

use crate::{
    Nanos,
    shield::shield,
    sync::{AtomicU64, Ordering},
};

/// A source of time for [`Clock::custom`](crate::Clock::custom); closures that return a `Duration` are sources.
pub trait TimeSource: Send + Sync + 'static {
    /// The time since any fixed moment. Should never step back; if it does, the step is taken as no time passed.
    fn now(&self) -> Duration;
}

impl<F: Fn() -> Duration + Send + Sync + 'static> TimeSource for F {
    fn now(&self) -> Duration {
        self()
    }
}

/// Makes any source keep a clock's contract: monotonic over all threads, and without panics.
pub(crate) struct Guarded {
    source: Box<dyn TimeSource>,
    /// The latest reading anybody was given.
    latest: AtomicU64,
}

impl Guarded {
    pub(crate) fn new(source: impl TimeSource) -> Self {
        Self { source: Box::new(source), latest: AtomicU64::new(0) }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn now(&self) -> Nanos {
        let since = shield(|| self.source.now()).unwrap_or_default();
        let reading = Nanos::ZERO.after(since).clamp_to_clock().as_u64();
        // Ordering: Relaxed; the number alone is the message, and one word has one order of changes for all threads.
        Nanos::new(self.latest.fetch_max(reading, Ordering::Relaxed).max(reading))
    }
}
