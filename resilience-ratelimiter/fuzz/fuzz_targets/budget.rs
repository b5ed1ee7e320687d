//! How many calls may have started by now, counted beside the limiter.

use resilience_core::Nanos;
use resilience_ratelimiter::Config;

/// Counts permits in parts of 2^-32, each span of time rounded up.
pub(crate) struct Budget {
    config: Config,
    now: Nanos,
    /// What may have started: a burst, and the rate over the time. A change adds to it the permits by which the burst
    /// grew, and those promised at the old rate.
    most: u128,
    /// What was taken and not given back.
    charged: u128,
    /// The part of it that has not started.
    promised: u128,
}

const PERMIT: u128 = 1 << 32;

impl Budget {
    pub(crate) fn new(config: &Config, now: Nanos) -> Self {
        Self { config: *config, now, most: u128::from(config.permits) * PERMIT, charged: 0, promised: 0 }
    }

    /// The time is `now`.
    pub(crate) fn pass(&mut self, now: Nanos) {
        let Config { permits, period, .. } = self.config;
        let parts = now.since(self.now).as_nanos() * u128::from(permits) * PERMIT;
        self.most += parts.div_ceil(period.as_nanos());
        self.now = now;
    }

    /// A call starts.
    pub(crate) fn start(&mut self, n: u64) {
        self.promise(n);
        self.keep_promise(n);
    }

    /// A call will start.
    pub(crate) fn promise(&mut self, n: u64) {
        self.charged += u128::from(n) * PERMIT;
        self.promised += u128::from(n) * PERMIT;
    }

    /// A call that waited starts.
    pub(crate) fn keep_promise(&mut self, n: u64) {
        self.promised -= u128::from(n) * PERMIT;
        let started = self.charged.saturating_sub(self.promised);
        assert!(started <= self.most, "{} parts of 2^32 too many", started - self.most);
    }

    /// A call that waited is gone.
    pub(crate) fn break_promise(&mut self, n: u64) {
        self.promised -= u128::from(n) * PERMIT;
        self.refund(n);
    }

    /// Permits come back, wherever they are from.
    pub(crate) fn refund(&mut self, n: u64) {
        self.charged = self.charged.saturating_sub(u128::from(n) * PERMIT);
    }

    pub(crate) fn reconfigure(&mut self, config: &Config) {
        let grown = config.permits.saturating_sub(self.config.permits);
        self.most += u128::from(grown) * PERMIT;
        if (config.permits, config.period) != (self.config.permits, self.config.period) {
            self.most += self.promised;
        }
        self.config = *config;
    }
}
