use std::fmt;

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
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
