//! What a run showed.

use std::time::Duration;

use resilience::breaker::State;

use super::{journal::Journal, script::Script, second::Second};

pub(crate) struct Findings {
    /// All seconds as one; what customers still waited at the end is among the waits.
    pub(crate) total: Second,
    /// Calls that arrived while the service was slow, failing or hanging.
    pub(crate) arrived_sick: u64,
    /// From the recovery to the first answer of the service.
    pub(crate) back_after: Option<Duration>,
    /// The breaker opened, and was closed in the end.
    pub(crate) has_closed_again: bool,
}

impl Findings {
    pub(crate) fn new(script: &Script, journal: &Journal) -> Self {
        let seconds = journal.all();
        let mut total = Second::sum(&seconds);
        total.waits.extend(journal.still_waiting(journal.end()));
        total.waits.sort_unstable();

        let sick = (0..script.seconds()).filter(|second| script.health(journal.second(*second)).is_sick());
        let transitions = journal.transitions(0);
        let has_opened = transitions.iter().any(|(_, it)| it.to == State::Open);
        Self {
            total,
            arrived_sick: sick.map(|second| seconds[usize::from(second)].arrived).sum(),
            back_after: journal.back_after(),
            has_closed_again: has_opened && transitions.last().is_some_and(|(_, it)| it.to == State::Closed),
        }
    }

    pub(crate) fn worst_wait(&self) -> Duration {
        self.total.waits.last().copied().unwrap_or_default()
    }

    /// What 99 of 100 waits stayed within.
    pub(crate) fn p99(&self) -> Duration {
        percentile(&self.total.waits, 99).unwrap_or_default()
    }
}

/// What so many percent of the sorted values do not exceed.
pub(crate) fn percentile(sorted: &[Duration], percent: usize) -> Option<Duration> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}
