use std::time::Duration;

use resilience_core::Id;

/// What a rate limiter shows of itself at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Snapshot {
    /// The instance.
    pub instance: Id,
    /// Calls that would pass now without waiting, rounded down.
    pub available_permits: u32,
    /// Permits per period, and of a full burst.
    pub permits: u32,
    /// The period.
    pub period: Duration,
    /// How long a call may wait.
    pub max_wait: Duration,
    /// Permits promised to calls that wait, and not due yet. For calls of one permit each: how many wait.
    pub waiting: u64,
}
