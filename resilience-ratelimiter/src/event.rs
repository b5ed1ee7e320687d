use std::{fmt, time::Duration};

use resilience_core::{
    Nanos, Rejection,
    event::{Fields, Level, Payload, Value, write_changes},
};

use crate::Config;

/// What a rate limiter publishes. An admitted call publishes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A call was rejected.
    Rejected(Rejection),
    /// A call waits for its permits.
    WaitStarted {
        /// How many permits.
        permits: u64,
        /// When it will start.
        start: Nanos,
        /// How long it waits.
        wait: Duration,
    },
    /// A call that waited is gone; its permits were given back.
    GivenBack {
        /// How many permits.
        permits: u64,
    },
    /// The configuration of the live limiter was changed.
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
            Self::GivenBack { .. } => "given_back",
            Self::Reconfigured { .. } => "reconfigured",
        }
    }

    fn level(&self) -> Level {
        match self {
            Self::Reconfigured { .. } => Level::Info,
            Self::Rejected(_) => Level::Debug,
            Self::WaitStarted { .. } | Self::GivenBack { .. } => Level::Trace,
        }
    }

    fn fields(&self) -> Fields<'_> {
        match self {
            Self::Rejected(rejection) => rejection.fields(),
            Self::WaitStarted { permits, start, wait } => {
                vec![("permits", (*permits).into()), ("start", (*start).into()), ("wait", (*wait).into())]
            }
            Self::GivenBack { permits } => vec![("permits", (*permits).into())],
            Self::Reconfigured { from, to } => vec![("changes", Value::changes(from, to))],
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(rejection) => write!(f, "rejected: {rejection}"),
            Self::WaitStarted { permits, wait, .. } => write!(f, "waits {wait:?} for {permits} permit(s)"),
            Self::GivenBack { permits } => write!(f, "gave back {permits} permit(s)"),
            Self::Reconfigured { from, to } => write_changes(f, from, to),
        }
    }
}
