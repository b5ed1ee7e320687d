use std::time::Duration;

use resilience_core::Nanos;

use crate::RateLimiter;

/// Permits that are taken from a moment on: made by [`RateLimiter::reserve`].
///
/// Dropped before its start, it gives the permits back; from then on they are spent.
#[derive(Debug)]
#[must_use = "dropping a reservation before its start gives the permits back"]
pub struct Reservation<'a> {
    limiter: &'a RateLimiter,
    permits: u64,
    start: Nanos,
}

impl<'a> Reservation<'a> {
    pub(crate) fn new(limiter: &'a RateLimiter, permits: u64, start: Nanos) -> Self {
        Self { limiter, permits, start }
    }

    /// When the permits are due, on the clock of the limiter; the moment of the reservation if they were there.
    pub fn start(&self) -> Nanos {
        self.start
    }

    /// How long that is from now.
    pub fn wait(&self) -> Duration {
        self.start.since(self.limiter.clock().now())
    }

    /// How many permits.
    pub fn permits(&self) -> u64 {
        self.permits
    }

    /// Gives the permits back unless they are due by now, and says whether it did. As dropping it.
    pub fn cancel(mut self) -> bool {
        self.give_back()
    }

    fn give_back(&mut self) -> bool {
        let permits = std::mem::take(&mut self.permits);
        let early = permits > 0 && self.wait() > Duration::ZERO;
        if early {
            self.limiter.refund(permits);
        }
        early
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.give_back();
    }
}
