use std::time::Duration;

use resilience_core::{Id, Nanos};

use crate::{Rates, State, machine::Phase};

/// What a circuit breaker shows of itself at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Snapshot {
    /// The instance.
    pub instance: Id,
    /// The state.
    pub state: State,
    /// What the window holds. Open and half-open, it is the window that opened the breaker.
    pub window: Rates,
    /// The share of failed calls in the window, in percent; `None` if it is empty.
    pub failure_rate: Option<f64>,
    /// The share of slow calls in the window, in percent; `None` if it is empty.
    pub slow_call_rate: Option<f64>,
    /// Open: the time until a call may pass as a probe.
    pub open_for: Option<Duration>,
    /// Half-open: probes that have not ended.
    pub probes_running: u32,
    /// Half-open: probes that have ended.
    pub probes: Rates,
}

impl Snapshot {
    pub(crate) fn new(instance: Id, state: State, window: Rates, phase: &Phase, now: Nanos) -> Self {
        let (open_for, probes_running, probes) = match *phase {
            Phase::Open { until } => (Some(until.since(now)), 0, Rates::default()),
            Phase::HalfOpen { running, ended, .. } => (None, running, ended),
            _ => (None, 0, Rates::default()),
        };
        let (failure_rate, slow_call_rate) = (window.failure_rate(), window.slow_call_rate());
        Self { instance, state, window, failure_rate, slow_call_rate, open_for, probes_running, probes }
    }
}
