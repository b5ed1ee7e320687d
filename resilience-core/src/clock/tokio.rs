use tokio::time::Instant;

use crate::{
    Nanos,
    sync::{AtomicU64, Ordering},
};

/// Tokio's time since this value was made.
pub(crate) struct Tokio {
    origin: Instant,
    /// The latest reading anybody was given: each runtime has a time of its own, which may lag.
    latest: AtomicU64,
}

impl Tokio {
    pub(crate) fn starting_now() -> Self {
        Self { origin: Instant::now(), latest: AtomicU64::new(0) }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn now(&self) -> Nanos {
        let since = Instant::now().saturating_duration_since(self.origin);
        let reading = Nanos::ZERO.after(since).clamp_to_clock().as_u64();
        // Ordering: Relaxed; as in the guard of custom clocks.
        Nanos::new(self.latest.fetch_max(reading, Ordering::Relaxed).max(reading))
    }
}
