use std::time::Duration;

use resilience_core::{
    KindSet, Problem, Settings, Values,
    keys::{CIRCUIT_BREAKER, Key, Value},
};

pub(crate) const WINDOW_TYPE: &Key = CIRCUIT_BREAKER.get("window_type");
pub(crate) const WINDOW_SIZE: &Key = CIRCUIT_BREAKER.get("window_size");
pub(crate) const WINDOW_DURATION: &Key = CIRCUIT_BREAKER.get("window_duration");
pub(crate) const MINIMUM_CALLS: &Key = CIRCUIT_BREAKER.get("minimum_calls");
pub(crate) const FAILURE_RATE_THRESHOLD: &Key = CIRCUIT_BREAKER.get("failure_rate_threshold");
pub(crate) const SLOW_CALL_DURATION: &Key = CIRCUIT_BREAKER.get("slow_call_duration");
pub(crate) const SLOW_CALL_RATE_THRESHOLD: &Key = CIRCUIT_BREAKER.get("slow_call_rate_threshold");
pub(crate) const WAIT_IN_OPEN: &Key = CIRCUIT_BREAKER.get("wait_in_open");
pub(crate) const WAIT_IN_OPEN_MULTIPLIER: &Key = CIRCUIT_BREAKER.get("wait_in_open_multiplier");
pub(crate) const MAX_WAIT_IN_OPEN: &Key = CIRCUIT_BREAKER.get("max_wait_in_open");
pub(crate) const PERMITTED_IN_HALF_OPEN: &Key = CIRCUIT_BREAKER.get("permitted_in_half_open");
pub(crate) const MAX_WAIT_IN_HALF_OPEN: &Key = CIRCUIT_BREAKER.get("max_wait_in_half_open");
pub(crate) const RECORD_ON: &Key = CIRCUIT_BREAKER.get("record_on");
pub(crate) const IGNORE_ON: &Key = CIRCUIT_BREAKER.get("ignore_on");
pub(crate) const ON_DROPPED: &Key = CIRCUIT_BREAKER.get("on_dropped");
pub(crate) const ENABLED: &Key = CIRCUIT_BREAKER.get("enabled");

/// What the rates are taken over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WindowType {
    /// The last `window_size` calls.
    #[default]
    Count,
    /// The last `window_duration`.
    Time,
}

impl WindowType {
    fn of(word: &str) -> Option<Self> {
        [Self::Count, Self::Time].into_iter().find(|it| it.word() == word)
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Time => "time",
        }
    }
}

/// What a call counts as that was dropped before it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDropped {
    /// Nothing.
    #[default]
    Ignore,
    /// A failure: for a dependency that hangs, under callers that cancel.
    Failure,
}

impl OnDropped {
    fn of(word: &str) -> Option<Self> {
        [Self::Ignore, Self::Failure].into_iter().find(|it| it.word() == word)
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Ignore => "ignore",
            Self::Failure => "failure",
        }
    }
}

/// The configuration of a [`CircuitBreaker`](crate::CircuitBreaker).
///
/// ```
/// use resilience_breaker::Config;
///
/// let config = Config { failure_rate_threshold: 25.0, ..Config::default() };
/// assert_eq!((config.window_size, config.minimum_calls), (100, 20));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// What the rates are taken over; default the last calls.
    pub window_type: WindowType,
    /// How many calls a count window holds. 1 to 100 000, default 100.
    pub window_size: u32,
    /// How far back a time window reaches, in ten buckets. More than 0, default 10 s.
    pub window_duration: Duration,
    /// How many calls the window must hold before its rates count. At least 1, in a count window at most
    /// `window_size`; default 20 (the builder takes less for a smaller window).
    pub minimum_calls: u32,
    /// The failure rate that opens, in percent. More than 0, at most 100, default 50.
    pub failure_rate_threshold: f64,
    /// A call that takes longer is slow. More than 0; default none: calls are not timed.
    pub slow_call_duration: Option<Duration>,
    /// The rate of slow calls that opens, in percent. More than 0, at most 100, default 100.
    pub slow_call_rate_threshold: f64,
    /// How long the breaker stays open. More than 0, default 30 s.
    pub wait_in_open: Duration,
    /// Makes each opening in a row longer by this factor. At least 1, default 1.
    pub wait_in_open_multiplier: f64,
    /// The longest that the factor can make an opening. At least `wait_in_open`, default 10 min.
    pub max_wait_in_open: Duration,
    /// How many probes decide whether it closes. At least 1, default 5.
    pub permitted_in_half_open: u32,
    /// How long the probes may take; then it opens again. 0: as long as it takes. Default 60 s.
    pub max_wait_in_half_open: Duration,
    /// The kinds of failure that count as one; others count as successes. Default all.
    pub record_on: KindSet,
    /// The kinds of failure that count as nothing. Default none.
    pub ignore_on: KindSet,
    /// What a dropped call counts as; default nothing.
    pub on_dropped: OnDropped,
    /// Whether the breaker breaks. Default true.
    pub enabled: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            window_type: WindowType::Count,
            window_size: 100,
            window_duration: Duration::from_secs(10),
            minimum_calls: 20,
            failure_rate_threshold: 50.0,
            slow_call_duration: None,
            slow_call_rate_threshold: 100.0,
            wait_in_open: Duration::from_secs(30),
            wait_in_open_multiplier: 1.0,
            max_wait_in_open: Duration::from_secs(600),
            permitted_in_half_open: 5,
            max_wait_in_half_open: Duration::from_secs(60),
            record_on: KindSet::ALL,
            ignore_on: KindSet::EMPTY,
            on_dropped: OnDropped::Ignore,
            enabled: true,
        }
    }
}

impl Config {
    /// What is set, and the defaults for the rest.
    pub(crate) fn resolve(values: &Values) -> Self {
        let default = Self::default();
        let window_type = values.word(WINDOW_TYPE).and_then(WindowType::of).unwrap_or(default.window_type);
        let window_size = values.count(WINDOW_SIZE).unwrap_or(default.window_size);
        let minimum = if window_type == WindowType::Count { window_size.max(1) } else { u32::MAX };
        let wait_in_open = values.duration(WAIT_IN_OPEN).unwrap_or(default.wait_in_open);
        let percent = |key, default| values.number(key).unwrap_or(default);
        Self {
            window_type,
            window_size,
            window_duration: values.duration(WINDOW_DURATION).unwrap_or(default.window_duration),
            minimum_calls: values.count(MINIMUM_CALLS).unwrap_or(default.minimum_calls.min(minimum)),
            failure_rate_threshold: percent(FAILURE_RATE_THRESHOLD, default.failure_rate_threshold),
            slow_call_duration: values.duration(SLOW_CALL_DURATION),
            slow_call_rate_threshold: percent(SLOW_CALL_RATE_THRESHOLD, default.slow_call_rate_threshold),
            wait_in_open,
            wait_in_open_multiplier: percent(WAIT_IN_OPEN_MULTIPLIER, default.wait_in_open_multiplier),
            max_wait_in_open: values.duration(MAX_WAIT_IN_OPEN).unwrap_or(default.max_wait_in_open.max(wait_in_open)),
            permitted_in_half_open: values.count(PERMITTED_IN_HALF_OPEN).unwrap_or(default.permitted_in_half_open),
            max_wait_in_half_open: values.duration(MAX_WAIT_IN_HALF_OPEN).unwrap_or(default.max_wait_in_half_open),
            record_on: values.kinds(RECORD_ON).unwrap_or(default.record_on),
            ignore_on: values.kinds(IGNORE_ON).unwrap_or(default.ignore_on),
            on_dropped: values.word(ON_DROPPED).and_then(OnDropped::of).unwrap_or(default.on_dropped),
            enabled: values.flag(ENABLED).unwrap_or(default.enabled),
        }
    }
}

impl Settings for Config {
    fn entries(&self) -> Vec<(&'static str, String)> {
        let duration = |it: Duration| format!("{it:?}");
        vec![
            (WINDOW_TYPE.name, self.window_type.word().to_owned()),
            (WINDOW_SIZE.name, self.window_size.to_string()),
            (WINDOW_DURATION.name, duration(self.window_duration)),
            (MINIMUM_CALLS.name, self.minimum_calls.to_string()),
            (FAILURE_RATE_THRESHOLD.name, self.failure_rate_threshold.to_string()),
            (SLOW_CALL_DURATION.name, self.slow_call_duration.map_or_else(|| "none".to_owned(), duration)),
            (SLOW_CALL_RATE_THRESHOLD.name, self.slow_call_rate_threshold.to_string()),
            (WAIT_IN_OPEN.name, duration(self.wait_in_open)),
            (WAIT_IN_OPEN_MULTIPLIER.name, self.wait_in_open_multiplier.to_string()),
            (MAX_WAIT_IN_OPEN.name, duration(self.max_wait_in_open)),
            (PERMITTED_IN_HALF_OPEN.name, self.permitted_in_half_open.to_string()),
            (MAX_WAIT_IN_HALF_OPEN.name, duration(self.max_wait_in_half_open)),
            (RECORD_ON.name, format!("{:?}", self.record_on)),
            (IGNORE_ON.name, format!("{:?}", self.ignore_on)),
            (ON_DROPPED.name, self.on_dropped.word().to_owned()),
            (ENABLED.name, self.enabled.to_string()),
        ]
    }

    fn from_values(values: &Values) -> Option<Self> {
        Some(Self::resolve(values))
    }

    fn values(&self) -> Values {
        let mut values = Values::new();
        values.set(WINDOW_TYPE, Value::Word(self.window_type.word()));
        values.set(WINDOW_SIZE, Value::Count(self.window_size.into()));
        values.set(WINDOW_DURATION, Value::Duration(self.window_duration));
        values.set(MINIMUM_CALLS, Value::Count(self.minimum_calls.into()));
        values.set(FAILURE_RATE_THRESHOLD, Value::Number(self.failure_rate_threshold));
        if let Some(it) = self.slow_call_duration {
            values.set(SLOW_CALL_DURATION, Value::Duration(it));
        }
        values.set(SLOW_CALL_RATE_THRESHOLD, Value::Number(self.slow_call_rate_threshold));
        values.set(WAIT_IN_OPEN, Value::Duration(self.wait_in_open));
        values.set(WAIT_IN_OPEN_MULTIPLIER, Value::Number(self.wait_in_open_multiplier));
        values.set(MAX_WAIT_IN_OPEN, Value::Duration(self.max_wait_in_open));
        values.set(PERMITTED_IN_HALF_OPEN, Value::Count(self.permitted_in_half_open.into()));
        values.set(MAX_WAIT_IN_HALF_OPEN, Value::Duration(self.max_wait_in_half_open));
        values.set_kinds(RECORD_ON, self.record_on);
        values.set_kinds(IGNORE_ON, self.ignore_on);
        values.set(ON_DROPPED, Value::Word(self.on_dropped.word()));
        values.set(ENABLED, Value::Bool(self.enabled));
        values
    }

    fn problems(&self) -> Vec<Problem> {
        let values = self.values();
        let single = [
            WINDOW_SIZE.check_count(self.window_size.into()).err(),
            WINDOW_DURATION.check_duration(self.window_duration).err(),
            MINIMUM_CALLS.check_count(self.minimum_calls.into()).err(),
            FAILURE_RATE_THRESHOLD.check_number(self.failure_rate_threshold).err(),
            self.slow_call_duration.and_then(|it| SLOW_CALL_DURATION.check_duration(it).err()),
            SLOW_CALL_RATE_THRESHOLD.check_number(self.slow_call_rate_threshold).err(),
            WAIT_IN_OPEN.check_duration(self.wait_in_open).err(),
            WAIT_IN_OPEN_MULTIPLIER.check_number(self.wait_in_open_multiplier).err(),
            MAX_WAIT_IN_OPEN.check_duration(self.max_wait_in_open).err(),
            PERMITTED_IN_HALF_OPEN.check_count(self.permitted_in_half_open.into()).err(),
            MAX_WAIT_IN_HALF_OPEN.check_duration(self.max_wait_in_half_open).err(),
        ];
        single.into_iter().flatten().chain(CIRCUIT_BREAKER.contradictions(|key| values.get(key))).collect()
    }
}
