use std::{fmt, time::Duration};

use resilience_core::{
    Kind, Rejection,
    event::{Fields, Level, Payload, Value, write_changes},
};

use crate::{Config, Rates, State};

/// What a circuit breaker publishes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The state changed.
    Transition(Transition),
    /// A call was rejected.
    Rejected(Rejection),
    /// The end of a call was recorded, or ignored. Not told of a call that ended after the phase that admitted it.
    Recorded {
        /// How it ended.
        end: End,
        /// How long it took, if slow calls are counted.
        elapsed: Option<Duration>,
        /// Whether that is slow.
        slow: bool,
    },
    /// The configuration of the live breaker was changed.
    Reconfigured {
        /// What it was.
        from: Box<Config>,
        /// What it is now.
        to: Box<Config>,
    },
}

/// How a call ended, as the breaker counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A success, or a failure outside `record_on`.
    Success,
    /// A failure of this kind.
    Failure(Kind),
    /// Neither.
    Ignored,
    /// Dropped before it ended, and counted as a failure.
    Dropped,
}

/// A change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Transition {
    /// The state before.
    pub from: State,
    /// The state now.
    pub to: State,
    /// Why.
    pub cause: Cause,
    /// The numbers that caused it; empty where no numbers did.
    pub rates: Rates,
}

/// What made a breaker change its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cause {
    /// The failure rate reached its threshold.
    FailureRate,
    /// The rate of slow calls reached its threshold.
    SlowCallRate,
    /// The wait in the open state was over, and a call came.
    WaitElapsed,
    /// The probes stayed below the thresholds.
    ProbesSucceeded,
    /// The probes did not decide within `max_wait_in_half_open`.
    HalfOpenExpired,
    /// Somebody asked for it.
    Manual,
}

impl Cause {
    /// The name, in `snake_case`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FailureRate => "failure_rate",
            Self::SlowCallRate => "slow_call_rate",
            Self::WaitElapsed => "wait_elapsed",
            Self::ProbesSucceeded => "probes_succeeded",
            Self::HalfOpenExpired => "half_open_expired",
            Self::Manual => "manual",
        }
    }
}

impl End {
    /// The name, in `snake_case`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure(_) => "failure",
            Self::Ignored => "ignored",
            Self::Dropped => "dropped",
        }
    }

    /// Of a failure, its kind.
    const fn kind(self) -> Option<Kind> {
        match self {
            Self::Failure(kind) => Some(kind),
            _ => None,
        }
    }
}

impl Transition {
    fn fields(&self) -> Fields<'static> {
        let Self { from, to, cause, rates } = self;
        vec![
            ("from", from.name().into()),
            ("to", to.name().into()),
            ("cause", cause.name().into()),
            ("calls", rates.calls.into()),
            ("failed", rates.failed.into()),
            ("slow", rates.slow.into()),
        ]
    }
}

impl Payload for Event {
    fn name(&self) -> &'static str {
        match self {
            Self::Transition(_) => "transition",
            Self::Rejected(_) => "rejected",
            Self::Recorded { .. } => "recorded",
            Self::Reconfigured { .. } => "reconfigured",
        }
    }

    fn level(&self) -> Level {
        match self {
            Self::Transition(Transition { to: State::Open | State::ForcedOpen, .. }) => Level::Warn,
            Self::Transition(_) | Self::Reconfigured { .. } => Level::Info,
            Self::Rejected(_) => Level::Debug,
            Self::Recorded { .. } => Level::Trace,
        }
    }

    fn fields(&self) -> Fields<'_> {
        match self {
            Self::Transition(transition) => transition.fields(),
            Self::Rejected(rejection) => rejection.fields(),
            Self::Recorded { end, elapsed, slow } => vec![
                ("end", end.name().into()),
                ("reason", end.kind().into()),
                ("elapsed", (*elapsed).into()),
                ("slow", (*slow).into()),
            ],
            Self::Reconfigured { from, to } => vec![("changes", Value::changes(&**from, &**to))],
        }
    }
}

impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, cause, rates } = self;
        write!(f, "{from} -> {to} ({}", cause.name())?;
        if rates.calls > 0 {
            write!(f, ": {rates}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transition(transition) => transition.fmt(f),
            Self::Rejected(rejection) => write!(f, "rejected: {rejection}"),
            Self::Recorded { end, elapsed, slow } => {
                match end {
                    End::Success => f.write_str("success")?,
                    End::Failure(kind) => write!(f, "failure: {kind}")?,
                    End::Ignored => f.write_str("ignored")?,
                    End::Dropped => f.write_str("failure: dropped")?,
                }
                if let Some(elapsed) = elapsed {
                    write!(f, " after {elapsed:?}{}", if *slow { ", slow" } else { "" })?;
                }
                Ok(())
            }
            Self::Reconfigured { from, to } => write_changes(f, &**from, &**to),
        }
    }
}
