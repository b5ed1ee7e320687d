use std::{fmt, io, sync::Arc, task::Waker, thread, time::Duration};

use super::Metrics;
use crate::{
    shield::shield,
    sync::{AtomicBool, Ordering},
    timer::Signal,
};

const LEAST: Duration = Duration::from_millis(1);

/// Keeps a recorder up to date: made by [`Metrics::upkeep`]. Dropping it ends that, and waits for nothing.
#[must_use = "keep it in a variable or a field: dropping it ends it, and `let _ =` drops it at once"]
pub struct Upkeep {
    stopped: Arc<AtomicBool>,
    bell: Waker,
}

impl Upkeep {
    pub(super) fn start(metrics: Metrics, every: Duration) -> io::Result<Self> {
        let (signal, stopped) = (Arc::new(Signal::default()), Arc::new(AtomicBool::new(false)));
        let upkeep = Self { stopped: Arc::clone(&stopped), bell: Waker::from(Arc::clone(&signal)) };
        thread::Builder::new().name("resilience-metrics".into()).spawn(move || {
            // Ordering: Acquire; pairs with the Release in the drop of the handle.
            while !stopped.load(Ordering::Acquire) {
                // A recorder is foreign code, and its panic is printed; the next record may go well.
                shield(|| metrics.record());
                signal.wait(every.max(LEAST));
            }
        })?;
        Ok(upkeep)
    }
}

impl Drop for Upkeep {
    fn drop(&mut self) {
        // Ordering: Release; pairs with the Acquire in start.
        self.stopped.store(true, Ordering::Release);
        self.bell.wake_by_ref();
    }
}

impl fmt::Debug for Upkeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Upkeep")
    }
}
