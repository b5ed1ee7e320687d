use std::{fmt, time::Duration};

use resilience_core::event::{Fields, Level, Payload, Value, write_changes};

use crate::Config;

/// What a timeout publishes. A call that ends in time publishes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A call did not end in time. What was cut off is dropped by now.
    TimedOut {
        /// How long it was allowed to take.
        limit: Duration,
        /// Whether it ran to its end, but after its deadline.
        late: bool,
        /// How long it took until it was cut off, or came back.
        elapsed: Duration,
    },
    /// The configuration of the live timeout was changed.
    Reconfigured {
        /// What it was.
        from: Config,
        /// What it is now.
        to: Config,
    },
}

impl Payload for Event {
    fn name(&self) -> &'static str {
        match self {
            Self::TimedOut { .. } => "timed_out",
            Self::Reconfigured { .. } => "reconfigured",
        }
    }

    fn level(&self) -> Level {
        match self {
            Self::Reconfigured { .. } => Level::Info,
            Self::TimedOut { .. } => Level::Debug,
        }
    }

    fn fields(&self) -> Fields<'_> {
        match self {
            Self::TimedOut { limit, late, elapsed } => {
                vec![("limit", (*limit).into()), ("late", (*late).into()), ("elapsed", (*elapsed).into())]
            }
            Self::Reconfigured { from, to } => vec![("changes", Value::changes(from, to))],
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut { limit, late: false, elapsed } => write!(f, "cut off after {elapsed:?}, limit {limit:?}"),
            Self::TimedOut { limit, late: true, elapsed } => write!(f, "late after {elapsed:?}, limit {limit:?}"),
            Self::Reconfigured { from, to } => write_changes(f, from, to),
        }
    }
}
