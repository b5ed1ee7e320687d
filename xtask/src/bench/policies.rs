//! The policies that are measured, in the order of the page.

use anyhow::{Context, Result};

/// A suite, of instructions and of time, with its section on the page.
pub(super) struct Policy {
    /// As the suites name it: `iai_<name>`.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// Whom the columns of the page compare with.
    pub(super) reference: &'static str,
    /// The crates that ours are measured beside.
    pub(super) peers: &'static [&'static str],
    /// What is to be known of the counts of instructions: for the page.
    pub(super) note: Option<&'static str>,
    /// Why targets are missed, if some are: for the page.
    pub(super) missed: Option<&'static str>,
}

/// Of the suites whose calls have a deadline.
const OFF_THE_SYSTEMS_CLOCK: &str = "
Where a call has a deadline, `remaining()` takes a longer way on a clock that stands still than on the system's: a call
that succeeds counts 60 to 90 instructions more here.
";

pub(super) const POLICIES: [Policy; 9] = [
    Policy {
        name: "ratelimiter",
        title: "Rate limiter",
        reference: "governor",
        peers: &["governor", "ratelimit", "leaky-bucket", "tower", "tower-resilience"],
        note: None,
        missed: Some(include_str!("../../../benches/missed/ratelimiter.md")),
    },
    Policy {
        name: "keyed",
        title: "Rate limiter per key",
        reference: "governor",
        peers: &["governor"],
        note: None,
        missed: Some(include_str!("../../../benches/missed/keyed.md")),
    },
    Policy {
        name: "breaker",
        title: "Circuit breaker",
        reference: "recloser",
        peers: &["recloser", "failsafe", "seatbelt", "tower-resilience"],
        note: None,
        missed: Some(include_str!("../../../benches/missed/breaker.md")),
    },
    Policy {
        name: "retry",
        title: "Retry",
        reference: "backon",
        peers: &["backon", "seatbelt", "tower-resilience"],
        note: None,
        missed: Some(include_str!("../../../benches/missed/retry.md")),
    },
    Policy {
        name: "timeout",
        title: "Timeout",
        reference: "tower",
        peers: &["tower", "tower-resilience", "seatbelt"],
        note: Some(OFF_THE_SYSTEMS_CLOCK),
        missed: Some(include_str!("../../../benches/missed/timeout.md")),
    },
    Policy {
        name: "bulkhead",
        title: "Bulkhead",
        reference: "tower",
        peers: &["tower", "tower-resilience"],
        note: None,
        missed: Some(include_str!("../../../benches/missed/bulkhead.md")),
    },
    Policy {
        name: "stack",
        title: "All five together",
        reference: "tower-resilience",
        peers: &["tower-resilience"],
        note: Some(OFF_THE_SYSTEMS_CLOCK),
        missed: Some(include_str!("../../../benches/missed/stack.md")),
    },
    Policy {
        name: "metrics",
        title: "Everything compiled in",
        reference: "nobody",
        peers: &[],
        note: Some(
            "\nWith the features `config`, `metrics`, `serde` and `tracing`, and nobody who listens: `off` while there is no\n\
             `Metrics`, `on` while there is one. The other tables count without those features.\n",
        ),
        missed: None,
    },
    Policy {
        name: "macro",
        title: "The macro",
        reference: "hand",
        peers: &[],
        note: Some(
            "\nThe same trait in front of all five policies, behind `#[resilient]` and as one would write it.\n",
        ),
        missed: None,
    },
];

impl Policy {
    pub(super) fn named(name: &str) -> Result<&'static Self> {
        POLICIES.iter().find(|policy| policy.name == name).with_context(|| {
            format!("`{name}` was measured and would be on no page: give it an entry in xtask/src/bench/policies.rs")
        })
    }
}
