//! Figures in the texts under `benches/missed`, which name them: what a machine measured takes their place.
//!
//! `{breaker::execute::closed}` is the instructions of a call, `{breaker|recloser|closed|1}` the nanoseconds of a contender,
//! in a case and with so many threads.

use crate::bench::results::{Counting, Results};

/// The text with its figures, and those that were not measured: a dash stands for each.
pub(super) fn fill<'a>(text: &'a str, results: &Results) -> (String, Vec<&'a str>) {
    let (mut filled, mut unknown, mut rest) = (String::new(), Vec::new(), text);
    while let Some((before, name, after)) = next(rest) {
        filled += before;
        let figure = figure(name, results);
        unknown.extend(figure.is_none().then_some(name));
        filled += figure.as_deref().unwrap_or("–");
        rest = after;
    }
    (filled + rest, unknown)
}

/// What stands before the next name, the name, and what stands after it.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

fn figure(name: &str, results: &Results) -> Option<String> {
    let parts: Vec<_> = name.split('|').collect();
    let [policy, contender, case, threads] = parts[..] else {
        let Some(Counting::Done(counts)) = &results.instructions else { return None };
        let count = counts.calls.iter().find(|count| count.name() == name)?;
        return Some(count.instructions.to_string());
    };
    let threads: usize = threads.parse().ok()?;
    let mut standings = results.peers.as_ref()?.calls.iter();
    let wanted = (policy, contender, case, threads);
    let standing = standings.find(|it| (&*it.policy, &*it.name, &*it.case, it.threads) == wanted)?;
    Some(format!("{:.1}", standing.nanos.median))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::fill;
    use crate::bench::{
        machine::Machine,
        policies::POLICIES,
        record::{Count, Spread, Standing},
        results::{Counting, Measured, Results},
    };

    fn measured<T>(calls: Vec<T>) -> Measured<T> {
        Measured { command: String::new(), versions: BTreeMap::new(), calls }
    }

    fn results() -> Results {
        let count = Count {
            suite: "retry".to_owned(),
            ours: true,
            call: "execute".to_owned(),
            case: "first_try".to_owned(),
            instructions: 32,
            caches: None,
            blocks: 0,
        };
        let standing = Standing {
            policy: "retry".to_owned(),
            name: "backon".to_owned(),
            case: "sync".to_owned(),
            threads: 1,
            nanos: Spread { median: 4.26, low: 4.0, high: 5.0 },
            ratios: Vec::new(),
            fairness: 1.0,
            rounds: 7,
            blocks: None,
        };
        Results {
            instructions: Some(Counting::Done(measured(vec![count]))),
            peers: Some(measured(vec![standing])),
            ..Results::none(Machine::unknown())
        }
    }

    #[test]
    fn names_of_figures_become_figures() {
        let (text, unknown) = fill("It takes {retry::execute::first_try}, and {retry|backon|sync|1} ns.", &results());
        assert_eq!((&*text, unknown.len()), ("It takes 32, and 4.3 ns.", 0));
    }

    #[test]
    fn what_was_not_measured_is_a_dash() {
        let (text, unknown) = fill("{retry::nothing::at_all}, {retry|backon|sync|2}", &results());
        assert_eq!((&*text, &unknown[..]), ("–, –", &["retry::nothing::at_all", "retry|backon|sync|2"][..]));
    }

    #[test]
    fn every_reason_reads_without_braces() {
        for reasons in POLICIES.iter().filter_map(|policy| policy.missed) {
            assert!(!fill(reasons, &results()).0.contains(['{', '}']));
        }
    }
}
