use std::time::Duration;

use resilience_core::{
    Clock, ConfigError, Env, Events, Id, Managed, Problem, Random, Settings, Values, Written,
    keys::{Key, TIMEOUT, Value},
    pipeline::Draft,
};

use crate::Timeout;

const LIMIT: &Key = TIMEOUT.get("timeout");
const ENABLED: &Key = TIMEOUT.get("enabled");

/// The configuration of a [`Timeout`].
///
/// ```
/// use resilience_timeout::Config;
/// use std::time::Duration;
///
/// let config = Config { timeout: Duration::from_millis(300), ..Config::default() };
/// assert!(config.enabled);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// How long what is inside may take. More than 0, default 2 s; so long that it never passes is `Duration::MAX`.
    pub timeout: Duration,
    /// Whether calls have a limit. Default true.
    pub enabled: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(2), enabled: true }
    }
}

impl Config {
    /// What is set, and the defaults for the rest.
    pub(crate) fn resolve(values: &Values) -> Self {
        let default = Self::default();
        Self {
            timeout: values.duration(LIMIT).unwrap_or(default.timeout),
            enabled: values.flag(ENABLED).unwrap_or(default.enabled),
        }
    }
}

impl Settings for Config {
    fn entries(&self) -> Vec<(&'static str, String)> {
        let Self { timeout, enabled } = self;
        vec![(LIMIT.name, format!("{timeout:?}")), (ENABLED.name, enabled.to_string())]
    }

    fn from_values(values: &Values) -> Option<Self> {
        Some(Self::resolve(values))
    }

    fn values(&self) -> Values {
        let mut values = Values::new();
        values.set(LIMIT, Value::Duration(self.timeout));
        values.set(ENABLED, Value::Bool(self.enabled));
        values
    }

    fn problems(&self) -> Vec<Problem> {
        LIMIT.check_duration(self.timeout).err().into_iter().collect()
    }
}

/// Makes a [`Timeout`]; keys that are not set have their defaults.
///
/// ```
/// use resilience_timeout::Timeout;
/// use std::time::Duration;
///
/// let timeout = Timeout::builder().name("search").timeout(Duration::from_millis(300)).build()?;
/// assert_eq!(timeout.config().timeout, Duration::from_millis(300));
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

    /// How long what is inside may take; more than 0.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.values.set(LIMIT, Value::Duration(timeout));
        self
    }

    /// False lets every call take its time.
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

    /// The clock of a timeout on its own; in a pipeline it is always the registry's.
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = Some(clock.into());
        self
    }

    /// The event bus of a timeout on its own; in a pipeline it is always the registry's.
    pub fn events(mut self, events: &Events) -> Self {
        self.events = Some(events.clone());
        self
    }

    /// The configuration so far, with defaults for what is not set; not checked.
    pub fn config(&self) -> Config {
        Config::resolve(&self.values)
    }

    /// A timeout on its own, outside any registry.
    ///
    /// # Errors
    ///
    /// R4C-REG-001, with R4C-ATR-002 for a timeout of 0.
    pub fn build(self) -> Result<Timeout, ConfigError> {
        let config = self.config();
        let id = self.name.unwrap_or_else(|| Id::new(Timeout::KIND));
        ConfigError::check(id.as_str(), config.problems())?;
        let env = Env::new(self.clock.unwrap_or_default(), self.events.unwrap_or_default(), Random::seeded(0));
        Timeout::create(id, config, &env)
    }

    /// What a pipeline builder takes.
    pub(crate) fn draft(self) -> Draft<Timeout> {
        let config = self.config();
        Draft {
            name: self.name,
            config,
            written: Written { values: self.values, base: self.base, locked: self.locked },
        }
    }
}
