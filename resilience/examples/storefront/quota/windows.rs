//! How the server counts: in fixed windows, as many real services do. The count starts again with each window.
//!
//! Windows do not care when calls come. A client's burst can fall anywhere in one, and what the client sends at its
//! steady rate comes on top: up to twice its permits.
//!
//! A call counts when it arrives, and it was on its way since its permit was due. If that takes up to `late`, a window
//! can see the permits of `period + late`. Here, where the only burst falls into the first window and nothing can be
//! saved after it, that is `permits * (1 + late / period)`: not more than twice the permits unless calls are late by a
//! whole period. A client that bursts at any time needs that much more room in its quota.

use std::{sync::Mutex, time::Duration};

use resilience::Nanos;

use crate::timeline::lock;

pub(crate) struct Quota {
    limit: u64,
    period: Duration,
    start: Nanos,
    window: Mutex<Window>,
}

#[derive(Default)]
struct Window {
    number: u128,
    calls: u64,
    /// The most calls that any window saw.
    busiest: u64,
}

impl Quota {
    /// `limit` calls in each `period` from `start` on.
    pub(crate) fn new(limit: u64, period: Duration, start: Nanos) -> Self {
        Self { limit, period, start, window: Mutex::default() }
    }

    /// Counts a call that arrives now, and says whether it is within the quota.
    pub(crate) fn admit(&self, now: Nanos) -> bool {
        let number = now.since(self.start).as_nanos() / self.period.as_nanos();
        let mut window = lock(&self.window);
        // Two calls can read the clock in one order and get here in the other.
        if number > window.number {
            window.number = number;
            window.calls = 0;
        }
        window.calls += 1;
        window.busiest = window.busiest.max(window.calls);
        window.calls <= self.limit
    }

    pub(crate) fn busiest(&self) -> u64 {
        lock(&self.window).busiest
    }
}
