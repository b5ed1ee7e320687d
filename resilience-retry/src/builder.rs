use std::time::Duration;

use resilience_core::{
    Clock, ConfigError, Events, Id, KindSet, Managed, Random, Settings, Values, Written, keys::Value, pipeline::Draft,
};

use crate::{Backoff, Config, Jitter, Retry, config};

/// Makes a [`Retry`]; keys that are not set have their defaults.
///
/// ```
/// use resilience_core::Kind;
/// use resilience_retry::{Backoff, Jitter, Retry};
/// use std::time::Duration;
///
/// let retry = Retry::builder()
///     .name("search")
///     .max_attempts(5)
///     .delay(Duration::from_millis(20))
///     .backoff(Backoff::Linear)
///     .jitter(Jitter::Equal)
///     .abort_on([Kind::BULKHEAD_FULL])
///     .build()?;
/// assert_eq!(retry.config().max_attempts, 5);
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
    random: Option<Random>,
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

    /// Calls in all, the first one included; at least 1.
    pub fn max_attempts(mut self, max_attempts: u32) -> Self {
        self.values.set(config::MAX_ATTEMPTS, Value::Count(max_attempts.into()));
        self
    }

    /// The delay before the second call, ahead of jitter.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.values.set(config::DELAY, Value::Duration(delay));
        self
    }

    /// How the delay grows from call to call.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.values.set(config::BACKOFF, Value::Word(backoff.name()));
        self
    }

    /// The factor between two delays of an exponential backoff; at least 1.
    pub fn multiplier(mut self, multiplier: f64) -> Self {
        self.values.set(config::MULTIPLIER, Value::Number(multiplier));
        self
    }

    /// The cap on the delay, ahead of jitter; at least `delay`.
    pub fn max_delay(mut self, max_delay: Duration) -> Self {
        self.values.set(config::MAX_DELAY, Value::Duration(max_delay));
        self
    }

    /// How chance spreads the delays.
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        self.values.set(config::JITTER, Value::Word(jitter.name()));
        self
    }

    /// No call starts later than this after the first one started; more than 0.
    pub fn max_duration(mut self, max_duration: Duration) -> Self {
        self.values.set(config::MAX_DURATION, Value::Duration(max_duration));
        self
    }

    /// The kinds of failure and rejection that are tried again.
    pub fn retry_on(mut self, kinds: impl Into<KindSet>) -> Self {
        self.values.set_kinds(config::RETRY_ON, kinds.into());
        self
    }

    /// The kinds of failure and rejection that end it at once.
    pub fn abort_on(mut self, kinds: impl Into<KindSet>) -> Self {
        self.values.set_kinds(config::ABORT_ON, kinds.into());
        self
    }

    /// Sets a budget: the most retries, in percent of the calls in the budget's window; more than 0, at most 100.
    pub fn budget_percent(mut self, percent: f64) -> Self {
        self.values.set(config::BUDGET_PERCENT, Value::Number(percent));
        self
    }

    /// Retries per second that a budget allows on top, however few calls there are.
    pub fn budget_min_per_second(mut self, retries: u32) -> Self {
        self.values.set(config::BUDGET_MIN_PER_SECOND, Value::Count(retries.into()));
        self
    }

    /// How far back a budget counts; more than 0.
    pub fn budget_window(mut self, window: Duration) -> Self {
        self.values.set(config::BUDGET_WINDOW, Value::Duration(window));
        self
    }

    /// False tries nothing again.
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

    /// The clock of a retry on its own; in a pipeline it is always the registry's.
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = Some(clock.into());
        self
    }

    /// The event bus of a retry on its own; in a pipeline it is always the registry's.
    pub fn events(mut self, events: &Events) -> Self {
        self.events = Some(events.clone());
        self
    }

    /// Makes the jitter of a retry on its own repeatable, see [`Config::delays`]; in a pipeline it follows from the
    /// registry's seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.random = Some(Random::seeded(seed));
        self
    }

    /// The configuration so far, with defaults for what is not set; not checked.
    pub fn config(&self) -> Config {
        Config::resolve(&self.values)
    }

    /// A retry on its own, outside any registry.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong: R4C-ATR-002 for a `max_duration` of 0, R4C-ATR-003 for no attempts,
    /// R4C-ATR-004 for a `multiplier` below 1, R4C-ATR-005 for a `max_delay` below `delay`, R4C-ATR-007 for a budget out
    /// of its range.
    pub fn build(self) -> Result<Retry, ConfigError> {
        let config = self.config();
        let id = self.name.unwrap_or_else(|| Id::new(Retry::KIND));
        ConfigError::check(id.as_str(), config.problems())?;
        let Self { clock, events, random, .. } = self;
        Ok(Retry::new(id, config, clock.unwrap_or_default(), events.unwrap_or_default(), random.unwrap_or_default()))
    }

    /// What a pipeline builder takes.
    pub(crate) fn draft(self) -> Draft<Retry> {
        let config = self.config();
        Draft {
            name: self.name,
            config,
            written: Written { values: self.values, base: self.base, locked: self.locked },
        }
    }
}
