//! How many calls were recorded, and what became of them.

use std::fmt;

use crate::{Cause, Config};

/// What a recorded call adds to the counts: two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(u64);

impl Mark {
    /// Worked, in time.
    pub(crate) const GOOD: Self = Self(0);

    #[inline(always)]
    pub(crate) const fn new(failed: bool, slow: bool) -> Self {
        Self((failed as u64) | (slow as u64) << 1)
    }

    #[inline(always)]
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits & 3)
    }

    #[inline(always)]
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// 1 if it failed.
    #[inline(always)]
    pub(crate) const fn failed(self) -> u64 {
        self.0 & 1
    }

    /// 1 if it was slow.
    #[inline(always)]
    pub(crate) const fn slow(self) -> u64 {
        self.0 >> 1
    }
}

/// How many calls were recorded, how many of them failed, and how many were slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Rates {
    /// The calls.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that took longer than `slow_call_duration`.
    pub slow: u64,
}

impl Rates {
    /// The share of calls that failed, in percent; `None` without a call.
    pub fn failure_rate(&self) -> Option<f64> {
        percent(self.failed, self.calls)
    }

    /// The share of calls that were slow, in percent; `None` without a call.
    pub fn slow_call_rate(&self) -> Option<f64> {
        percent(self.slow, self.calls)
    }

    pub(crate) fn add(&mut self, mark: Mark) {
        self.calls += 1;
        self.failed += mark.failed();
        self.slow += mark.slow();
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.slow += other.slow;
    }

    pub(crate) fn remove(&mut self, other: Self) {
        self.calls -= other.calls;
        self.failed -= other.failed;
        self.slow -= other.slow;
    }

    /// Which threshold they have reached, if any.
    pub(crate) fn verdict(&self, config: &Config) -> Option<Cause> {
        if reached(self.failed, self.calls, config.failure_rate_threshold) {
            return Some(Cause::FailureRate);
        }
        reached(self.slow, self.calls, config.slow_call_rate_threshold).then_some(Cause::SlowCallRate)
    }
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} failed", self.failed, self.calls)?;
        if self.slow > 0 { write!(f, ", {} slow", self.slow) } else { Ok(()) }
    }
}

/// Whether `part` of `total` is at least so many percent. Nothing is never enough.
#[inline]
pub(crate) fn reached(part: u64, total: u64, threshold: f64) -> bool {
    part > 0 && part as f64 * 100.0 >= threshold * total as f64
}

fn percent(part: u64, total: u64) -> Option<f64> {
    (total > 0).then(|| part as f64 * 100.0 / total as f64)
}
