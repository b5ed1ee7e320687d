use std::{fmt, time::Duration};

use resilience_core::{
    Kind,
    event::{Fields, Level, Payload, Value, write_changes},
};

use crate::{Config, Reason};

/// What a retry publishes. A first attempt that succeeds publishes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "built only for whoever listens, and handed to them by reference")]
pub enum Event {
    /// A call failed, and is tried again.
    Retried {
        /// The number of the attempt that follows: 2 for the first retry.
        attempt: u32,
        /// How long the call waits before it.
        delay: Duration,
        /// Why: the kind of the failure or rejection.
        kind: Kind,
    },
    /// A call failed, and is not tried again.
    Exhausted {
        /// How many attempts there were.
        attempts: u32,
        /// Why there is no other.
        reason: Reason,
    },
    /// A call succeeded, though not at once.
    SucceededAfterRetries {
        /// How many attempts there were.
        attempts: u32,
    },
    /// The configuration of the live retry was changed.
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
            Self::Retried { .. } => "retried",
            Self::Exhausted { .. } => "exhausted",
            Self::SucceededAfterRetries { .. } => "succeeded_after_retries",
            Self::Reconfigured { .. } => "reconfigured",
        }
    }

    fn level(&self) -> Level {
        match self {
            Self::Reconfigured { .. } => Level::Info,
            Self::Retried { .. } | Self::Exhausted { .. } | Self::SucceededAfterRetries { .. } => Level::Debug,
        }
    }

    fn fields(&self) -> Fields<'_> {
        match self {
            Self::Retried { attempt, delay, kind } => {
                vec![("attempt", (*attempt).into()), ("delay", (*delay).into()), ("reason", (*kind).into())]
            }
            Self::Exhausted { attempts, reason } => {
                vec![("attempts", (*attempts).into()), ("cause", reason.name().into())]
            }
            Self::SucceededAfterRetries { attempts } => vec![("attempts", (*attempts).into())],
            Self::Reconfigured { from, to } => vec![("changes", Value::changes(from, to))],
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retried { attempt, delay, kind } => write!(f, "{kind}: attempt {attempt} in {delay:?}"),
            Self::Exhausted { attempts, reason } => write!(f, "gave up after {attempts} attempt(s): {reason}"),
            Self::SucceededAfterRetries { attempts } => write!(f, "succeeded after {attempts} attempts"),
            Self::Reconfigured { from, to } => write_changes(f, from, to),
        }
    }
}
