use tokio::time::Instant;

use crate::Nanos;

/// Tokio's time since this value was made.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Tokio {
    origin: Instant,
}

impl Tokio {
    pub(crate) fn starting_now() -> Self {
        Self { origin: Instant::now() }
    }

    pub(crate) fn now(self) -> Nanos {
        Nanos::ZERO
            .after(Instant::now().saturating_duration_since(self.origin))
            .clamp_to_clock()
    }
}
