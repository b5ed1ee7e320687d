//! What becomes of a call off the straight way: where its begin matters, and where an attempt has failed or was not the
//! first.

use resilience_core::{
    Cx, Managed, Nanos, Outcome, Policy, Verdict,
    event::Level,
    sync::{AtomicU64, Ordering, lock, lock_briefly},
};

use crate::{
    Attempt, Event, Reason, Retry,
    decision::{Decision, decide},
    plans::Mode,
};

impl Retry {
    /// A first attempt that has something to write down: the time, or itself in the budget.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin(&self, mode: Mode, reading: Nanos) -> (Attempt, Nanos) {
        let mut cx = Cx::new(&self.clock).with_now(reading);
        if mode.is_disabled() {
            return (Attempt::unwatched(mode), reading);
        }
        let mut attempt = Attempt::first(mode);
        if mode.is_timed() {
            attempt = attempt.begun_at(cx.now());
        }
        if mode.is_budgeted() {
            let now = cx.now();
            if let Some(budget) = &mut *lock_briefly(&self.budget) {
                budget.count(now);
            }
        }
        (attempt, cx.reading())
    }

    /// An attempt that failed, or was not the first.
    #[cold]
    #[inline(never)]
    pub(crate) fn end(
        &self,
        attempt: Attempt,
        outcome: Outcome,
        deadline: Nanos,
        reading: Nanos,
    ) -> (Verdict<Attempt>, Nanos) {
        let mut cx = Cx::new(&self.clock).with_deadline(deadline).with_now(reading);
        if attempt.is_unwatched() {
            return (Verdict::Return, reading);
        }
        let mode = attempt.mode();
        let config = *lock(&self.plans).of(mode);
        let verdict = match decide(&config, &attempt, &outcome, || self.random.next_u64(), &mut cx) {
            Decision::Over => {
                if outcome == Outcome::Success {
                    add_one(&self.counts.recovered);
                    self.tell(&mut cx, || Event::SucceededAfterRetries { attempts: attempt.number() });
                }
                Verdict::Return
            }
            Decision::Stop(reason) => {
                self.stop(attempt, &outcome, reason, &mut cx);
                Verdict::Return
            }
            Decision::Again { .. } if mode.is_budgeted() && !self.take(cx.now()) => {
                self.stop(attempt, &outcome, Reason::Budget, &mut cx);
                Verdict::Return
            }
            Decision::Again { kind, when, delay, drawn } => {
                let next = attempt.next(drawn);
                add_one(&self.counts.retries);
                self.tell(&mut cx, || Event::Retried { attempt: next.number(), delay, kind });
                Verdict::Again(next, when)
            }
        };
        (verdict, cx.reading())
    }

    /// The call has failed for good.
    fn stop(&self, attempt: Attempt, outcome: &Outcome, reason: Reason, cx: &mut Cx<'_>) {
        let own_wait =
            matches!(outcome, Outcome::Rejected(by) if by.layer() == Self::LAYER && by.instance() == self.id);
        // Interrupted in its own wait, or too late after it: the attempt it waited for never began.
        let attempts = attempt.number() - u32::from(own_wait && attempt.number() > 1);
        add_one(&self.counts.exhausted);
        self.tell(cx, || Event::Exhausted { attempts, reason });
    }

    /// Takes a retry from the budget. There is none any more if a change took it away.
    fn take(&self, now: Nanos) -> bool {
        lock(&self.budget).as_mut().is_none_or(|budget| budget.take(now))
    }

    /// Publishes what happened to a call. Reads the clock only if somebody listens to that.
    fn tell(&self, cx: &mut Cx<'_>, event: impl FnOnce() -> Event) {
        if self.events.is_heard_at(Level::Debug) {
            self.publish(cx.now(), event);
        }
    }

    pub(crate) fn publish(&self, now: Nanos, event: impl FnOnce() -> Event) {
        if self.events.is_heard() {
            self.events.publish(Self::KIND, self.id, now, &event());
        }
    }
}

fn add_one(count: &AtomicU64) {
    // Ordering: Relaxed; a count.
    count.fetch_add(1, Ordering::Relaxed);
}
