//! What becomes of a request for permits: the straight way, and what is off it.

use resilience_core::{
    Admission, Code, Kind, Nanos, Policy, Rejection, event::Level, saturating_nanos, sync::back_off,
};

use crate::{
    Event, RateLimiter,
    cell::{Straight, View},
    gcra::Decision,
};

/// A request for permits.
#[derive(Clone, Copy)]
pub(crate) struct Ask {
    pub(crate) permits: u64,
    pub(crate) now: Nanos,
    pub(crate) deadline: Nanos,
    /// Whether it may wait, as long as the configuration allows.
    pub(crate) waits: bool,
}

/// A request that goes on.
struct Grant {
    next: u64,
    start: Nanos,
}

/// A request that takes nothing.
enum Refusal {
    /// It asked for nothing, or the limiter is disabled: it passes.
    NothingToTake,
    Rejected(Rejection),
}

impl RateLimiter {
    #[inline(always)]
    pub(crate) fn request(&self, ask: Ask) -> Admission<u64> {
        match self.cell.take(ask.permits, ask.now, ask.waits) {
            Straight::Taken => Admission::Go(ask.permits),
            Straight::Refused { retry_after } => Admission::Reject(self.refused(retry_after)),
            straight => self.ask_slowly(&ask, straight),
        }
    }

    #[inline(always)]
    fn refused(&self, retry_after: u64) -> Rejection {
        let rejection = self.rejection(Code::RateLimitExceeded).with_retry_after_nanos(retry_after);
        if self.events.is_heard_at(Level::Debug) {
            self.tell(rejection);
        }
        rejection
    }

    /// Off the straight way: a lost exchange, a wait, a rejection that takes a closer look, nothing to take, a live change.
    #[cold]
    #[inline(never)]
    fn ask_slowly(&self, ask: &Ask, mut straight: Straight) -> Admission<u64> {
        while let Straight::Lost = straight {
            back_off();
            straight = self.cell.take(ask.permits, ask.now, ask.waits);
        }
        match straight {
            Straight::Taken => return Admission::Go(ask.permits),
            Straight::Refused { retry_after } => return Admission::Reject(self.refused(retry_after)),
            Straight::Lost | Straight::Off => {}
        }
        let begin = std::cell::Cell::new(ask.now);
        let taken = self.cell.update(ask.now, |view| {
            let Grant { next, start } = self.judge(view, ask)?;
            begin.set(start);
            Ok(next)
        });
        let (Ask { permits, now, .. }, start) = (*ask, begin.get());
        match taken {
            Ok(()) if start <= now => Admission::Go(permits),
            Ok(()) => {
                self.waits.add(|| start.since(now));
                self.publish(now, || Event::WaitStarted { permits, start, wait: start.since(now) });
                Admission::GoAt(permits, start)
            }
            Err(Refusal::NothingToTake) => Admission::Go(0),
            Err(Refusal::Rejected(rejection)) => {
                self.publish(now, || Event::Rejected(rejection));
                Admission::Reject(rejection)
            }
        }
    }

    /// What becomes of a request, by what the limiter is now. Changes nothing.
    fn judge(&self, view: &View, ask: &Ask) -> Result<Grant, Refusal> {
        let (Ask { permits, now, deadline, waits }, numbers) = (*ask, &view.numbers);
        if permits == 0 || numbers.limit == 0 {
            return Err(Refusal::NothingToTake);
        }
        if permits > numbers.limit {
            return Err(Refusal::Rejected(self.rejection(Code::TooManyPermits)));
        }
        let nanos = view.since_base(now);
        let max_wait = if waits { numbers.max_wait } else { 0 };
        let latest = nanos.saturating_add(max_wait).min(Nanos::LAST.as_u64() - numbers.base);
        match numbers.rate.decide(view.arrival(), nanos, permits, latest) {
            Decision::Now { next } => Ok(Grant { next, start: now }),
            Decision::At { next, start } => {
                let start = Nanos::new(numbers.base + start);
                if start > deadline {
                    let late = saturating_nanos(start.since(deadline));
                    let rejection = Rejection::timed_out(self.id, Self::LAYER).with_retry_after_nanos(late);
                    return Err(Refusal::Rejected(rejection));
                }
                Ok(Grant { next, start })
            }
            Decision::No { start } => {
                let rejection = self.rejection(Code::RateLimitExceeded);
                let beyond_the_clock = Nanos::new(numbers.base + start).is_never();
                Err(Refusal::Rejected(if beyond_the_clock {
                    rejection
                } else {
                    rejection.with_retry_after_nanos(start - nanos - max_wait)
                }))
            }
        }
    }

    /// The rejection that [`RateLimiter::try_acquire_n`] would give now.
    pub(crate) fn peek(&self, n: u64) -> Option<Rejection> {
        let ask = Ask { permits: n, now: self.clock.now(), deadline: Nanos::NEVER, waits: false };
        match self.judge(&self.cell.view(), &ask) {
            Err(Refusal::Rejected(rejection)) => Some(rejection),
            Ok(_) | Err(Refusal::NothingToTake) => None,
        }
    }

    /// Publishes a rejection.
    #[cold]
    pub(crate) fn tell(&self, rejection: Rejection) {
        self.publish(self.clock.now(), || Event::Rejected(rejection));
    }

    #[inline(always)]
    fn rejection(&self, code: Code) -> Rejection {
        Rejection::new(code, Kind::RATE_LIMIT_EXCEEDED, self.id, Self::LAYER)
    }
}
