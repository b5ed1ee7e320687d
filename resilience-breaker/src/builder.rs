use std::time::Duration;

use resilience_core::{Clock, ConfigError, Env, Events, Id, KindSet, Managed, Random, Settings, pipeline::Draft};

use crate::{CircuitBreaker, Config, OnDropped, WindowType};

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
    /// What is set; the keys whose default depends on another one only in the two fields below.
    config: Config,
    minimum_calls: Option<u32>,
    max_wait_in_open: Option<Duration>,
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
        self.config.window_type = window_type;
        self
    }

    /// How many calls a count window holds; 1 to 100 000.
    pub fn window_size(mut self, calls: u32) -> Self {
        self.config.window_size = calls;
        self
    }

    /// How far back a time window reaches, in ten buckets; more than 0.
    pub fn window_duration(mut self, duration: Duration) -> Self {
        self.config.window_duration = duration;
        self
    }

    /// How many calls the window must hold before its rates count; at least 1, in a count window at most `window_size`.
    pub fn minimum_calls(mut self, calls: u32) -> Self {
        self.minimum_calls = Some(calls);
        self
    }

    /// The failure rate that opens, in percent; more than 0, at most 100.
    pub fn failure_rate_threshold(mut self, percent: f64) -> Self {
        self.config.failure_rate_threshold = percent;
        self
    }

    /// A call that takes longer is slow; more than 0. Calls are timed only if this is set.
    pub fn slow_call_duration(mut self, duration: Duration) -> Self {
        self.config.slow_call_duration = Some(duration);
        self
    }

    /// The rate of slow calls that opens, in percent; more than 0, at most 100.
    pub fn slow_call_rate_threshold(mut self, percent: f64) -> Self {
        self.config.slow_call_rate_threshold = percent;
        self
    }

    /// How long the breaker stays open; more than 0.
    pub fn wait_in_open(mut self, wait: Duration) -> Self {
        self.config.wait_in_open = wait;
        self
    }

    /// Makes each opening in a row longer by this factor; at least 1.
    pub fn wait_in_open_multiplier(mut self, factor: f64) -> Self {
        self.config.wait_in_open_multiplier = factor;
        self
    }

    /// The longest that the factor can make an opening; at least `wait_in_open`.
    pub fn max_wait_in_open(mut self, wait: Duration) -> Self {
        self.max_wait_in_open = Some(wait);
        self
    }

    /// How many probes decide whether it closes; at least 1.
    pub fn permitted_in_half_open(mut self, probes: u32) -> Self {
        self.config.permitted_in_half_open = probes;
        self
    }

    /// How long the probes may take, before it opens again; 0 for as long as it takes.
    pub fn max_wait_in_half_open(mut self, wait: Duration) -> Self {
        self.config.max_wait_in_half_open = wait;
        self
    }

    /// The kinds of failure that count as one; others count as successes.
    pub fn record_on(mut self, kinds: impl Into<KindSet>) -> Self {
        self.config.record_on = kinds.into();
        self
    }

    /// The kinds of failure that count as nothing.
    pub fn ignore_on(mut self, kinds: impl Into<KindSet>) -> Self {
        self.config.ignore_on = kinds.into();
        self
    }

    /// What a call counts as that was dropped before it ended.
    pub fn on_dropped(mut self, on_dropped: OnDropped) -> Self {
        self.config.on_dropped = on_dropped;
        self
    }

    /// False lets every call through.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.config.enabled = enabled;
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
        let Config { window_type, window_size, minimum_calls, max_wait_in_open, wait_in_open, .. } = self.config;
        let fits = if window_type == WindowType::Count { minimum_calls.min(window_size.max(1)) } else { minimum_calls };
        Config {
            minimum_calls: self.minimum_calls.unwrap_or(fits),
            max_wait_in_open: self.max_wait_in_open.unwrap_or(max_wait_in_open.max(wait_in_open)),
            ..self.config
        }
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
        Draft { name: self.name, config: self.config() }
    }
}
