use std::{fmt::Debug, time::Duration};

use resilience_core::{
    KindSet, Problem, Settings, Values,
    keys::{Key, RETRY, Value},
};

use crate::{Backoff, Jitter};

pub(crate) const MAX_ATTEMPTS: &Key = RETRY.get("max_attempts");
pub(crate) const DELAY: &Key = RETRY.get("delay");
pub(crate) const BACKOFF: &Key = RETRY.get("backoff");
pub(crate) const MULTIPLIER: &Key = RETRY.get("multiplier");
pub(crate) const MAX_DELAY: &Key = RETRY.get("max_delay");
pub(crate) const JITTER: &Key = RETRY.get("jitter");
pub(crate) const MAX_DURATION: &Key = RETRY.get("max_duration");
pub(crate) const RETRY_ON: &Key = RETRY.get("retry_on");
pub(crate) const ABORT_ON: &Key = RETRY.get("abort_on");
pub(crate) const BUDGET_PERCENT: &Key = RETRY.get("budget_percent");
pub(crate) const BUDGET_MIN_PER_SECOND: &Key = RETRY.get("budget_min_per_second");
pub(crate) const BUDGET_WINDOW: &Key = RETRY.get("budget_window");
pub(crate) const ENABLED: &Key = RETRY.get("enabled");

/// The configuration of a [`Retry`](crate::Retry).
///
/// ```
/// use resilience_retry::{Backoff, Config, Jitter};
/// use std::time::Duration;
///
/// let config = Config { max_attempts: 5, backoff: Backoff::Fixed, ..Config::default() };
/// assert_eq!((config.delay, config.jitter), (Duration::from_millis(100), Jitter::Full));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Calls in all, the first one included. At least 1, default 3.
    pub max_attempts: u32,
    /// The delay before the second call, ahead of jitter. Default 100 ms.
    pub delay: Duration,
    /// How the delay grows from call to call. Default exponential.
    pub backoff: Backoff,
    /// The factor between two delays of an exponential backoff. At least 1, default 2.
    pub multiplier: f64,
    /// The cap on the delay, ahead of jitter. At least `delay`; default 30 s, and the builder takes `delay` if that is
    /// longer.
    pub max_delay: Duration,
    /// How chance spreads the delays. Default full.
    pub jitter: Jitter,
    /// No call starts later than this after the first one started. More than 0; default none.
    pub max_duration: Option<Duration>,
    /// The kinds of failure and rejection that are tried again. Default all.
    pub retry_on: KindSet,
    /// The kinds of failure and rejection that end it at once, whatever `retry_on` says. Default none.
    pub abort_on: KindSet,
    /// The most retries, in percent of the calls in `budget_window`, over all calls of the instance; in steps of a
    /// billionth. More than 0, at most 100. Default none: no budget.
    pub budget_percent: Option<f64>,
    /// Retries per second that a budget allows on top, however few calls there are. Default 1.
    pub budget_min_per_second: u32,
    /// How far back a budget counts. More than 0, default 10 s.
    pub budget_window: Duration,
    /// Whether anything is tried again. Default true.
    pub enabled: bool,
}

impl Default for Config {
    fn default() -> Self {
        let delay = Duration::from_millis(100);
        Self {
            max_attempts: 3,
            delay,
            backoff: Backoff::Exponential,
            multiplier: 2.0,
            max_delay: Duration::from_secs(30),
            jitter: Jitter::Full,
            max_duration: None,
            retry_on: KindSet::ALL,
            abort_on: KindSet::EMPTY,
            budget_percent: None,
            budget_min_per_second: 1,
            budget_window: Duration::from_secs(10),
            enabled: true,
        }
    }
}

impl Config {
    /// What is set, and the defaults for the rest.
    pub(crate) fn resolve(values: &Values) -> Self {
        let default = Self::default();
        let delay = values.duration(DELAY).unwrap_or(default.delay);
        Self {
            max_attempts: values.count(MAX_ATTEMPTS).unwrap_or(default.max_attempts),
            delay,
            backoff: values.word(BACKOFF).and_then(Backoff::of).unwrap_or(default.backoff),
            multiplier: values.number(MULTIPLIER).unwrap_or(default.multiplier),
            max_delay: values.duration(MAX_DELAY).unwrap_or(default.max_delay.max(delay)),
            jitter: values.word(JITTER).and_then(Jitter::of).unwrap_or(default.jitter),
            max_duration: values.duration(MAX_DURATION),
            retry_on: values.kinds(RETRY_ON).unwrap_or(default.retry_on),
            abort_on: values.kinds(ABORT_ON).unwrap_or(default.abort_on),
            budget_percent: values.number(BUDGET_PERCENT),
            budget_min_per_second: values.count(BUDGET_MIN_PER_SECOND).unwrap_or(default.budget_min_per_second),
            budget_window: values.duration(BUDGET_WINDOW).unwrap_or(default.budget_window),
            enabled: values.flag(ENABLED).unwrap_or(default.enabled),
        }
    }
}

impl Settings for Config {
    fn entries(&self) -> Vec<(&'static str, String)> {
        vec![
            (MAX_ATTEMPTS.name, self.max_attempts.to_string()),
            (DELAY.name, text(self.delay)),
            (BACKOFF.name, self.backoff.to_string()),
            (MULTIPLIER.name, self.multiplier.to_string()),
            (MAX_DELAY.name, text(self.max_delay)),
            (JITTER.name, self.jitter.to_string()),
            (MAX_DURATION.name, self.max_duration.map_or_else(none, text)),
            (RETRY_ON.name, text(self.retry_on)),
            (ABORT_ON.name, text(self.abort_on)),
            (BUDGET_PERCENT.name, self.budget_percent.map_or_else(none, |percent| percent.to_string())),
            (BUDGET_MIN_PER_SECOND.name, self.budget_min_per_second.to_string()),
            (BUDGET_WINDOW.name, text(self.budget_window)),
            (ENABLED.name, self.enabled.to_string()),
        ]
    }

    fn from_values(values: &Values) -> Option<Self> {
        Some(Self::resolve(values))
    }

    fn values(&self) -> Values {
        let mut values = Values::new();
        values.set(MAX_ATTEMPTS, Value::Count(self.max_attempts.into()));
        values.set(DELAY, Value::Duration(self.delay));
        values.set(BACKOFF, Value::Word(self.backoff.name()));
        values.set(MULTIPLIER, Value::Number(self.multiplier));
        values.set(MAX_DELAY, Value::Duration(self.max_delay));
        values.set(JITTER, Value::Word(self.jitter.name()));
        if let Some(it) = self.max_duration {
            values.set(MAX_DURATION, Value::Duration(it));
        }
        values.set_kinds(RETRY_ON, self.retry_on);
        values.set_kinds(ABORT_ON, self.abort_on);
        if let Some(it) = self.budget_percent {
            values.set(BUDGET_PERCENT, Value::Number(it));
        }
        values.set(BUDGET_MIN_PER_SECOND, Value::Count(self.budget_min_per_second.into()));
        values.set(BUDGET_WINDOW, Value::Duration(self.budget_window));
        values.set(ENABLED, Value::Bool(self.enabled));
        values
    }

    fn problems(&self) -> Vec<Problem> {
        let values = self.values();
        let single = [
            MAX_ATTEMPTS.check_count(self.max_attempts.into()).err(),
            DELAY.check_duration(self.delay).err(),
            MULTIPLIER.check_number(self.multiplier).err(),
            MAX_DELAY.check_duration(self.max_delay).err(),
            self.max_duration.and_then(|it| MAX_DURATION.check_duration(it).err()),
            self.budget_percent.and_then(|it| BUDGET_PERCENT.check_number(it).err()),
            BUDGET_MIN_PER_SECOND.check_count(self.budget_min_per_second.into()).err(),
            BUDGET_WINDOW.check_duration(self.budget_window).err(),
        ];
        single.into_iter().flatten().chain(RETRY.contradictions(|key| values.get(key))).collect()
    }
}

fn text(value: impl Debug) -> String {
    format!("{value:?}")
}

fn none() -> String {
    "none".to_owned()
}
