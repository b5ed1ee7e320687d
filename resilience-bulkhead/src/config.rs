use std::time::Duration;

use resilience_core::{
    Clock, ConfigError, Env, Events, Id, Managed, Problem, Random, Settings, Values, Written,
    keys::{BULKHEAD, Key, Value},
    pipeline::Draft,
};

use crate::Bulkhead;

const MAX_CONCURRENT: &Key = BULKHEAD.get("max_concurrent");
const MAX_WAIT: &Key = BULKHEAD.get("max_wait");
const MAX_QUEUE: &Key = BULKHEAD.get("max_queue");
const ENABLED: &Key = BULKHEAD.get("enabled");

/// The configuration of a [`Bulkhead`].
///
/// ```
/// use resilience_bulkhead::Config;
/// use std::time::Duration;
///
/// let config = Config { max_concurrent: 10, ..Config::default() };
/// assert_eq!(config.max_wait, Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// How many calls may run at the same time. 1 to 2^31 - 1, default 25.
    pub max_concurrent: u32,
    /// How long a call may wait for a slot. Default 0: it is rejected at once.
    pub max_wait: Duration,
    /// How many calls may wait at the same time. Default `None`: any number.
    pub max_queue: Option<u32>,
    /// Whether the bulkhead limits. Default true.
    pub enabled: bool,
}

impl Config {
    /// The maximum, as the semaphore takes it: 0 if it is switched off.
    pub(crate) fn slots(&self) -> u32 {
        if self.enabled { self.max_concurrent } else { 0 }
    }

    /// How many may wait; more than fit into memory if there is no limit.
    pub(crate) fn queue_limit(&self) -> u32 {
        self.max_queue.unwrap_or(u32::MAX)
    }
}

impl Default for Config {
    fn default() -> Self {
        Self { max_concurrent: 25, max_wait: Duration::ZERO, max_queue: None, enabled: true }
    }
}

impl Config {
    /// What is set, and the defaults for the rest.
    pub(crate) fn resolve(values: &Values) -> Self {
        let default = Self::default();
        Self {
            max_concurrent: values.count(MAX_CONCURRENT).unwrap_or(default.max_concurrent),
            max_wait: values.duration(MAX_WAIT).unwrap_or(default.max_wait),
            max_queue: values.count(MAX_QUEUE).or(default.max_queue),
            enabled: values.flag(ENABLED).unwrap_or(default.enabled),
        }
    }
}

impl Settings for Config {
    fn entries(&self) -> Vec<(&'static str, String)> {
        let Self { max_concurrent, max_wait, max_queue, enabled } = self;
        vec![
            (MAX_CONCURRENT.name, max_concurrent.to_string()),
            (MAX_WAIT.name, format!("{max_wait:?}")),
            (MAX_QUEUE.name, max_queue.map_or_else(|| MAX_QUEUE.default.to_string(), |most| most.to_string())),
            (ENABLED.name, enabled.to_string()),
        ]
    }

    fn from_values(values: &Values) -> Option<Self> {
        Some(Self::resolve(values))
    }

    fn values(&self) -> Values {
        let mut values = Values::new();
        values.set(MAX_CONCURRENT, Value::Count(self.max_concurrent.into()));
        values.set(MAX_WAIT, Value::Duration(self.max_wait));
        if let Some(most) = self.max_queue {
            values.set(MAX_QUEUE, Value::Count(most.into()));
        }
        values.set(ENABLED, Value::Bool(self.enabled));
        values
    }

    fn problems(&self) -> Vec<Problem> {
        let max_concurrent = MAX_CONCURRENT.check_count(self.max_concurrent.into()).err();
        let max_wait = MAX_WAIT.check_duration(self.max_wait).err();
        let max_queue = self.max_queue.and_then(|most| MAX_QUEUE.check_count(most.into()).err());
        [max_concurrent, max_wait, max_queue].into_iter().flatten().collect()
    }
}

/// Makes a [`Bulkhead`]; keys that are not set have their defaults.
///
/// ```
/// use resilience_bulkhead::Bulkhead;
///
/// let bulkhead = Bulkhead::builder().name("reports").max_concurrent(4).build()?;
/// assert_eq!(bulkhead.available(), 4);
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

    /// How many calls may run at the same time; 1 to 2^31 - 1.
    pub fn max_concurrent(mut self, max_concurrent: u32) -> Self {
        self.values.set(MAX_CONCURRENT, Value::Count(max_concurrent.into()));
        self
    }

    /// How long a call may wait for a slot; 0 rejects it at once.
    pub fn max_wait(mut self, max_wait: Duration) -> Self {
        self.values.set(MAX_WAIT, Value::Duration(max_wait));
        self
    }

    /// How many calls may wait at the same time; any number if this is not set.
    pub fn max_queue(mut self, max_queue: u32) -> Self {
        self.values.set(MAX_QUEUE, Value::Count(max_queue.into()));
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

    /// The clock of a bulkhead on its own; in a pipeline it is always the registry's.
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = Some(clock.into());
        self
    }

    /// The event bus of a bulkhead on its own; in a pipeline it is always the registry's.
    pub fn events(mut self, events: &Events) -> Self {
        self.events = Some(events.clone());
        self
    }

    /// The configuration so far, with defaults for what is not set; not checked.
    pub fn config(&self) -> Config {
        Config::resolve(&self.values)
    }

    /// A bulkhead on its own, outside any registry.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong: R4C-ATR-003 for no slots, R4C-CFG-002 for more than 2^31 - 1.
    pub fn build(self) -> Result<Bulkhead, ConfigError> {
        let config = self.config();
        let id = self.name.unwrap_or_else(|| Id::new(Bulkhead::KIND));
        ConfigError::check(id.as_str(), config.problems())?;
        let env = Env::new(self.clock.unwrap_or_default(), self.events.unwrap_or_default(), Random::seeded(0));
        Bulkhead::create(id, config, &env)
    }

    /// What a pipeline builder takes.
    pub(crate) fn draft(self) -> Draft<Bulkhead> {
        let config = self.config();
        Draft {
            name: self.name,
            config,
            written: Written { values: self.values, base: self.base, locked: self.locked },
        }
    }
}
