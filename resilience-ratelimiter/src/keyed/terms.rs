//! The decision on one key, as a pure function of its arrival time, its rate and what is asked. Unlike a single
//! limiter's word, the arrival is a plain number behind a lock, so time counts from the origin of the clock.

use resilience_core::{Code, Id, Kind, Layer, Nanos, Rejection, saturating_nanos};

use crate::{
    Config,
    gcra::{Decision, Rate},
    request::Ask,
};

/// What holds for every key of a shard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// The rate of the keys without a quota of their own.
    pub(super) rate: Rate,
    /// How long a call may wait, in nanoseconds.
    max_wait: u64,
    enabled: bool,
    /// Who signs a rejection.
    id: Id,
}

/// Where the straight way ends.
pub(super) enum Straight {
    /// It goes on, and the arrival is this.
    Now(u64),
    /// It does not: that comes so many nanoseconds too early.
    TooEarly(u64),
    /// It takes a closer look: several permits or none, a wait, a rate that is not of whole nanoseconds.
    Off,
}

/// What becomes of a call.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    /// It takes nothing and goes on.
    Pass,
    /// It goes on.
    Now,
    /// It goes on at this moment.
    At(Nanos),
    Reject(Rejection),
}

impl Terms {
    pub(super) fn new(config: &Config, id: Id) -> Self {
        Self {
            rate: Rate::new(config.permits, config.period),
            max_wait: saturating_nanos(config.max_wait),
            enabled: config.enabled,
            id,
        }
    }

    /// As `judge`, for the most frequent answers.
    #[inline(always)]
    pub(super) fn straight(&self, rate: &Rate, arrival: u64, ask: &Ask) -> Straight {
        if ask.permits != 1 || !self.enabled {
            return Straight::Off;
        }
        let now = rate.units(ask.now.as_u64());
        let next = arrival.max(now) + rate.interval;
        if next <= now + rate.burst {
            return Straight::Now(next);
        }
        let waits = ask.waits && self.max_wait > 0;
        let due = next - rate.burst;
        if !waits && rate.is_whole() && due <= Nanos::LAST.as_u64() {
            return Straight::TooEarly(due - now);
        }
        Straight::Off
    }

    /// What becomes of `ask` at a key with this rate and arrival, and the arrival afterwards.
    pub(super) fn judge(&self, rate: &Rate, arrival: u64, ask: &Ask) -> (Answer, u64) {
        let Ask { permits, now, .. } = *ask;
        if permits == 0 || !self.enabled {
            return (Answer::Pass, arrival);
        }
        if !fits(rate, permits) {
            return (Answer::Reject(rejection(Code::TooManyPermits, self.id)), arrival);
        }
        let max_wait = if ask.waits { self.max_wait } else { 0 };
        let latest = now.as_u64().saturating_add(max_wait).min(Nanos::LAST.as_u64());
        match rate.decide(arrival, now.as_u64(), permits, latest) {
            Decision::Now { next } => (Answer::Now, next),
            Decision::At { next, start } => match Nanos::new(start) {
                start if start > ask.deadline => {
                    let late = saturating_nanos(start.since(ask.deadline));
                    let rejection = Rejection::timed_out(self.id, Layer::RATE_LIMITER);
                    (Answer::Reject(rejection.with_retry_after_nanos(late)), arrival)
                }
                start => (Answer::At(start), next),
            },
            Decision::No { start } => {
                let rejection = rejection(Code::RateLimitExceeded, self.id);
                let rejection = if Nanos::new(start).is_never() {
                    rejection
                } else {
                    rejection.with_retry_after_nanos(start - now.as_u64() - max_wait)
                };
                (Answer::Reject(rejection), arrival)
            }
        }
    }
}

/// A rejection that does not say when to come back.
#[inline(always)]
pub(super) fn rejection(code: Code, id: Id) -> Rejection {
    Rejection::new(code, Kind::RATE_LIMIT_EXCEEDED, id, Layer::RATE_LIMITER)
}

/// Whether a key of this rate can ever have so many permits at once.
pub(super) fn fits(rate: &Rate, permits: u64) -> bool {
    rate.interval.checked_mul(permits).is_some_and(|cost| cost <= rate.burst)
}

/// The arrival from `now` on under another rate: what is used stays used, what is promised stays promised. An equal
/// rate changes nothing.
pub(super) fn carried(from: &Rate, arrival: u64, now: Nanos, to: &Rate) -> u64 {
    if from == to {
        return arrival;
    }
    let debt = from.carry_over(arrival, now.as_u64(), to);
    to.units(now.as_u64()).saturating_add(debt).min(FARTHEST)
}

/// Arrivals stay below 2^63.
const FARTHEST: u64 = u64::MAX >> 1;
