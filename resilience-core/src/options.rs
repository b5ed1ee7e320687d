use std::time::Duration;

use crate::{Clock, Cx, Id, Interrupt, Layer, Nanos, Rejection};

/// What one call asks for beyond the configuration: a deadline, an [`Interrupt`], a number of permits.
///
/// ```
/// use resilience_core::{CallOptions, Interrupt};
/// use std::time::Duration;
///
/// let interrupt = Interrupt::new();
/// let options = CallOptions::new().timeout(Duration::from_secs(2)).interrupt(&interrupt).permits(3);
/// # drop(options);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct CallOptions {
    /// `NEVER`: none, or turned into the deadline already.
    timeout: Nanos,
    deadline: Nanos,
    interrupt: Option<Interrupt>,
    permits: u64,
}

impl CallOptions {
    /// No deadline, no interrupt, one permit.
    pub const fn new() -> Self {
        Self { timeout: Nanos::NEVER, deadline: Nanos::NEVER, interrupt: None, permits: 1 }
    }

    /// The whole call, waits and further attempts included, ends this long after it began: rejected with R4C-RT-003.
    /// A wait that would end later is refused at once. Of this and [`CallOptions::deadline`] the earlier holds.
    #[inline]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Nanos::ZERO.after(timeout);
        self
    }

    /// The whole call ends at this moment of the policies' clock; see [`CallOptions::timeout`].
    pub const fn deadline(mut self, deadline: Nanos) -> Self {
        self.deadline = deadline;
        self
    }

    /// Lets `interrupt` end the call's waits.
    pub fn interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.interrupt = Some(interrupt.clone());
        self
    }

    /// How many permits each attempt takes from a rate limiter (default 1).
    pub const fn permits(mut self, permits: u64) -> Self {
        self.permits = permits;
        self
    }

    /// The call begins now: from here on the timeout is a deadline. Reads the clock only if there is a timeout.
    #[inline(always)]
    pub(crate) fn begin<'a>(&mut self, clock: &'a Clock) -> Cx<'a> {
        if self.timeout.is_never() {
            return self.cx(clock);
        }
        let now = clock.now();
        self.deadline = self.deadline.min(now.after(self.timeout.into()));
        self.timeout = Nanos::NEVER;
        self.cx(clock).with_now(now)
    }

    /// What the policies may ask of a call with these options.
    #[inline(always)]
    pub(crate) fn cx<'a>(&self, clock: &'a Clock) -> Cx<'a> {
        Cx::new(clock).with_deadline(self.deadline).with_permits(self.permits)
    }

    /// The rejection of a call whose own deadline has passed. Reads the clock only if there is one.
    #[inline(always)]
    pub(crate) fn overdue(&self, id: Id, cx: &mut Cx<'_>) -> Option<Rejection> {
        (!self.deadline.is_never() && cx.now() > self.deadline).then(|| Rejection::timed_out(id, Layer::CALL))
    }

    pub(crate) fn deadline_set(&self) -> Nanos {
        self.deadline
    }

    pub(crate) fn interrupt_given(&self) -> Option<&Interrupt> {
        self.interrupt.as_ref()
    }
}

impl Default for CallOptions {
    fn default() -> Self {
        Self::new()
    }
}
