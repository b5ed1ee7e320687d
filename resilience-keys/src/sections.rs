//! The table of keys.

use std::time::Duration;

use crate::Default::{Derived, Unset, Value};
use crate::ValueKind::{Bool, Count, Factor, Kinds, Percent, Word};
use crate::value_kind::Span;
use crate::{Code, Key, Section, ValueKind};

/// Every section, in the order in which the documentation lists them.
pub const SECTIONS: &[&Section] = &[&RATE_LIMITER, &CIRCUIT_BREAKER, &RETRY, &TIMEOUT, &BULKHEAD];

/// Where nothing but the width of the number is a bound.
const MANY: u64 = u32::MAX as u64;
const ANY: ValueKind = ValueKind::Duration { zero: true, max: Duration::MAX };
const POSITIVE: ValueKind = ValueKind::Duration { zero: false, max: Duration::MAX };
const UP_TO_A_CENTURY: ValueKind = ValueKind::Duration { zero: false, max: Span::YEAR.saturating_mul(100) };

/// Writes a section from rows of `key: what it takes, default[, code of its own];` under the
/// key's documentation, and ends it with `enabled`.
macro_rules! section {
    (
        $(#[$meta:meta])+ $section:ident = $name:literal, $title:literal;
        $($(#[doc = $doc:literal])+ $key:ident: $value:expr, $default:expr $(, $code:ident)?;)+
    ) => {
        $(#[$meta])+
        pub const $section: Section = Section {
            name: $name,
            title: $title,
            keys: &[
                $(Key {
                    name: stringify!($key),
                    value: $value,
                    default: $default,
                    doc: concat!($($doc),+).trim_ascii(),
                    code: section!(@code $($code)?),
                },)+
                Key {
                    name: "enabled",
                    value: Bool,
                    default: Value("true"),
                    doc: "`false` makes the policy transparent: every call passes, nothing is recorded.",
                    code: None,
                },
            ],
        };
    };
    (@code) => { None };
    (@code $code:ident) => { Some(Code::$code) };
}

section! {
    /// The keys of the rate limiter.
    RATE_LIMITER = "rate_limiter", "Rate limiter";

    /// Calls per `period`; as many may start at once after a quiet moment.
    permits: Count { min: 1, max: 1_000_000_000 }, Value("50");
    /// The time over which `permits` calls may start; at least 1 ns for each permit.
    period: UP_TO_A_CENTURY, Value("1s");
    /// How long a call may wait for its permit; a call that would wait longer is rejected at once.
    max_wait: ANY, Value("0");
}

section! {
    /// The keys of the circuit breaker.
    CIRCUIT_BREAKER = "circuit_breaker", "Circuit breaker";

    /// Whether the rates are taken over the last `window_size` calls or the last `window_duration`.
    window_type: Word(&["count", "time"]), Value("count");
    /// How many of the latest calls a count window holds.
    window_size: Count { min: 1, max: 100_000 }, Value("100");
    /// How far back a time window reaches, in ten buckets.
    window_duration: POSITIVE, Value("10s");
    /// Calls that must have been recorded before the rates are looked at; at most `window_size` in
    /// a count window.
    minimum_calls: Count { min: 1, max: MANY }, Derived("20, or `window_size` if smaller");
    /// The share of failed calls, in percent, at which the breaker opens.
    failure_rate_threshold: Percent, Value("50");
    /// A call that takes longer than this counts as slow.
    slow_call_duration: POSITIVE, Unset;
    /// The share of slow calls, in percent, at which the breaker opens.
    slow_call_rate_threshold: Percent, Value("100");
    /// How long the breaker stays open before it lets a probe through.
    wait_in_open: POSITIVE, Value("30s");
    /// Makes each consecutive opening longer by this factor, until the breaker closes.
    wait_in_open_multiplier: Factor { min: 1.0 }, Value("1");
    /// The longest that `wait_in_open_multiplier` can make an opening.
    max_wait_in_open: POSITIVE, Derived("10m, or `wait_in_open` if larger");
    /// Probes that decide, half-open, whether the breaker closes or opens again.
    permitted_in_half_open: Count { min: 1, max: MANY }, Value("5");
    /// How long the breaker may stay half-open before it opens again; `0` for as long as it takes.
    max_wait_in_half_open: ANY, Value("60s");
    /// The kinds of failure that count as failures; others count as successes.
    record_on: Kinds, Derived("all failures");
    /// The kinds of failure that count as nothing at all.
    ignore_on: Kinds, Unset;
    /// Whether a call that was dropped before it ended counts as nothing or as a failure.
    on_dropped: Word(&["ignore", "failure"]), Value("ignore");
}

section! {
    /// The keys of the retry.
    RETRY = "retry", "Retry";

    /// Calls in all, the first one included.
    max_attempts: Count { min: 1, max: MANY }, Value("3");
    /// The delay before the second call, ahead of jitter.
    delay: ANY, Value("100ms");
    /// How the delay grows from call to call.
    backoff: Word(&["fixed", "linear", "exponential"]), Value("exponential");
    /// The factor between two delays of an exponential backoff.
    multiplier: Factor { min: 1.0 }, Value("2");
    /// The cap on the delay, ahead of jitter; at least `delay`.
    max_delay: ANY, Derived("30s, or `delay` if larger");
    /// How chance spreads the delays, so that callers do not come back all at once.
    jitter: Word(&["none", "full", "equal", "decorrelated"]), Value("full");
    /// No call starts later than this after the first one started.
    max_duration: POSITIVE, Unset;
    /// The kinds of failure and rejection that are tried again.
    retry_on: Kinds, Derived("all failures and rejections");
    /// The kinds of failure and rejection that end it at once.
    abort_on: Kinds, Unset;
    /// The most retries, in percent of the calls in `budget_window`, over all calls of the instance.
    budget_percent: Percent, Unset, BadBudget;
    /// Retries per second that the budget allows on top, however few calls there are.
    budget_min_per_second: Count { min: 0, max: MANY }, Value("1"), BadBudget;
    /// How far back the budget counts calls and retries.
    budget_window: POSITIVE, Value("10s"), BadBudget;
}

section! {
    /// The keys of the timeout.
    TIMEOUT = "timeout", "Timeout";

    /// How long what is inside may take.
    timeout: POSITIVE, Value("2s");
}

section! {
    /// The keys of the bulkhead.
    BULKHEAD = "bulkhead", "Bulkhead";

    /// Calls that may run at the same time.
    max_concurrent: Count { min: 1, max: i32::MAX as u64 }, Value("25");
    /// How long a call may wait for a slot.
    max_wait: ANY, Value("0");
    /// Calls that may wait at the same time; unset, any number.
    max_queue: Count { min: 0, max: MANY }, Unset;
}
