//! Numbers for recorders of the crate `metrics`.

mod recording;
mod series;
mod turn;
mod upkeep;

use std::{fmt, io, time::Duration};

use crate::{Registry, meter::Counting};
use recording::Recording;
use turn::Turns;

pub use upkeep::Upkeep;

#[doc = include_str!("../docs/metrics.md")]
#[derive(Clone)]
#[must_use = "calls are counted as long as it is kept"]
pub struct Metrics(std::sync::Arc<Inner>);

struct Inner {
    registry: Registry,
    turns: Turns<Recording>,
    _counting: Counting,
}

impl Metrics {
    /// Counts calls from now on. No recorder needs to be installed yet.
    pub fn new(registry: &Registry) -> Self {
        Self(std::sync::Arc::new(Inner {
            registry: registry.clone(),
            turns: Turns::default(),
            _counting: Counting::start(),
        }))
    }

    /// Hands all numbers as they are now to the recorder that is current on this thread: that of the process, unless
    /// `metrics::with_local_recorder` says otherwise. Call it when somebody scrapes, before the text is made.
    ///
    /// Waits while another thread records. Called by a recorder in the middle of a record, it does nothing.
    ///
    /// Cost: a few microseconds per instance; allocates.
    ///
    /// ```
    /// use resilience_core::{Metrics, Registry};
    ///
    /// let metrics = Metrics::new(&Registry::new());
    /// metrics.record(); // nobody has installed a recorder yet: nothing happens
    /// ```
    pub fn record(&self) {
        let Some(mut recording) = self.0.turns.take() else { return };
        metrics::with_recorder(|recorder| recording.write(&self.0.registry.measures(), recorder));
    }

    /// Records now, and then every so often in real time, on a thread of its own, until the handle is dropped: for
    /// recorders that push, and so that one that keeps values until it is scraped is never far behind. At least a
    /// millisecond apart.
    ///
    /// # Errors
    ///
    /// The operating system gives no thread.
    pub fn upkeep(&self, every: Duration) -> io::Result<Upkeep> {
        Upkeep::start(self.clone(), every)
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}
