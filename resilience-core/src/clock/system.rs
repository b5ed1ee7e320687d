use std::sync::OnceLock;

use crate::Nanos;

/// The time-stamp counter through `quanta`, which falls back to the operating system's monotonic clock where the
/// counter is not steady.
pub(crate) struct System {
    clock: quanta::Clock,
    origin: u64,
}

impl System {
    /// The one system clock of the process; the first call calibrates it, which can take some milliseconds.
    pub(crate) fn get() -> &'static Self {
        static SYSTEM: OnceLock<System> = OnceLock::new();
        SYSTEM.get_or_init(|| {
            let clock = quanta::Clock::new();
            let origin = clock.raw();
            Self { clock, origin }
        })
    }

    #[inline]
    pub(crate) fn now(&self) -> Nanos {
        // A core whose counter lags a few ticks behind the one that set the origin reads as zero.
        let raw = self.clock.raw().max(self.origin);
        Nanos::new(self.clock.delta_as_nanos(self.origin, raw)).clamp_to_clock()
    }
}
