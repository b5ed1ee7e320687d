use std::time::Duration;

use resilience_core::Id;

use super::AtBound;

/// What a keyed rate limiter shows of itself at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Snapshot {
    /// The instance.
    pub instance: Id,
    /// Keys kept now. Those that are full again count until a call with a new key comes across them.
    pub keys: u64,
    /// How many there may be.
    pub max_keys: u64,
    /// What happens when a new key finds no room.
    pub at_bound: AtBound,
    /// Keys that were forgotten because they were full again, so far.
    pub forgotten: u64,
    /// Keys that made room although they were not full, so far.
    pub evicted: u64,
    /// Calls with a new key that were rejected because there was no room, so far.
    pub refused_at_bound: u64,
    /// Permits per period, and of a full burst, of a key without a quota of its own.
    pub permits: u32,
    /// The period of such a key.
    pub period: Duration,
    /// How long a call may wait.
    pub max_wait: Duration,
}
