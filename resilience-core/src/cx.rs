use std::task::Waker;

use crate::{Clock, Nanos};

/// What a policy may ask while it decides: the time, and what the call asked for.
///
/// Made anew for each pass through the layers. The clock is read when the first layer asks, and not again: all
/// layers of one pass see the same time.
#[derive(Clone, Copy, Debug)]
pub struct Cx<'a> {
    clock: &'a Clock,
    /// `NEVER`: not read yet.
    now: Nanos,
    deadline: Nanos,
    permits: u64,
    waker: Option<&'a Waker>,
}

impl<'a> Cx<'a> {
    /// For a call without options.
    #[inline]
    pub const fn new(clock: &'a Clock) -> Self {
        Self { clock, now: Nanos::NEVER, deadline: Nanos::NEVER, permits: 1, waker: None }
    }

    /// With a deadline of the call itself.
    #[inline]
    #[must_use]
    pub const fn with_deadline(mut self, deadline: Nanos) -> Self {
        self.deadline = deadline;
        self
    }

    /// With a number of permits.
    #[inline]
    #[must_use]
    pub const fn with_permits(mut self, permits: u64) -> Self {
        self.permits = permits;
        self
    }

    /// With the waker that a queue is to wake.
    #[inline]
    #[must_use]
    pub const fn with_waker(mut self, waker: &'a Waker) -> Self {
        self.waker = Some(waker);
        self
    }

    /// With the time known already.
    #[inline]
    #[must_use]
    pub const fn with_now(mut self, now: Nanos) -> Self {
        self.now = now;
        self
    }

    /// The time of this pass.
    #[inline(always)]
    pub fn now(&mut self) -> Nanos {
        if self.now.is_never() {
            self.now = self.clock.now();
        }
        self.now
    }

    /// When the call as a whole must have ended; [`Nanos::NEVER`] if it has no deadline of its own.
    #[inline]
    pub const fn deadline(&self) -> Nanos {
        self.deadline
    }

    /// How many permits the call asks for.
    #[inline]
    pub const fn permits(&self) -> u64 {
        self.permits
    }

    /// Whom a queue wakes when it is the call's turn.
    #[inline]
    pub const fn waker(&self) -> Option<&'a Waker> {
        self.waker
    }
}
