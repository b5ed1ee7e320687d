use resilience_core::Id;

/// What a retry shows of itself at one time.
///
/// Only what happens after a failure is counted: a first attempt that succeeds leaves no trace, and costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Snapshot {
    /// The instance.
    pub instance: Id,
    /// Attempts per call, the first one included.
    pub max_attempts: u32,
    /// Attempts beyond the first that were granted, over all calls; also those whose wait was ended before they began.
    pub retries: u64,
    /// Calls that succeeded after the first attempt.
    pub recovered: u64,
    /// Calls that ended with an error, whichever reason there was not to try again.
    pub exhausted: u64,
    /// Retries that the budget would allow now; `None` without a budget.
    pub budget_left: Option<u64>,
}
