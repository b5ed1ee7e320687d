use std::time::Duration;

use resilience_core::Id;

/// What a bulkhead shows of itself at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Snapshot {
    /// The instance.
    pub instance: Id,
    /// Slots that are taken, those included that were handed to a waiter which has not woken up yet. After the maximum
    /// was lowered it can be more than `max_concurrent`, until enough calls have ended.
    pub in_use: u32,
    /// Slots that are free.
    pub available: u32,
    /// Calls in line.
    pub queued: u32,
    /// How many calls may run at the same time.
    pub max_concurrent: u32,
    /// How long a call may wait for a slot.
    pub max_wait: Duration,
    /// How many calls may wait; `None`: any number.
    pub max_queue: Option<u32>,
}
