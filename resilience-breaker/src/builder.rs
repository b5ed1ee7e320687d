use std::time::Duration;

use resilience_core::{
    Clock, ConfigError, Env, Events, Id, KindSet, Managed, Random, Settings, Values, Written, keys::Value,
    pipeline::Draft,
};

use crate::{CircuitBreaker, Config, OnDropped, WindowType, config};

/// Makes a [`CircuitBreaker`]; keys that are not set have their defaults.
///
/// ```
/// use resilience_breaker::{CircuitBreaker, State};
/// use std::time::Duration;
///
/// let breaker = CircuitBreaker::builder()
///     .name("geocoding")
///     .window_size(20)
///     .failure_rate_threshold(50.0)
///     .wait_in_open(Duration::from_secs(5))
///     .build()?;
/// assert_eq!(breaker.state(), State::Closed);
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Builder {
    name: Option<Id>,
    values: Values,
    base: Option<String>,
    locked: bool,
    clock: Option<Clock>,
    events: Option<Events>,
}

impl Builder {
    /// No key set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The instance id. In a pipeline, policies of the same name and configuration are one instance.
    pub fn name(mut self, name: impl Into<Id>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What the rates are taken over: the last calls, or the last seconds.
    pub fn window_type(mut self, window_type: WindowType) -> Self {
        self.values.set(config::WINDOW_TYPE, Value::Word(window_type.word()));
        self
    }

    /// How many calls a count window holds; 1 to 100 000.
    pub fn window_size(mut self, calls: u32) -> Self {
        self.values.set(config::WINDOW_SIZE, Value::Count(calls.into()));
        self
    }

    /// How far back a time window reaches, in ten buckets; more than 0.
    pub fn window_duration(mut self, duration: Duration) -> Self {
        self.values.set(config::WINDOW_DURATION, Value::Duration(duration));
        self
    }

    /// How many calls the window must hold before its rates count; at least 1, in a count window at most `window_size`.
    pub fn minimum_calls(mut self, calls: u32) -> Self {
        self.values.set(config::MINIMUM_CALLS, Value::Count(calls.into()));
        self
    }

    /// The failure rate that opens, in percent; more than 0, at most 100.
    pub fn failure_rate_threshold(mut self, percent: f64) -> Self {
        self.values.set(config::FAILURE_RATE_THRESHOLD, Value::Number(percent));
        self
    }

    /// A call that takes longer is slow; more than 0. Calls are timed only if this is set.
    pub fn slow_call_duration(mut self, duration: Duration) -> Self {
        self.values.set(config::SLOW_CALL_DURATION, Value::Duration(duration));
        self
    }

    /// The rate of slow calls that opens, in percent; more than 0, at most 100.
    pub fn slow_call_rate_threshold(mut self, percent: f64) -> Self {
        self.values.set(config::SLOW_CALL_RATE_THRESHOLD, Value::Number(percent));
        self
    }

    /// How long the breaker stays open; more than 0.
    pub fn wait_in_open(mut self, wait: Duration) -> Self {
        self.values.set(config::WAIT_IN_OPEN, Value::Duration(wait));
        self
    }

    /// Makes each opening in a row longer by this factor; at least 1.
    pub fn wait_in_open_multiplier(mut self, factor: f64) -> Self {
        self.values.set(config::WAIT_IN_OPEN_MULTIPLIER, Value::Number(factor));
        self
    }

    /// The longest that the factor can make an opening; at least `wait_in_open`.
    pub fn max_wait_in_open(mut self, wait: Duration) -> Self {
        self.values.set(config::MAX_WAIT_IN_OPEN, Value::Duration(wait));
        self
    }

    /// How many probes decide whether it closes; at least 1.
    pub fn permitted_in_half_open(mut self, probes: u32) -> Self {
        self.values.set(config::PERMITTED_IN_HALF_OPEN, Value::Count(probes.into()));
        self
    }

    /// How long the probes may take, before it opens again; 0 for as long as it takes.
    pub fn max_wait_in_half_open(mut self, wait: Duration) -> Self {
        self.values.set(config::MAX_WAIT_IN_HALF_OPEN, Value::Duration(wait));
        self
    }

    /// The kinds of failure that count as one; others count as successes.
    pub fn record_on(mut self, kinds: impl Into<KindSet>) -> Self {
        self.values.set_kinds(config::RECORD_ON, kinds.into());
        self
    }

    /// The kinds of failure that count as nothing.
    pub fn ignore_on(mut self, kinds: impl Into<KindSet>) -> Self {
        self.values.set_kinds(config::IGNORE_ON, kinds.into());
        self
    }

    /// What a call counts as that was dropped before it ended.
    pub fn on_dropped(mut self, on_dropped: OnDropped) -> Self {
        self.values.set(config::ON_DROPPED, Value::Word(on_dropped.word()));
        self
    }

    /// False lets every call through.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.values.set(config::ENABLED, Value::Bool(enabled));
        self
    }

    /// The named config of the sources that the instance builds on; what is set here holds against it.
    pub fn base(mut self, config: impl Into<String>) -> Self {
        self.base = Some(config.into());
        self
    }

    /// Keeps what is set here, whatever files and the environment say of the instance.
    pub fn locked(mut self) -> Self {
        self.locked = true;
        self
    }

    /// The clock of a breaker on its own; in a pipeline it is always the registry's.
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = Some(clock.into());
        self
    }

    /// The event bus of a breaker on its own; in a pipeline it is always the registry's.
    pub fn events(mut self, events: &Events) -> Self {
        self.events = Some(events.clone());
        self
    }

    /// The configuration so far, with defaults for what is not set; not checked.
    pub fn config(&self) -> Config {
        Config::resolve(&self.values)
    }

    /// A breaker on its own, outside any registry.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong: R4C-ATR-002 for a duration of 0, R4C-ATR-003 for a count below 1, R4C-ATR-004
    /// for a percentage or factor outside its range, R4C-ATR-005 for more `minimum_calls` than the window holds or a
    /// `max_wait_in_open` below `wait_in_open`, R4C-CFG-002 for what is too large.
    pub fn build(self) -> Result<CircuitBreaker, ConfigError> {
        let config = self.config();
        let id = self.name.unwrap_or_else(|| Id::new(CircuitBreaker::KIND));
        ConfigError::check(id.as_str(), config.problems())?;
        let env = Env::new(self.clock.unwrap_or_default(), self.events.unwrap_or_default(), Random::seeded(0));
        CircuitBreaker::create(id, config, &env)
    }

    /// What a pipeline builder takes.
    pub(crate) fn draft(self) -> Draft<CircuitBreaker> {
        let config = self.config();
        Draft {
            name: self.name,
            config,
            written: Written { values: self.values, base: self.base, locked: self.locked },
        }
    }
}
