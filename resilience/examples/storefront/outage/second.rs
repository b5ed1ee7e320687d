//! What is counted in a second.

use std::time::Duration;

#[derive(Clone, Default)]
pub(crate) struct Second {
    /// Calls that customers began.
    pub(crate) calls: u64,
    /// Those that ended, by what the customer saw.
    pub(crate) fresh: u64,
    pub(crate) not_sold: u64,
    pub(crate) yesterday: u64,
    pub(crate) errors: u64,
    /// How long the customers waited for them.
    pub(crate) waits: Vec<Duration>,
    /// Attempts beyond the first of a call.
    pub(crate) retries: u64,
    /// Attempts that the timeout cut off.
    pub(crate) cut_off: u64,
    /// Attempts that were not made: the breaker was open, the limiter had no permit, the bulkhead was full.
    pub(crate) open: u64,
    pub(crate) limited: u64,
    pub(crate) full: u64,
    /// Calls that arrived at the service.
    pub(crate) arrived: u64,
}

impl Second {
    /// Calls that the service answered, and rightly.
    pub(crate) fn ok(&self) -> u64 {
        self.fresh + self.not_sold
    }

    /// All of them as one.
    pub(crate) fn sum(seconds: &[Self]) -> Self {
        let sum = |of: fn(&Self) -> u64| seconds.iter().map(of).sum();
        Self {
            calls: sum(|it| it.calls),
            fresh: sum(|it| it.fresh),
            not_sold: sum(|it| it.not_sold),
            yesterday: sum(|it| it.yesterday),
            errors: sum(|it| it.errors),
            waits: seconds.iter().flat_map(|it| &it.waits).copied().collect(),
            retries: sum(|it| it.retries),
            cut_off: sum(|it| it.cut_off),
            open: sum(|it| it.open),
            limited: sum(|it| it.limited),
            full: sum(|it| it.full),
            arrived: sum(|it| it.arrived),
        }
    }
}
