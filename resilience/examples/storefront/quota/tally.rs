//! What happened, second by second.

use std::{error::Error, sync::Mutex};

use resilience::Nanos;

use crate::timeline::{Timeline, lock};

/// Calls, by what became of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Calls {
    /// The limiter let them through after a wait.
    pub(crate) waited: u64,
    /// The limiter did not let them through.
    pub(crate) rejected: u64,
    /// They arrived, and the server answered.
    pub(crate) answered: u64,
    /// They arrived, and the server refused them: 429.
    pub(crate) refused: u64,
    /// No answer came, or one that makes no sense.
    pub(crate) failed: u64,
}

impl Calls {
    /// Those that arrived at the server.
    pub(crate) fn admitted(self) -> u64 {
        self.answered + self.refused
    }

    fn plus(self, other: Self) -> Self {
        Self {
            waited: self.waited + other.waited,
            rejected: self.rejected + other.rejected,
            answered: self.answered + other.answered,
            refused: self.refused + other.refused,
            failed: self.failed + other.failed,
        }
    }
}

pub(crate) struct Tally {
    calls: Timeline<Calls>,
    failure: Mutex<Option<String>>,
}

impl Tally {
    /// For so many seconds from `start` on.
    pub(crate) fn new(start: Nanos, seconds: u16) -> Self {
        Self { calls: Timeline::new(start, seconds), failure: Mutex::default() }
    }

    /// When the second of this number, from 0, begins; after the last one, the end.
    pub(crate) fn second(&self, number: u16) -> Nanos {
        self.calls.second(number)
    }

    /// Counts something at its time. What comes after the end does not count.
    pub(crate) fn count(&self, at: Nanos, what: impl FnOnce(&mut Calls)) {
        self.calls.count(at, what);
    }

    /// Counts a call that failed, and keeps the first reason.
    pub(crate) fn failed(&self, at: Nanos, error: &dyn Error) {
        self.count(at, |calls| {
            calls.failed += 1;
            lock(&self.failure).get_or_insert_with(|| reason(error));
        });
    }

    pub(crate) fn calls(&self, second: u16) -> Calls {
        self.calls.get(second)
    }

    pub(crate) fn total(&self) -> Calls {
        self.calls.all().into_iter().fold(Calls::default(), Calls::plus)
    }

    /// Why the first call failed that did.
    pub(crate) fn failure(&self) -> Option<String> {
        lock(&self.failure).clone()
    }
}

/// The innermost source is what went wrong.
fn reason(error: &dyn Error) -> String {
    error.source().map_or_else(|| error.to_string(), reason)
}
