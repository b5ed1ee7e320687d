//! When a breaker opens, probes and closes: a pure function of its phase, the time and what happened. It knows neither
//! windows nor threads.

use resilience_core::{Nanos, saturating_nanos};

use crate::{
    Cause, Config, State, Transition,
    rates::{Mark, Rates},
};

/// The phase a breaker is in, and how it came there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    pub(crate) phase: Phase,
    /// Counts the phases: a result belongs to the one that admitted its call.
    pub(crate) generation: u64,
    /// Openings since it was last closed.
    openings: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Closed,
    Open {
        until: Nanos,
    },
    HalfOpen {
        /// When it opens again for want of results; `NEVER` if it waits for them as long as it takes.
        until: Nanos,
        /// Probes that have not ended.
        running: u32,
        /// Probes that have.
        ended: Rates,
    },
    ForcedOpen,
    Disabled,
    MetricsOnly,
}

/// What becomes of a call that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It passes, as any call.
    Pass,
    /// It passes as a probe.
    Probe,
    /// It is rejected; the next probe passes at this time, `NEVER` if that is not known.
    Reject(Nanos),
}

impl Phase {
    pub(crate) fn state(&self) -> State {
        match self {
            Self::Closed => State::Closed,
            Self::Open { .. } => State::Open,
            Self::HalfOpen { .. } => State::HalfOpen,
            Self::ForcedOpen => State::ForcedOpen,
            Self::Disabled => State::Disabled,
            Self::MetricsOnly => State::MetricsOnly,
        }
    }

    /// Whether calls pass and are recorded.
    pub(crate) fn records(&self) -> bool {
        matches!(self, Self::Closed | Self::MetricsOnly)
    }

    /// Whether another probe may pass.
    pub(crate) fn has_room(&self, config: &Config) -> bool {
        match self {
            Self::HalfOpen { running, ended, .. } => {
                u64::from(*running) + ended.calls < u64::from(config.permitted_in_half_open)
            }
            _ => false,
        }
    }
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self { phase: Phase::Closed, generation: 0, openings: 0 }
    }

    /// A call asks whether it may pass.
    pub(crate) fn ask(&mut self, now: Nanos, config: &Config, log: &mut impl FnMut(Transition)) -> Answer {
        self.expire(now, config, log);
        self.half_open(now, config, log);
        match &mut self.phase {
            Phase::Closed | Phase::Disabled | Phase::MetricsOnly => Answer::Pass,
            Phase::Open { until } => Answer::Reject(*until),
            Phase::ForcedOpen => Answer::Reject(Nanos::NEVER),
            phase @ Phase::HalfOpen { .. } if !phase.has_room(config) => Answer::Reject(Nanos::NEVER),
            Phase::HalfOpen { running, .. } => {
                *running += 1;
                Answer::Probe
            }
        }
    }

    /// The rates of the closed phase `generation` have reached a threshold.
    pub(crate) fn trip(
        &mut self,
        now: Nanos,
        config: &Config,
        (generation, cause, rates): (u64, Cause, Rates),
        log: &mut impl FnMut(Transition),
    ) {
        if self.generation == generation && self.phase == Phase::Closed {
            self.open(now, config, (cause, rates), log);
        }
    }

    /// A probe of the half-open phase `generation` has ended; without a mark it only gives its place back. False if the
    /// phase is over.
    pub(crate) fn probed(
        &mut self,
        now: Nanos,
        config: &Config,
        (generation, mark): (u64, Option<Mark>),
        log: &mut impl FnMut(Transition),
    ) -> bool {
        self.expire(now, config, log);
        let Phase::HalfOpen { running, ended, .. } = &mut self.phase else { return false };
        if self.generation != generation {
            return false;
        }
        *running -= 1;
        if let Some(mark) = mark {
            ended.add(mark);
            self.decide(now, config, log);
        }
        true
    }

    /// Closes or opens if as many probes have ended as were to decide.
    pub(crate) fn decide(&mut self, now: Nanos, config: &Config, log: &mut impl FnMut(Transition)) {
        let Phase::HalfOpen { ended, .. } = self.phase else { return };
        if ended.calls < u64::from(config.permitted_in_half_open) {
            return;
        }
        if let Some(cause) = ended.verdict(config) {
            self.open(now, config, (cause, ended), log);
        } else {
            self.openings = 0;
            self.go(Phase::Closed, (Cause::ProbesSucceeded, ended), log);
        }
    }

    /// Somebody says what state it is to be in.
    pub(crate) fn set(&mut self, phase: Phase, log: &mut impl FnMut(Transition)) {
        self.openings = 0;
        self.go(phase, (Cause::Manual, Rates::default()), log);
    }

    /// What was recorded so far no longer counts, nor do the calls on their way.
    pub(crate) fn renew(&mut self) {
        if self.phase.records() {
            self.generation += 1;
        }
    }

    /// Opens if the probes have had their time: at the very moment at which a timer would have.
    pub(crate) fn expire(&mut self, now: Nanos, config: &Config, log: &mut impl FnMut(Transition)) {
        let Phase::HalfOpen { until, ended, .. } = self.phase else { return };
        if now >= until {
            self.open(until, config, (Cause::HalfOpenExpired, ended), log);
        }
    }

    /// Lets probes pass if the wait is over.
    fn half_open(&mut self, now: Nanos, config: &Config, log: &mut impl FnMut(Transition)) {
        let Phase::Open { until } = self.phase else { return };
        if now >= until {
            let limit = config.max_wait_in_half_open;
            let until = if limit.is_zero() { Nanos::NEVER } else { now.after(limit) };
            let phase = Phase::HalfOpen { until, running: 0, ended: Rates::default() };
            self.go(phase, (Cause::WaitElapsed, Rates::default()), log);
        }
    }

    /// Opens, counted from `from`.
    fn open(&mut self, from: Nanos, config: &Config, why: (Cause, Rates), log: &mut impl FnMut(Transition)) {
        let until = from.after(std::time::Duration::from_nanos(wait(config, self.openings)));
        self.openings = self.openings.saturating_add(1);
        self.go(Phase::Open { until }, why, log);
    }

    fn go(&mut self, phase: Phase, (cause, rates): (Cause, Rates), log: &mut impl FnMut(Transition)) {
        let (from, to) = (self.phase.state(), phase.state());
        self.phase = phase;
        self.generation += 1;
        log(Transition { from, to, cause, rates });
    }
}

/// How long the breaker stays open after so many openings in a row, in nanoseconds.
fn wait(config: &Config, openings: u32) -> u64 {
    let first = saturating_nanos(config.wait_in_open);
    if openings == 0 || config.wait_in_open_multiplier <= 1.0 {
        return first;
    }
    let most = saturating_nanos(config.max_wait_in_open).max(first);
    let grown = first as f64 * config.wait_in_open_multiplier.powi(i32::try_from(openings).unwrap_or(i32::MAX));
    if grown < most as f64 { grown as u64 } else { most }
}
