use std::{fmt, time::Duration};

use resilience_core::{
    Clock, ConfigError, Events, HashState, Id, Settings,
    keys::{Default as KeyDefault, Key, ValueKind},
    sync::Mutex,
};

use super::{AtBound, KeyedRateLimiter, Quota, bound::Bound, shards::Shards, terms::Terms};
use crate::Config;

/// The quota of a key, if it has one of its own.
pub(super) type QuotaOf<K> = Box<dyn Fn(&K) -> Option<Quota> + Send + Sync>;

const MAX_KEYS: &Key = &Key {
    name: "max_keys",
    value: ValueKind::Count { min: 1, max: u32::MAX as u64 },
    default: KeyDefault::Value("100_000"),
    doc: "How many keys are kept at most.",
    code: None,
};

/// Makes a [`KeyedRateLimiter`]; what is not set has its default.
///
/// ```
/// use resilience_ratelimiter::{AtBound, KeyedRateLimiter};
/// use std::time::Duration;
///
/// let limiter: KeyedRateLimiter<u64> = KeyedRateLimiter::builder()
///     .name("clients")
///     .permits(10)
///     .period(Duration::from_secs(1))
///     .max_keys(1_000_000)
///     .at_bound(AtBound::EvictOldest)
///     .build()?;
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
#[must_use]
pub struct Builder<K, S = HashState> {
    name: Option<Id>,
    config: Config,
    max_keys: u32,
    at_bound: AtBound,
    quota: Option<QuotaOf<K>>,
    hasher: S,
    clock: Option<Clock>,
    events: Option<Events>,
}

impl<K> Builder<K> {
    /// Nothing set.
    pub fn new() -> Self {
        Self {
            name: None,
            config: Config::default(),
            max_keys: 100_000,
            at_bound: AtBound::default(),
            quota: None,
            hasher: HashState::new(),
            clock: None,
            events: None,
        }
    }
}

impl<K> Default for Builder<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, S> Builder<K, S> {
    /// The instance id, of all keys together: rejections and events carry it. Default `keyed_rate_limiter`.
    pub fn name(mut self, name: impl Into<Id>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// How many calls per period and key; 1 to 1 000 000 000, default 50.
    pub fn permits(mut self, permits: u32) -> Self {
        self.config.permits = permits;
        self
    }

    /// The period; more than 0, at least 1 ns per permit, at most 100 years, default 1 s.
    pub fn period(mut self, period: Duration) -> Self {
        self.config.period = period;
        self
    }

    /// How long a call may wait for its permit; 0, the default, rejects it at once.
    pub fn max_wait(mut self, max_wait: Duration) -> Self {
        self.config.max_wait = max_wait;
        self
    }

    /// False lets every call through, and keeps no new key. Default true.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.config.enabled = enabled;
        self
    }

    /// How many keys are kept at most; 1 to 4 294 967 295, default 100 000.
    pub fn max_keys(mut self, max_keys: u32) -> Self {
        self.max_keys = max_keys;
        self
    }

    /// What happens when a new key finds no room; default [`AtBound::Reject`].
    pub fn at_bound(mut self, at_bound: AtBound) -> Self {
        self.at_bound = at_bound;
        self
    }

    /// Asked for the quota of each new key, and again when the key comes back after it was forgotten. `None`: the
    /// permits and the period of this builder, also after they are changed live.
    ///
    /// Runs on the thread of the call, under no lock, and should be quick. A panic in it reaches the caller; nothing
    /// has been taken then.
    ///
    /// ```
    /// use resilience_ratelimiter::{KeyedRateLimiter, Quota};
    /// use std::time::Duration;
    ///
    /// let gold = Quota::new(100, Duration::from_secs(1))?;
    /// let limiter = KeyedRateLimiter::builder()
    ///     .permits(5)
    ///     .quota(move |tenant: &String| tenant.starts_with("gold-").then(|| gold.clone()))
    ///     .build()?;
    /// assert_eq!(limiter.available_permits("gold-alice"), 100);
    /// assert_eq!(limiter.available_permits("bob"), 5);
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// ```
    pub fn quota(mut self, quota: impl Fn(&K) -> Option<Quota> + Send + Sync + 'static) -> Self {
        self.quota = Some(Box::new(quota));
        self
    }

    /// How keys are hashed; by default with a [`HashState`], so that nobody from outside can make keys collide. All keys
    /// of one hash stand behind one lock and are looked for one by one. The hash has to be a good one in all its 64
    /// bits: the identity, say, puts small numbers behind one lock.
    ///
    /// It also decides which keys are looked at when there is no room: a fixed one makes that repeatable.
    pub fn hasher<H>(self, hasher: H) -> Builder<K, H> {
        let Self { name, config, max_keys, at_bound, quota, hasher: _, clock, events } = self;
        Builder { name, config, max_keys, at_bound, quota, hasher, clock, events }
    }

    /// The clock; the system's by default.
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = Some(clock.into());
        self
    }

    /// The event bus; by default one of its own, which nobody hears.
    pub fn events(mut self, events: &Events) -> Self {
        self.events = Some(events.clone());
        self
    }

    /// The limiter.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong: R4C-ATR-002 for a period of 0, R4C-ATR-003 for no permits or no keys,
    /// R4C-ATR-005 for less than 1 ns per permit, R4C-CFG-002 for what is too large.
    pub fn build(self) -> Result<KeyedRateLimiter<K, S>, ConfigError> {
        let id = self.name.unwrap_or_else(|| Id::new("keyed_rate_limiter"));
        let mut problems = self.config.problems();
        problems.extend(MAX_KEYS.check_count(self.max_keys.into()).err());
        ConfigError::check(id.as_str(), problems)?;
        Ok(KeyedRateLimiter {
            shards: Shards::new(self.max_keys, &Terms::new(&self.config, id)),
            bound: Bound::new(self.max_keys.into(), self.at_bound),
            hasher: self.hasher,
            quota: self.quota,
            config: Mutex::new(self.config),
            id,
            clock: self.clock.unwrap_or_default(),
            events: self.events.unwrap_or_default(),
        })
    }
}

impl<K, S> fmt::Debug for Builder<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("name", &self.name)
            .field("config", &self.config)
            .field("max_keys", &self.max_keys)
            .field("at_bound", &self.at_bound)
            .finish_non_exhaustive()
    }
}
