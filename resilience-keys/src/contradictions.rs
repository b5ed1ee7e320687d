//! Rules between two keys of a section.

use std::time::Duration;

use crate::{CIRCUIT_BREAKER, Key, Problem, RATE_LIMITER, RETRY, Section, Value, format_duration};

impl Section {
    /// The values that contradict each other, with R4C-ATR-005. `value` tells what the key of a name has; a rule holds
    /// between values that are there and fine by themselves.
    ///
    /// ```
    /// use resilience_keys::{RETRY, Value};
    /// use std::time::Duration;
    ///
    /// let [delay, max_delay] = [2, 1].map(|secs| Value::Duration(Duration::from_secs(secs)));
    /// let problems = RETRY.contradictions(|key| match key {
    ///     "delay" => Some(&delay),
    ///     "max_delay" => Some(&max_delay),
    ///     _ => None,
    /// });
    /// assert!(problems[0].to_string().contains("at least `delay = 2s`"));
    /// ```
    pub fn contradictions<'v>(&self, value: impl Fn(&str) -> Option<&'v Value>) -> Vec<Problem> {
        let good = |key: &Key| value(key.name).and_then(|value| key.check(value.clone()).ok());
        let count = |name| match good(self.get(name)) {
            Some(Value::Count(count)) => Some(count),
            _ => None,
        };
        let duration = |name| match good(self.get(name)) {
            Some(Value::Duration(duration)) => Some(duration),
            _ => None,
        };
        let not_below = |name, least| {
            let (have, least_have) = (duration(name)?, duration(least)?);
            let allowed = format!("at least `{least} = {}`", format_duration(least_have));
            let problem = || Problem::contradiction(self.get(name), format_duration(have), self.get(least), allowed);
            (have < least_have).then(problem)
        };
        let found = match self.name {
            name if name == RATE_LIMITER.name => [self.period_too_short(count("permits"), duration("period")), None],
            name if name == CIRCUIT_BREAKER.name => {
                let by_time = value("window_type") == Some(&Value::Word("time"));
                let too_many = if by_time { None } else { self.too_many(count("minimum_calls"), count("window_size")) };
                [too_many, not_below("max_wait_in_open", "wait_in_open")]
            }
            name if name == RETRY.name => [not_below("max_delay", "delay"), None],
            _ => [None, None],
        };
        found.into_iter().flatten().collect()
    }

    fn period_too_short(&self, permits: Option<u64>, period: Option<Duration>) -> Option<Problem> {
        let (permits, period) = (permits?, period?);
        let least = format_duration(Duration::from_nanos(permits));
        let allowed = format!("at least 1 ns per permit: {least} for `permits = {permits}`");
        let problem =
            || Problem::contradiction(self.get("period"), format_duration(period), self.get("permits"), allowed);
        (period.as_nanos() < permits.into()).then(problem)
    }

    fn too_many(&self, minimum: Option<u64>, size: Option<u64>) -> Option<Problem> {
        let (minimum, size) = (minimum?, size?);
        let allowed = format!("at most `window_size = {size}`");
        let problem = || Problem::contradiction(self.get("minimum_calls"), minimum, self.get("window_size"), allowed);
        (minimum > size).then(problem)
    }
}
