use std::time::Duration;

use resilience_core::Id;

/// What a timeout shows of itself at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Snapshot {
    /// The instance.
    pub instance: Id,
    /// How long a call may take.
    pub timeout: Duration,
    /// Calls that did not end in time, since the instance was made.
    pub timed_out: u64,
    /// Those of them that ran to their end, but after their deadline.
    pub late: u64,
}
