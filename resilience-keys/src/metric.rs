//! The table of metrics.

use crate::Code;

/// A metric, as recorders and dashboards name it. Names and labels stay the same once released.
#[derive(Debug)]
pub struct Metric {
    /// The name.
    pub name: &'static str,
    /// What kind of number it is.
    pub shape: Shape,
    /// Its labels, in their order.
    pub labels: &'static [Label],
    /// What it says, in one line without a full stop.
    pub doc: &'static str,
}

/// What kind of number a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Many values of which shares count.
    Histogram,
}

/// What tells the series of one metric apart.
#[derive(Debug)]
pub struct Label {
    /// The name.
    pub name: &'static str,
    /// All values that our own policies give it; none if it is an id.
    pub values: &'static [&'static str],
}

impl Shape {
    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

const KIND: Label =
    Label { name: "kind", values: &["retry", "circuit_breaker", "rate_limiter", "timeout", "bulkhead"] };
const INSTANCE: Label = Label { name: "instance", values: &[] };

/// How calls end, as [`CALLS`] names it.
pub const OUTCOMES: &[&str] = &["success", "failure", "rejected", "ignored", "dropped"];

/// The states of a circuit breaker; the number of [`CIRCUIT_BREAKER_STATE`] is the place in this list.
pub const STATES: &[&str] = &["closed", "half_open", "open", "forced_open", "disabled", "metrics_only"];

const CODES: &[&str] = {
    const TEXTS: [&str; Code::ALL.len()] = {
        let mut texts = [""; Code::ALL.len()];
        let mut at = 0;
        while at < texts.len() {
            texts[at] = Code::ALL[at].as_str();
            at += 1;
        }
        texts
    };
    &TEXTS
};

/// Writes the metrics, and the list of them, from one table.
macro_rules! metrics {
    ($($metric:ident = $name:literal, $shape:ident, [$($label:expr),*], $doc:literal;)+) => {
        /// Every metric, in the order in which the documentation lists them.
        pub const METRICS: &[&Metric] = &[$(&$metric),+];

        $(
            #[doc = concat!("`", $name, "`: ", $doc, ".")]
            pub static $metric: Metric =
                Metric { name: $name, shape: Shape::$shape, labels: &[$($label),*], doc: $doc };
        )+
    };
}

metrics! {
    CALLS = "resilience_calls_total", Counter,
        [KIND, INSTANCE, Label { name: "outcome", values: OUTCOMES }],
        "Calls that reached the policy, by how they ended";
    REJECTIONS = "resilience_rejections_total", Counter,
        [KIND, INSTANCE, Label { name: "code", values: CODES }],
        "Calls that the policy itself rejected, by code";
    WAIT_SECONDS = "resilience_wait_seconds", Histogram,
        [Label { name: "kind", values: &["rate_limiter", "bulkhead"] }, INSTANCE],
        "How long calls waited for a permit or a slot, in seconds";
    RATE_LIMITER_AVAILABLE_PERMITS = "resilience_rate_limiter_available_permits", Gauge, [INSTANCE],
        "Calls that would pass now without waiting";
    RATE_LIMITER_PERMITS = "resilience_rate_limiter_permits", Gauge, [INSTANCE],
        "Permits per period";
    CIRCUIT_BREAKER_STATE = "resilience_circuit_breaker_state", Gauge, [INSTANCE],
        "The state: 0 closed, 1 half-open, 2 open, 3 forced open, 4 disabled, 5 metrics only";
    CIRCUIT_BREAKER_FAILURE_RATE = "resilience_circuit_breaker_failure_rate", Gauge, [INSTANCE],
        "The share of failed calls in the window, 0 to 1; 0 while it is empty";
    CIRCUIT_BREAKER_SLOW_CALL_RATE = "resilience_circuit_breaker_slow_call_rate", Gauge, [INSTANCE],
        "The share of slow calls in the window, 0 to 1; 0 while it is empty";
    CIRCUIT_BREAKER_TRANSITIONS = "resilience_circuit_breaker_transitions_total", Counter,
        [INSTANCE, Label { name: "from", values: STATES }, Label { name: "to", values: STATES }],
        "Changes of state";
    RETRY_ATTEMPTS = "resilience_retry_attempts_total", Counter,
        [INSTANCE, Label { name: "result", values: &["retried", "recovered", "exhausted"] }],
        "Attempts of calls that failed at least once: tried again, successful after all, or the last that failed";
    BULKHEAD_IN_USE = "resilience_bulkhead_in_use", Gauge, [INSTANCE],
        "Slots that are taken";
    BULKHEAD_QUEUED = "resilience_bulkhead_queued", Gauge, [INSTANCE],
        "Calls in line";
    BULKHEAD_MAX = "resilience_bulkhead_max", Gauge, [INSTANCE],
        "Calls that may run at the same time";
    CONFIG_RELOADS = "resilience_config_reloads_total", Counter,
        [Label { name: "result", values: &["applied", "refused"] }],
        "How often the sources of the configuration were read, and whether they were taken";
}
