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
    /// Why targets are missed, if some are: for the page.
    pub(super) missed: &'static str,
}

pub(super) const POLICIES: [Policy; 2] = [
    Policy {
        name: "ratelimiter",
        title: "Rate limiter",
        reference: "governor",
        peers: &["governor", "ratelimit", "leaky-bucket"],
        missed: include_str!("../../../benches/missed/ratelimiter.md"),
    },
    Policy {
        name: "keyed",
        title: "Rate limiter per key",
        reference: "governor",
        peers: &["governor"],
        missed: include_str!("../../../benches/missed/keyed.md"),
    },
];

impl Policy {
    pub(super) fn named(name: &str) -> Result<&'static Self> {
        POLICIES.iter().find(|policy| policy.name == name).with_context(|| {
            format!("`{name}` was measured and would be on no page: give it an entry in xtask/src/bench/policies.rs")
        })
    }
}
