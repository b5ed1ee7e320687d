use std::time::Duration;

use resilience_core::{
    Clock, ConfigError, Env, Events, Id, Managed, Problem, Random, Settings, Values, Written,
    keys::{Key, RATE_LIMITER, Value},
    pipeline::Draft,
};

use crate::RateLimiter;

const PERMITS: &Key = RATE_LIMITER.get("permits");
const PERIOD: &Key = RATE_LIMITER.get("period");
const MAX_WAIT: &Key = RATE_LIMITER.get("max_wait");
const ENABLED: &Key = RATE_LIMITER.get("enabled");

/// The configuration of a [`RateLimiter`].
///
/// ```
/// use resilience_ratelimiter::Config;
/// use std::time::Duration;
///
/// let config = Config { permits: 10, ..Config::default() };
/// assert_eq!(config.period, Duration::from_secs(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// How many calls per period, and how many at once after a quiet time. 1 to 1 000 000 000, default 50.
    pub permits: u32,
    /// The period. More than 0, at least 1 ns per permit, at most 100 years; default 1 s.
    pub period: Duration,
    /// How long a call may wait for its permit. Default 0: it is rejected at once.
    pub max_wait: Duration,
    /// Whether the limiter limits. Default true.
    pub enabled: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { permits: 50, period: Duration::from_secs(1), max_wait: Duration::ZERO, enabled: true }
    }
}

impl Config {
    /// What is set, and the defaults for the rest.
    pub(crate) fn resolve(values: &Values) -> Self {
        let default = Self::default();
        Self {
            permits: values.count(PERMITS).unwrap_or(default.permits),
            period: values.duration(PERIOD).unwrap_or(default.period),
            max_wait: values.duration(MAX_WAIT).unwrap_or(default.max_wait),
            enabled: values.flag(ENABLED).unwrap_or(default.enabled),
        }
    }
}

impl Settings for Config {
    fn entries(&self) -> Vec<(&'static str, String)> {
        let Self { permits, period, max_wait, enabled } = self;
        vec![
            (PERMITS.name, permits.to_string()),
            (PERIOD.name, format!("{period:?}")),
            (MAX_WAIT.name, format!("{max_wait:?}")),
            (ENABLED.name, enabled.to_string()),
        ]
    }

    fn from_values(values: &Values) -> Option<Self> {
        Some(Self::resolve(values))
    }

    fn values(&self) -> Values {
        let mut values = Values::new();
        values.set(PERMITS, Value::Count(self.permits.into()));
        values.set(PERIOD, Value::Duration(self.period));
        values.set(MAX_WAIT, Value::Duration(self.max_wait));
        values.set(ENABLED, Value::Bool(self.enabled));
        values
    }

    fn problems(&self) -> Vec<Problem> {
        let values = self.values();
        let single = [
            PERMITS.check_count(self.permits.into()).err(),
            PERIOD.check_duration(self.period).err(),
            MAX_WAIT.check_duration(self.max_wait).err(),
        ];
        single.into_iter().flatten().chain(RATE_LIMITER.contradictions(|key| values.get(key))).collect()
    }
}

/// Makes a [`RateLimiter`]; keys that are not set have their defaults.
///
/// ```
/// use resilience_ratelimiter::RateLimiter;
/// use std::time::Duration;
///
/// let limiter = RateLimiter::builder().name("search").permits(10).period(Duration::from_secs(1)).build()?;
/// assert_eq!(limiter.available_permits(), 10);
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

    /// How many calls per period; 1 to 1 000 000 000.
    pub fn permits(mut self, permits: u32) -> Self {
        self.values.set(PERMITS, Value::Count(permits.into()));
        self
    }

    /// The period; more than 0, at least 1 ns per permit, at most 100 years.
    pub fn period(mut self, period: Duration) -> Self {
        self.values.set(PERIOD, Value::Duration(period));
        self
    }

    /// How long a call may wait for its permit; 0 rejects it at once.
    pub fn max_wait(mut self, max_wait: Duration) -> Self {
        self.values.set(MAX_WAIT, Value::Duration(max_wait));
        self
    }

    /// False lets every call through.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.values.set(ENABLED, Value::Bool(enabled));
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

    /// The clock of a limiter on its own; in a pipeline it is always the registry's.
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = Some(clock.into());
        self
    }

    /// The event bus of a limiter on its own; in a pipeline it is always the registry's.
    pub fn events(mut self, events: &Events) -> Self {
        self.events = Some(events.clone());
        self
    }

    /// The configuration so far, with defaults for what is not set; not checked.
    pub fn config(&self) -> Config {
        Config::resolve(&self.values)
    }

    /// A limiter on its own, outside any registry.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong: R4C-ATR-002 for a period of 0, R4C-ATR-003 for no permits, R4C-ATR-005 for
    /// less than 1 ns per permit, R4C-CFG-002 for what is too large.
    pub fn build(self) -> Result<RateLimiter, ConfigError> {
        let config = self.config();
        let id = self.name.unwrap_or_else(|| Id::new(RateLimiter::KIND));
        ConfigError::check(id.as_str(), config.problems())?;
        let env = Env::new(self.clock.unwrap_or_default(), self.events.unwrap_or_default(), Random::seeded(0));
        RateLimiter::create(id, config, &env)
    }

    /// What a pipeline builder takes.
    pub(crate) fn draft(self) -> Draft<RateLimiter> {
        let config = self.config();
        Draft {
            name: self.name,
            config,
            written: Written { values: self.values, base: self.base, locked: self.locked },
        }
    }
}
