//! The decision, as a pure function: how an attempt ended, which one it was and what the time is, against the
//! configuration.

use std::{fmt, time::Duration};

use resilience_core::{Code, Cx, Kind, Layer, Nanos, Outcome, Rejection};

use crate::{Attempt, Config};

/// Why a call that failed is not tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// All attempts that `max_attempts` allows are made.
    Attempts,
    /// The next one would start after `max_duration`.
    MaxDuration,
    /// The next one would start after the call's own deadline, or the deadline cut this one short.
    Deadline,
    /// The budget has no retry left.
    Budget,
    /// What it failed with is not to be tried again: an open breaker's rejection, a panic, an interrupt, an impossible
    /// request, a kind that the lists leave out, or one that the classifier calls final.
    NotRetryable,
}

impl Reason {
    /// The name, in `snake_case`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attempts => "attempts",
            Self::MaxDuration => "max_duration",
            Self::Deadline => "deadline",
            Self::Budget => "budget",
            Self::NotRetryable => "not_retryable",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Attempts => "no attempts left",
            Self::MaxDuration => "no time left before max_duration",
            Self::Deadline => "no time left before the deadline",
            Self::Budget => "no budget left",
            Self::NotRetryable => "not retryable",
        })
    }
}

/// What becomes of a call whose attempt has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It did not fail.
    Over,
    /// It failed for good.
    Stop(Reason),
    /// Again at `when`, `delay` from now; of that, `drawn` nanoseconds by the curve and by chance.
    Again { kind: Kind, when: Nanos, delay: Duration, drawn: u64 },
}

/// What becomes of the call. Asks for chance once and for the time once, and only if there may be another attempt.
pub(crate) fn decide(
    config: &Config,
    attempt: &Attempt,
    outcome: &Outcome,
    chance: impl FnOnce() -> u64,
    cx: &mut Cx<'_>,
) -> Decision {
    let Some(kind) = outcome.kind() else { return Decision::Over };
    if let Some(reason) = never(outcome) {
        return Decision::Stop(reason);
    }
    if config.abort_on.contains(kind) || !config.retry_on.contains(kind) {
        return Decision::Stop(Reason::NotRetryable);
    }
    let number = attempt.number();
    if number >= config.max_attempts {
        return Decision::Stop(Reason::Attempts);
    }
    let drawn = config.wait(number, attempt.previous(), chance);
    let delay = Duration::from_nanos(drawn).max(floor(outcome));
    let when = cx.now().after(delay);
    let limit = config.max_duration.map_or(Nanos::NEVER, |limit| attempt.start().after(limit));
    if when > limit {
        return Decision::Stop(Reason::MaxDuration);
    }
    if when > cx.deadline() {
        return Decision::Stop(Reason::Deadline);
    }
    Decision::Again { kind, when, delay, drawn }
}

/// What no list and no classifier makes retryable.
fn never(outcome: &Outcome) -> Option<Reason> {
    let is_final = match outcome {
        Outcome::Failure(failure) => !failure.is_retryable(),
        Outcome::Rejected(rejection) if is_cut(rejection) => return Some(Reason::Deadline),
        Outcome::Rejected(rejection) => matches!(rejection.code(), Code::Interrupted | Code::TooManyPermits),
        Outcome::Success | Outcome::Ignored | Outcome::Expired => true,
    };
    let is_of_such_a_kind =
        matches!(outcome.kind(), Some(Kind::CALL_NOT_PERMITTED | Kind::INTERRUPTED | Kind::PANICKED));
    (is_final || is_of_such_a_kind).then_some(Reason::NotRetryable)
}

/// Whether the call's own deadline has ended it, in an attempt or in the wait before one.
fn is_cut(rejection: &Rejection) -> bool {
    matches!(rejection.layer(), Layer::CALL | Layer::RETRY) && rejection.code() == Code::TimedOut
}

/// Before that, another attempt is bound to fail.
fn floor(outcome: &Outcome) -> Duration {
    let retry_after = match outcome {
        Outcome::Failure(failure) => failure.retry_after(),
        Outcome::Rejected(rejection) => rejection.retry_after(),
        _ => None,
    };
    retry_after.unwrap_or_default()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use resilience_core::{Class, Id, KindSet, ManualClock};

    use super::*;
    use crate::{Jitter, plans::Plans};

    const MS: Duration = Duration::from_millis(1);

    fn config() -> Config {
        Config { jitter: Jitter::None, ..Config::default() }
    }

    fn decide_at(
        config: &Config,
        attempt: &Attempt,
        outcome: impl Into<Outcome>,
        now: Nanos,
        deadline: Nanos,
    ) -> Decision {
        let clock = ManualClock::new().clock();
        let mut cx = Cx::new(&clock).with_now(now).with_deadline(deadline);
        decide(config, attempt, &outcome.into(), || 0, &mut cx)
    }

    fn first(config: &Config, outcome: impl Into<Outcome>) -> Decision {
        let attempt = Attempt::first(Plans::new(*config).mode());
        decide_at(config, &attempt, outcome, Nanos::ZERO, Nanos::NEVER)
    }

    fn rejected(code: Code, kind: Kind, layer: Layer) -> Rejection {
        Rejection::new(code, kind, Id::new("inner"), layer)
    }

    #[test]
    fn what_must_not_be_tried_again_is_not_whatever_the_lists_say() {
        let all = Config { retry_on: KindSet::ALL, max_attempts: u32::MAX, ..config() };
        let limited = rejected(Code::RateLimitExceeded, Kind::RATE_LIMIT_EXCEEDED, Layer::RATE_LIMITER);
        let timed_out = Rejection::timed_out(Id::new("inner"), Layer::TIMEOUT);
        let retried = [
            Outcome::from(Class::failure(Kind::FAILED)),
            Outcome::Rejected(limited),
            Outcome::Rejected(timed_out),
            Outcome::Rejected(timed_out.with_late()),
        ];
        for outcome in retried {
            assert!(matches!(first(&all, outcome), Decision::Again { .. }), "{outcome:?}");
        }
        let final_ones = [
            Outcome::PANICKED,
            Class::failure(Kind::FAILED).never_retry().into(),
            Class::failure(Kind::CALL_NOT_PERMITTED).into(),
            Outcome::Rejected(rejected(Code::CallNotPermitted, Kind::CALL_NOT_PERMITTED, Layer::CIRCUIT_BREAKER)),
            Outcome::Rejected(rejected(Code::TooManyPermits, Kind::RATE_LIMIT_EXCEEDED, Layer::RATE_LIMITER)),
            Outcome::Rejected(Rejection::interrupted(Id::new("inner"), Layer::RATE_LIMITER)),
        ];
        for outcome in final_ones {
            assert_eq!(first(&all, outcome), Decision::Stop(Reason::NotRetryable), "{outcome:?}");
        }
        let cut = Rejection::timed_out(Id::new("inner"), Layer::CALL);
        for cut in [cut, cut.with_late()] {
            assert_eq!(first(&all, Outcome::Rejected(cut)), Decision::Stop(Reason::Deadline));
        }
        for outcome in [Outcome::Success, Outcome::Ignored] {
            assert_eq!(first(&all, outcome), Decision::Over);
        }
    }

    #[test]
    fn the_lists_choose_and_abort_on_outweighs_retry_on() {
        let failed = Class::failure(Kind::FAILED);
        let stop = Decision::Stop(Reason::NotRetryable);
        let lists = |retry_on, abort_on| Config { retry_on, abort_on, ..config() };
        assert_eq!(first(&lists(Kind::TIMED_OUT.into(), KindSet::EMPTY), failed), stop);
        assert_eq!(first(&lists(Kind::FAILED.into(), Kind::FAILED.into()), failed), stop);
        assert!(matches!(first(&lists(Kind::FAILED.into(), Kind::TIMED_OUT.into()), failed), Decision::Again { .. }));
    }

    #[test]
    fn limits_are_reached_exactly() {
        let failed = Class::failure(Kind::FAILED);
        let config = Config { max_duration: Some(150 * MS), max_attempts: 3, ..config() };
        let begun = Attempt::first(Plans::new(config).mode()).begun_at(Nanos::ZERO.after(7 * MS));
        let at = |ms, ns, deadline| {
            let now = Nanos::ZERO.after(ms * MS + Duration::from_nanos(ns));
            decide_at(&config, &begun, failed, now, deadline)
        };
        let expected = Decision::Again {
            kind: Kind::FAILED,
            when: Nanos::ZERO.after(157 * MS),
            delay: 100 * MS,
            drawn: 100_000_000,
        };
        assert_eq!(at(57, 0, Nanos::NEVER), expected);
        assert_eq!(at(57, 1, Nanos::NEVER), Decision::Stop(Reason::MaxDuration));
        assert_eq!(at(57, 0, Nanos::ZERO.after(157 * MS)), expected);
        assert_eq!(at(57, 0, Nanos::new(156_999_999)), Decision::Stop(Reason::Deadline));
        let third = begun.next(0).next(0);
        assert_eq!(decide_at(&config, &third, failed, Nanos::ZERO, Nanos::NEVER), Decision::Stop(Reason::Attempts));
    }

    #[test]
    fn a_retry_after_is_a_floor_also_above_the_cap() {
        let capped = Config { delay: 10 * MS, max_delay: 10 * MS, ..config() };
        for (asked, delay) in
            [(Duration::ZERO, 10 * MS), (9 * MS, 10 * MS), (11 * MS, 11 * MS), (9_000 * MS, 9_000 * MS)]
        {
            let limited = rejected(Code::RateLimitExceeded, Kind::RATE_LIMIT_EXCEEDED, Layer::RATE_LIMITER);
            let by_server = Class::failure(Kind::FAILED).retry_after(asked);
            for outcome in [Outcome::Rejected(limited.with_retry_after(asked)), by_server.into()] {
                let Decision::Again { when, delay: found, drawn, .. } = first(&capped, outcome) else {
                    panic!("again")
                };
                assert_eq!((Duration::from(when), found, drawn), (delay, delay, 10_000_000));
            }
        }
    }
}
