use std::fmt;

use resilience_core::keys::metric;

/// The states of a circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum State {
    /// Calls pass and are recorded.
    Closed,
    /// Calls are rejected until the wait is over.
    Open,
    /// So many probes pass; they decide what comes next.
    HalfOpen,
    /// Calls are rejected until somebody says otherwise.
    ForcedOpen,
    /// Calls pass; nothing is recorded.
    Disabled,
    /// Calls pass and are recorded; the breaker does not open.
    MetricsOnly,
}

impl State {
    /// The name, in `snake_case`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
            Self::ForcedOpen => "forced_open",
            Self::Disabled => "disabled",
            Self::MetricsOnly => "metrics_only",
        }
    }

    /// How many pairs of states there are.
    pub(crate) const TRANSITIONS: usize = metric::STATES.len() * metric::STATES.len();

    /// The number that stands for the state where there are only numbers: its place in [`metric::STATES`].
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::HalfOpen => 1,
            Self::Open => 2,
            Self::ForcedOpen => 3,
            Self::Disabled => 4,
            Self::MetricsOnly => 5,
        }
    }

    /// The number of a change of state.
    pub(crate) const fn transition(from: Self, to: Self) -> usize {
        from.number() as usize * metric::STATES.len() + to.number() as usize
    }

    /// The names of the states of a change with this number.
    pub(crate) fn names_of(transition: usize) -> [&'static str; 2] {
        let count = metric::STATES.len();
        [metric::STATES[transition / count], metric::STATES[transition % count]]
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
