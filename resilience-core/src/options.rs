use std::{task::Waker, time::Duration};

use crate::{Clock, Cx, Id, Interrupt, Layer, Nanos, Rejection, interrupt::Watch};

/// What one call asks for beyond the configuration: a deadline, a limit for each attempt, an [`Interrupt`], a number of
/// permits.
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
    asked: Asked,
    interrupt: Option<Attended>,
}

/// What the policies may ask of a call: plain words, for the compiler to know them where a call asks for nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) deadline: Nanos,
    /// A length of time, which a clock can show; `NEVER`: none.
    pub(crate) attempt_timeout: Nanos,
    pub(crate) permits: u64,
}

impl CallOptions {
    /// No deadline, no interrupt, one permit.
    pub const fn new() -> Self {
        Self { timeout: Nanos::NEVER, asked: Asked::NOTHING, interrupt: None }
    }

    /// The whole call, waits and further attempts included, ends this long after it began: rejected with R4C-RT-003.
    /// A wait that would end later is refused at once. Of this and [`CallOptions::deadline`] the earlier holds.
    ///
    /// It holds in any pipeline, whose id signs the rejection, and beside the limit that a timeout policy sets on each
    /// attempt: for that one see [`CallOptions::attempt_timeout`].
    #[inline]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Nanos::ZERO.after(timeout);
        self
    }

    /// The whole call ends at this moment of the policies' clock; see [`CallOptions::timeout`].
    pub const fn deadline(mut self, deadline: Nanos) -> Self {
        self.asked.deadline = deadline;
        self
    }

    /// Takes the place of the configured limit of the timeout policy for this call: how long each attempt may take, once
    /// it got through to that policy. The policy signs the rejection, R4C-RT-003; a retry around it may try again.
    /// `Duration::MAX` lifts the limit.
    ///
    /// Without a timeout policy, or with one that is disabled, it does nothing. To limit the call as a whole, waits and
    /// further attempts included, see [`CallOptions::timeout`].
    pub const fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.asked = self.asked.with_attempt_timeout(timeout);
        self
    }

    /// Lets `interrupt` end the call's waits.
    pub fn interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.interrupt = Some(Attended { interrupt: interrupt.clone(), triggers: None });
        self
    }

    /// How many permits each attempt takes from a rate limiter (default 1).
    pub const fn permits(mut self, permits: u64) -> Self {
        self.asked.permits = permits;
        self
    }

    /// The call begins now: from here on the timeout is a deadline. Reads the clock only if there is a timeout.
    #[inline(always)]
    pub(crate) fn begin<'a>(&mut self, clock: &'a Clock) -> Cx<'a> {
        if self.timeout.is_never() {
            return self.asked.cx(clock);
        }
        let now = clock.now();
        self.asked.deadline = self.asked.deadline.min(now.after(self.timeout.into()));
        self.timeout = Nanos::NEVER;
        self.asked.cx(clock).with_now(now)
    }

    /// From the beginning on: what the policies may ask.
    #[inline(always)]
    pub(crate) fn asked(&self) -> &Asked {
        &self.asked
    }

    /// Whether there is a deadline, or will be.
    #[inline(always)]
    pub(crate) fn has_deadline(&self) -> bool {
        !(self.timeout.is_never() && self.asked.deadline.is_never())
    }

    /// All that has to be dropped.
    pub(crate) fn take_interrupt(&mut self) -> impl Sized + use<> {
        self.interrupt.take()
    }

    /// Whether there is an interrupt.
    #[inline(always)]
    pub(crate) fn is_attended(&self) -> bool {
        self.interrupt.is_some()
    }

    /// Wakes `waker` at a trigger, if there is an interrupt.
    pub(crate) fn watch(&self, waker: &Waker) -> Option<Watch> {
        self.interrupt.as_ref().map(|attended| attended.interrupt.watch(waker))
    }

    /// Whether the interrupt is triggered, or was since the wait began: since this was asked first.
    pub(crate) fn is_interrupted(&mut self) -> bool {
        let Some(Attended { interrupt, triggers }) = &mut self.interrupt else { return false };
        let now = interrupt.triggers();
        interrupt.is_triggered() || *triggers.get_or_insert(now) != now
    }

    /// The next wait is another one.
    pub(crate) fn wait_is_over(&mut self) {
        if let Some(attended) = &mut self.interrupt {
            attended.triggers = None;
        }
    }
}

impl Asked {
    pub(crate) const NOTHING: Self = Self { deadline: Nanos::NEVER, attempt_timeout: Nanos::NEVER, permits: 1 };

    #[inline]
    pub(crate) const fn with_attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = Nanos::ZERO.after(timeout).clamp_to_clock();
        self
    }

    #[inline(always)]
    pub(crate) fn cx<'a>(&self, clock: &'a Clock) -> Cx<'a> {
        Cx::asked(clock, *self)
    }

    /// The rejection of a call whose own deadline has passed. Reads the clock only if there is one.
    #[inline(always)]
    pub(crate) fn overdue(&self, id: Id, cx: &mut Cx<'_>) -> Option<Rejection> {
        (!self.deadline.is_never() && cx.now() > self.deadline).then(|| Rejection::timed_out(id, Layer::CALL))
    }
}

/// An interrupt, and how often it had been triggered when the wait began.
#[derive(Clone, Debug)]
struct Attended {
    interrupt: Interrupt,
    triggers: Option<u64>,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self::new()
    }
}
