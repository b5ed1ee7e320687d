use std::time::Duration;

use resilience_core::{
    Clock, ConfigError, Env, Events, Id, Managed, Problem, Random, Settings,
    keys::{BULKHEAD, Key},
    pipeline::Draft,
};

use crate::Bulkhead;

const MAX_CONCURRENT: &Key = BULKHEAD.get("max_concurrent");
const MAX_WAIT: &Key = BULKHEAD.get("max_wait");
const MAX_QUEUE: &Key = BULKHEAD.get("max_queue");

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

impl Settings for Config {
    fn entries(&self) -> Vec<(&'static str, String)> {
        let Self { max_concurrent, max_wait, max_queue, enabled } = self;
        vec![
            (MAX_CONCURRENT.name, max_concurrent.to_string()),
            (MAX_WAIT.name, format!("{max_wait:?}")),
            (MAX_QUEUE.name, max_queue.map_or_else(|| MAX_QUEUE.default.to_string(), |most| most.to_string())),
            ("enabled", enabled.to_string()),
        ]
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
    max_concurrent: Option<u32>,
    max_wait: Option<Duration>,
    max_queue: Option<u32>,
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

    /// How many calls may run at the same time; 1 to 2^31 - 1.
    pub fn max_concurrent(mut self, max_concurrent: u32) -> Self {
        self.max_concurrent = Some(max_concurrent);
        self
    }

    /// How long a call may wait for a slot; 0 rejects it at once.
    pub fn max_wait(mut self, max_wait: Duration) -> Self {
        self.max_wait = Some(max_wait);
        self
    }

    /// How many calls may wait at the same time; any number if this is not set.
    pub fn max_queue(mut self, max_queue: u32) -> Self {
        self.max_queue = Some(max_queue);
        self
    }

    /// False lets every call through.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = Some(enabled);
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
        let default = Config::default();
        Config {
            max_concurrent: self.max_concurrent.unwrap_or(default.max_concurrent),
            max_wait: self.max_wait.unwrap_or(default.max_wait),
            max_queue: self.max_queue.or(default.max_queue),
            enabled: self.enabled.unwrap_or(default.enabled),
        }
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
        Draft { name: self.name, config: self.config() }
    }
}
