use std::time::Duration;

use resilience_core::{
    Clock, ConfigError, Env, Events, Id, Managed, Problem, Random, Settings,
    keys::{Key, TIMEOUT},
    pipeline::Draft,
};

use crate::Timeout;

const LIMIT: &Key = TIMEOUT.get("timeout");

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

impl Settings for Config {
    fn entries(&self) -> Vec<(&'static str, String)> {
        let Self { timeout, enabled } = self;
        vec![(LIMIT.name, format!("{timeout:?}")), ("enabled", enabled.to_string())]
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
    timeout: Option<Duration>,
    enabled: Option<bool>,
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
        self.timeout = Some(timeout);
        self
    }

    /// False lets every call take its time.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = Some(enabled);
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
        let default = Config::default();
        Config { timeout: self.timeout.unwrap_or(default.timeout), enabled: self.enabled.unwrap_or(default.enabled) }
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
        Draft { name: self.name, config: self.config() }
    }
}
