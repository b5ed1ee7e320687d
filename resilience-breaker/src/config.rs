use std::time::Duration;

use resilience_core::{
    KindSet, Problem, Settings,
    keys::{CIRCUIT_BREAKER, Key},
};

const WINDOW_SIZE: &Key = CIRCUIT_BREAKER.get("window_size");
const WINDOW_DURATION: &Key = CIRCUIT_BREAKER.get("window_duration");
const MINIMUM_CALLS: &Key = CIRCUIT_BREAKER.get("minimum_calls");
const FAILURE_RATE_THRESHOLD: &Key = CIRCUIT_BREAKER.get("failure_rate_threshold");
const SLOW_CALL_DURATION: &Key = CIRCUIT_BREAKER.get("slow_call_duration");
const SLOW_CALL_RATE_THRESHOLD: &Key = CIRCUIT_BREAKER.get("slow_call_rate_threshold");
const WAIT_IN_OPEN: &Key = CIRCUIT_BREAKER.get("wait_in_open");
const WAIT_IN_OPEN_MULTIPLIER: &Key = CIRCUIT_BREAKER.get("wait_in_open_multiplier");
const MAX_WAIT_IN_OPEN: &Key = CIRCUIT_BREAKER.get("max_wait_in_open");
const PERMITTED_IN_HALF_OPEN: &Key = CIRCUIT_BREAKER.get("permitted_in_half_open");
const MAX_WAIT_IN_HALF_OPEN: &Key = CIRCUIT_BREAKER.get("max_wait_in_half_open");

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
    const fn word(self) -> &'static str {
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
    const fn word(self) -> &'static str {
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

impl Settings for Config {
    fn entries(&self) -> Vec<(&'static str, String)> {
        let duration = |it: Duration| format!("{it:?}");
        vec![
            ("window_type", self.window_type.word().to_owned()),
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
            ("record_on", format!("{:?}", self.record_on)),
            ("ignore_on", format!("{:?}", self.ignore_on)),
            ("on_dropped", self.on_dropped.word().to_owned()),
            ("enabled", self.enabled.to_string()),
        ]
    }

    fn problems(&self) -> Vec<Problem> {
        let size = WINDOW_SIZE.check_count(self.window_size.into());
        let minimum = MINIMUM_CALLS.check_count(self.minimum_calls.into());
        let wait = WAIT_IN_OPEN.check_duration(self.wait_in_open);
        let most = MAX_WAIT_IN_OPEN.check_duration(self.max_wait_in_open);
        let by_count = self.window_type == WindowType::Count;
        let too_many = by_count && size.is_ok() && minimum.is_ok() && self.minimum_calls > self.window_size;
        let too_short = wait.is_ok() && most.is_ok() && self.max_wait_in_open < self.wait_in_open;
        let contradictions = [
            too_many.then(|| {
                let allowed = format!("at most `{} = {}`", WINDOW_SIZE.name, self.window_size);
                Problem::contradiction(MINIMUM_CALLS.name, self.minimum_calls.to_string(), allowed)
            }),
            too_short.then(|| {
                let allowed = format!("at least `{} = {:?}`", WAIT_IN_OPEN.name, self.wait_in_open);
                Problem::contradiction(MAX_WAIT_IN_OPEN.name, format!("{:?}", self.max_wait_in_open), allowed)
            }),
        ];
        let single = [
            size.err(),
            WINDOW_DURATION.check_duration(self.window_duration).err(),
            minimum.err(),
            FAILURE_RATE_THRESHOLD.check_number(self.failure_rate_threshold).err(),
            self.slow_call_duration.and_then(|it| SLOW_CALL_DURATION.check_duration(it).err()),
            SLOW_CALL_RATE_THRESHOLD.check_number(self.slow_call_rate_threshold).err(),
            wait.err(),
            WAIT_IN_OPEN_MULTIPLIER.check_number(self.wait_in_open_multiplier).err(),
            most.err(),
            PERMITTED_IN_HALF_OPEN.check_count(self.permitted_in_half_open.into()).err(),
            MAX_WAIT_IN_HALF_OPEN.check_duration(self.max_wait_in_half_open).err(),
        ];
        single.into_iter().chain(contradictions).flatten().collect()
    }
}
