//! How the service is doing, and when.

use std::{fmt, time::Duration};

use resilience::Nanos;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// Answers at once.
    Healthy,
    /// Answers, after a while.
    Slow,
    /// Answers at once, with 503.
    Failing,
    /// Never answers.
    Hanging,
}

/// One after the other, each as long as the next. The last one is long enough for those to come back whom the outage
/// has kept waiting.
const STEPS: [Health; 6] =
    [Health::Healthy, Health::Slow, Health::Failing, Health::Hanging, Health::Healthy, Health::Healthy];

/// The step in which it is healthy again.
const RECOVERY: u32 = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Script {
    start: Nanos,
    step: Duration,
}

impl Script {
    pub(crate) fn new(start: Nanos, step: Duration) -> Self {
        Self { start, step }
    }

    pub(crate) fn start(&self) -> Nanos {
        self.start
    }

    pub(crate) fn health(&self, now: Nanos) -> Health {
        let step = now.since(self.start).as_nanos() / self.step.as_nanos();
        usize::try_from(step).ok().and_then(|step| STEPS.get(step).copied()).unwrap_or(Health::Healthy)
    }

    /// When it is healthy again.
    pub(crate) fn recovery(&self) -> Nanos {
        self.start.after(RECOVERY * self.step)
    }

    /// How long it all takes.
    pub(crate) fn seconds(&self) -> u16 {
        (STEPS.len() as u64 * self.step.as_secs()) as u16
    }
}

impl Health {
    pub(crate) fn is_sick(self) -> bool {
        self != Self::Healthy
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Healthy => "healthy",
            Self::Slow => "slow",
            Self::Failing => "failing",
            Self::Hanging => "hanging",
        })
    }
}
