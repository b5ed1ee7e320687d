use std::{task::Waker, time::Duration};

use crate::{Clock, Nanos, options::Asked};

/// What a policy may ask while it decides: the time, and what the call asked for.
///
/// Made anew for each pass through the layers. The clock is read when the first layer asks, and not again: all
/// layers of one pass see the same time.
#[derive(Clone, Copy, Debug)]
pub struct Cx<'a> {
    clock: &'a Clock,
    /// `NEVER`: not read yet.
    now: Nanos,
    asked: Asked,
    /// A word, like all that is copied with it: the padding after a `bool` would be copied too, byte for byte.
    at_once: u64,
    waker: Option<&'a Waker>,
}

impl<'a> Cx<'a> {
    /// For a call without options.
    #[inline]
    pub const fn new(clock: &'a Clock) -> Self {
        Self::asked(clock, Asked::NOTHING)
    }

    #[inline(always)]
    pub(crate) const fn asked(clock: &'a Clock, asked: Asked) -> Self {
        Self { clock, now: Nanos::NEVER, asked, at_once: 0, waker: None }
    }

    /// With a deadline of the call itself.
    #[inline]
    #[must_use]
    pub const fn with_deadline(mut self, deadline: Nanos) -> Self {
        self.asked.deadline = deadline;
        self
    }

    /// With a number of permits.
    #[inline]
    #[must_use]
    pub const fn with_permits(mut self, permits: u64) -> Self {
        self.asked.permits = permits;
        self
    }

    /// With a limit for each attempt.
    #[inline]
    #[must_use]
    pub const fn with_attempt_timeout(mut self, timeout: Duration) -> Self {
        self.asked = self.asked.with_attempt_timeout(timeout);
        self
    }

    /// For a future that was ready when it was polled first.
    #[inline]
    #[must_use]
    pub const fn with_at_once(mut self) -> Self {
        self.at_once = 1;
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

    /// The time, if it was read; else [`Nanos::NEVER`]. What a function off the straight way is given in place of a whole
    /// `Cx`, whose copy would be waited for.
    #[inline(always)]
    pub const fn reading(&self) -> Nanos {
        self.now
    }

    /// Takes over what such a function read.
    #[inline(always)]
    pub const fn learn(&mut self, reading: Nanos) {
        self.now = reading;
    }

    /// When the call as a whole must have ended; [`Nanos::NEVER`] if it has no deadline of its own.
    #[inline]
    pub const fn deadline(&self) -> Nanos {
        self.asked.deadline
    }

    /// How many permits the call asks for.
    #[inline]
    pub const fn permits(&self) -> u64 {
        self.asked.permits
    }

    /// What the call says for itself in place of the configured limit on each attempt
    /// ([`CallOptions::attempt_timeout`](crate::CallOptions::attempt_timeout)).
    #[inline]
    pub fn attempt_timeout(&self) -> Option<Duration> {
        (!self.asked.attempt_timeout.is_never()).then(|| self.asked.attempt_timeout.into())
    }

    /// Whether what is settled is a future that was ready when it was polled first: nothing has been waited for, and the
    /// clock is not worth a reading only to see that it came in time. (False for a call with a deadline of its own, for
    /// which the clock has been read.)
    #[inline]
    pub const fn is_at_once(&self) -> bool {
        self.at_once != 0
    }

    /// Whom a queue wakes when it is the call's turn.
    #[inline]
    pub const fn waker(&self) -> Option<&'a Waker> {
        self.waker
    }
}
