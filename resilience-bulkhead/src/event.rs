use std::{fmt, time::Duration};

use resilience_core::{
    Nanos, Rejection,
    event::{Fields, Level, Payload, Value, write_changes},
};

use crate::Config;

/// What a bulkhead publishes. A call that is let in at once, and one that ends, publish nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A call was rejected.
    Rejected(Rejection),
    /// A call goes in line.
    WaitStarted {
        /// How many wait now, this one included.
        queued: u32,
        /// When it gives up.
        until: Nanos,
    },
    /// A call in line got its slot.
    WaitEnded {
        /// How long it waited.
        waited: Duration,
    },
    /// A call in line is gone: dropped, interrupted, or cut off by a deadline other than `max_wait`.
    Left {
        /// How long it waited.
        waited: Duration,
    },
    /// The configuration of the live bulkhead was changed.
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
            Self::Rejected(_) => "rejected",
            Self::WaitStarted { .. } => "wait_started",
            Self::WaitEnded { .. } => "wait_ended",
            Self::Left { .. } => "left",
            Self::Reconfigured { .. } => "reconfigured",
        }
    }

    fn level(&self) -> Level {
        match self {
            Self::Reconfigured { .. } => Level::Info,
            Self::Rejected(_) => Level::Debug,
            Self::WaitStarted { .. } | Self::WaitEnded { .. } | Self::Left { .. } => Level::Trace,
        }
    }

    fn fields(&self) -> Fields<'_> {
        match self {
            Self::Rejected(rejection) => rejection.fields(),
            Self::WaitStarted { queued, until } => vec![("queued", (*queued).into()), ("until", (*until).into())],
            Self::WaitEnded { waited } | Self::Left { waited } => vec![("waited", (*waited).into())],
            Self::Reconfigured { from, to } => vec![("changes", Value::changes(from, to))],
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(rejection) => write!(f, "rejected: {rejection}"),
            Self::WaitStarted { queued, until } => write!(f, "waits until {until:?} at the latest, {queued} in line"),
            Self::WaitEnded { waited } => write!(f, "got its slot after {waited:?}"),
            Self::Left { waited } => write!(f, "left the line after {waited:?}"),
            Self::Reconfigured { from, to } => write_changes(f, from, to),
        }
    }
}
