//! Where a machine stands beside the targets, and why it misses some.

use std::fmt::Write;

use super::{missed::fill, table::table};
use crate::bench::{
    policies::POLICIES,
    results::{Counting, Results},
    targets::{TARGETS, Target},
};

pub(super) fn render(results: &Results) -> String {
    let (mut rows, mut why) = (Vec::new(), String::new());
    for policy in &POLICIES {
        let targets = TARGETS.iter().filter(|target| target.policy == policy.name);
        let mut missed = false;
        for (target, reached) in targets.filter_map(|target| Some((target, target.reached(results)?))) {
            missed |= !reached.met;
            let met = if reached.met { "met" } else { "**missed**" };
            let what = format!("{}: {}", policy.title, target.what());
            let command = format!("`cargo xtask bench {}`", target.command());
            rows.push(vec![what, reached.allowed, reached.is, met.to_owned(), command]);
        }
        if let (true, Some(reasons)) = (missed, policy.missed) {
            let _ = write!(why, "\n#### {}\n\n{}", policy.title, fill(reasons, results).0);
        }
    }
    let table = table("### Targets", &["", "at most", "is", "", "measured by"], rows.into_iter());
    if why.is_empty() { table } else { format!("{table}\n### Why targets are missed\n{why}") }
}

/// Policies with a missed target that nothing is said about.
pub(super) fn unexplained(results: &Results) -> Vec<&'static str> {
    let is_missed = |target: &Target| target.reached(results).is_some_and(|reached| !reached.met);
    let silent = POLICIES.iter().filter(|policy| policy.missed.is_none());
    let silent = silent.filter(|policy| TARGETS.iter().any(|it| it.policy == policy.name && is_missed(it)));
    silent.map(|policy| policy.title).collect()
}

/// Figures in the reasons that a machine on which all was measured does not have.
pub(super) fn unknown(results: &Results) -> Vec<&'static str> {
    let complete = matches!(results.instructions, Some(Counting::Done(_))) && results.peers.is_some();
    let reasons = POLICIES.iter().filter_map(|policy| policy.missed).filter(|_| complete);
    reasons.flat_map(|reasons| fill(reasons, results).1).collect()
}
