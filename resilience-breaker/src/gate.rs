//! What every call looks at: one word that says whether it may pass, and the numbers that go with it. Many read them,
//! only transitions and live changes write, under the lock of the breaker's control.

use resilience_core::{
    KindSet, Nanos,
    sync::{AtomicU64, Ordering},
};

use crate::{
    Config, OnDropped, State, WindowType,
    machine::{Machine, Phase},
    rates::{Rates, reached},
};

/// The word: generation (56 bits), then what is to be done while calls pass, then the tag of the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(pub(crate) u64);

const TAG: u64 = 7;
const CLOSED: u64 = 0;
const METRICS_ONLY: u64 = 1;
const PASS: u64 = 2;
/// From here on not everybody passes.
const HALF_OPEN: u64 = 4;
/// Half-open, without room for another probe.
const NO_ROOM: u64 = 5;
const OPEN: u64 = 6;
const FORCED_OPEN: u64 = 7;

/// Calls are timed.
const TIMED: u64 = 1 << 3;
/// The window is one of time.
const BY_TIME: u64 = 1 << 4;
/// A dropped call is a failure.
const DROPS_FAIL: u64 = 1 << 5;
/// The phase is about to begin: calls pass and are not recorded.
const PAUSED: u64 = 1 << 6;
const GENERATION: u32 = 8;

impl Word {
    pub(crate) fn of(machine: &Machine, config: &Config) -> Self {
        let tag = match machine.phase {
            _ if !config.enabled => PASS,
            Phase::Closed => CLOSED,
            Phase::MetricsOnly => METRICS_ONLY,
            Phase::Disabled => PASS,
            Phase::HalfOpen { .. } if machine.phase.has_room(config) => HALF_OPEN,
            Phase::HalfOpen { .. } => NO_ROOM,
            Phase::Open { .. } => OPEN,
            Phase::ForcedOpen => FORCED_OPEN,
        };
        let flag = |set: bool, flag: u64| if set && config.enabled { flag } else { 0 };
        let flags = flag(config.slow_call_duration.is_some(), TIMED)
            | flag(config.window_type == WindowType::Time, BY_TIME)
            | flag(config.on_dropped == OnDropped::Failure, DROPS_FAIL);
        Self(machine.generation << GENERATION | flags | tag)
    }

    fn tag(self) -> u64 {
        self.0 & TAG
    }

    /// Whether everybody passes.
    #[inline(always)]
    pub(crate) fn lets_pass(self) -> bool {
        self.0 & HALF_OPEN == 0
    }

    /// Whether everybody passes, and nothing is read or written for it: calls are not timed.
    #[inline(always)]
    pub(crate) fn is_straight_in(self) -> bool {
        self.0 & (HALF_OPEN | TIMED) == 0
    }

    /// Whether a call of this phase is recorded by its number alone: neither timed nor in a window of time.
    #[inline(always)]
    pub(crate) fn is_straight_out(self) -> bool {
        self.0 & (HALF_OPEN | PASS | TIMED | BY_TIME | PAUSED) == 0
    }

    /// Whether everybody passes, and is recorded.
    #[inline(always)]
    pub(crate) fn records(self) -> bool {
        self.0 & (HALF_OPEN | PASS | PAUSED) == 0
    }

    /// Closed: what is recorded may open it.
    pub(crate) fn is_closed(self) -> bool {
        self.tag() == CLOSED
    }

    #[inline(always)]
    pub(crate) fn is_timed(self) -> bool {
        self.0 & TIMED != 0
    }

    #[inline(always)]
    pub(crate) fn is_by_time(self) -> bool {
        self.0 & BY_TIME != 0
    }

    #[inline(always)]
    pub(crate) fn drops_fail(self) -> bool {
        self.0 & DROPS_FAIL != 0
    }

    /// Half-open, with room for another probe.
    pub(crate) fn has_room(self) -> bool {
        self.tag() == HALF_OPEN
    }

    /// Open, and not by force.
    pub(crate) fn is_open(self) -> bool {
        self.tag() == OPEN
    }

    pub(crate) fn is_forced_open(self) -> bool {
        self.tag() == FORCED_OPEN
    }

    #[inline(always)]
    pub(crate) fn generation(self) -> u64 {
        self.0 >> GENERATION
    }

    pub(crate) fn state(self) -> State {
        match self.tag() {
            CLOSED => State::Closed,
            METRICS_ONLY => State::MetricsOnly,
            HALF_OPEN | NO_ROOM => State::HalfOpen,
            OPEN => State::Open,
            FORCED_OPEN => State::ForcedOpen,
            _ => State::Disabled,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Gate {
    word: AtomicU64,
    /// Until when nobody else passes: the end of the open phase, or of the half-open one.
    until: AtomicU64,
    /// What follows are hints for the way of a call: one that reads half of a change is put right under the lock.
    minimum_calls: AtomicU64,
    failure_rate_threshold: AtomicU64,
    slow_call_rate_threshold: AtomicU64,
    slow_call_duration: AtomicU64,
    record_on: AtomicU64,
    ignore_on: AtomicU64,
}

impl Gate {
    pub(crate) fn new(machine: &Machine, config: &Config) -> Self {
        let word = || AtomicU64::new(0);
        let gate = Self {
            word: word(),
            until: word(),
            minimum_calls: word(),
            failure_rate_threshold: word(),
            slow_call_rate_threshold: word(),
            slow_call_duration: word(),
            record_on: word(),
            ignore_on: word(),
        };
        gate.adjust(config);
        gate.set(machine, config);
        gate
    }

    #[inline(always)]
    pub(crate) fn word(&self) -> Word {
        // Ordering: Acquire; pairs with the Release in `set`: the reset window and the numbers come with the word.
        Word(self.word.load(Ordering::Acquire))
    }

    /// Whether the phase of `word` still lasts, and is recorded.
    #[inline(always)]
    pub(crate) fn is_in(&self, word: Word) -> bool {
        let current = self.word();
        current.generation() == word.generation() && current.records()
    }

    pub(crate) fn until(&self) -> Nanos {
        // Ordering: Relaxed; comes with the word, or belongs to a later phase.
        Nanos::new(self.until.load(Ordering::Relaxed))
    }

    /// Shows the phase of the machine.
    pub(crate) fn set(&self, machine: &Machine, config: &Config) {
        let until = match machine.phase {
            Phase::Open { until } | Phase::HalfOpen { until, .. } => until,
            _ => Nanos::NEVER,
        };
        // Ordering: Relaxed; released with the word.
        self.until.store(until.as_u64(), Ordering::Relaxed);
        // Ordering: Release; pairs with the Acquire in `word`.
        self.word.store(Word::of(machine, config).0, Ordering::Release);
    }

    /// Nothing is recorded until the word is set: the phases before are over. The state is seen to be the next one.
    pub(crate) fn pause(&self, machine: &Machine, config: &Config) {
        // Ordering: Release; who sees the window reset after this sees that the phase is another one.
        self.word.store(Word::of(machine, config).0 | PAUSED, Ordering::Release);
    }

    /// Takes over the numbers of a configuration.
    pub(crate) fn adjust(&self, config: &Config) {
        let slow = config.slow_call_duration.map_or(u64::MAX, resilience_core::saturating_nanos);
        let numbers = [
            (&self.minimum_calls, config.minimum_calls.into()),
            (&self.failure_rate_threshold, config.failure_rate_threshold.to_bits()),
            (&self.slow_call_rate_threshold, config.slow_call_rate_threshold.to_bits()),
            (&self.slow_call_duration, slow),
            (&self.record_on, config.record_on.bits()),
            (&self.ignore_on, config.ignore_on.bits()),
        ];
        for (place, number) in numbers {
            // Ordering: Relaxed; the word that is set afterwards releases them, and until then they are hints.
            place.store(number, Ordering::Relaxed);
        }
    }

    /// Whether a failure of this kind counts: as one, as a success, or not at all.
    pub(crate) fn judge(&self, kind: resilience_core::Kind) -> Option<bool> {
        // Ordering: Relaxed; see `adjust`.
        let ignored = KindSet::from_bits(self.ignore_on.load(Ordering::Relaxed)).contains(kind);
        // Ordering: Relaxed; see `adjust`.
        let recorded = || KindSet::from_bits(self.record_on.load(Ordering::Relaxed)).contains(kind);
        (!ignored).then(recorded)
    }

    pub(crate) fn is_slow(&self, elapsed: u64) -> bool {
        // Ordering: Relaxed; see `adjust`.
        elapsed > self.slow_call_duration.load(Ordering::Relaxed)
    }

    /// Whether rates have reached a threshold, as far as one can tell without the lock.
    #[inline(always)]
    pub(crate) fn is_reached(&self, rates: Rates) -> bool {
        // Ordering: Relaxed; see `adjust`.
        let threshold = |it: &AtomicU64| f64::from_bits(it.load(Ordering::Relaxed));
        // Ordering: Relaxed; see `adjust`.
        rates.calls >= self.minimum_calls.load(Ordering::Relaxed)
            && (reached(rates.failed, rates.calls, threshold(&self.failure_rate_threshold))
                || reached(rates.slow, rates.calls, threshold(&self.slow_call_rate_threshold)))
    }
}
