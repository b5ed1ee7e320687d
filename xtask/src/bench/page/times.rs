//! A policy's tables of times, and of the floors under them.

use super::table::{dash, spread, table};
use crate::bench::{policies::Policy, results::Standing};

const FAIRNESS: &str = "
Fairness: what the slower thread got done, in parts of its half. Who starves one thread looks fast in the other columns.
";

pub(super) const FLOOR: &str = "floor";

pub(super) fn render(policy: &Policy, standings: &[Standing]) -> String {
    let standings: Vec<_> = standings.iter().filter(|it| it.policy == policy.name).collect();
    let together = times(policy, &standings, 2);
    let fairness = if together.is_empty() { "" } else { FAIRNESS };
    times(policy, &standings, 1) + &together + fairness + &floors(&standings) + &rounds(&standings)
}

/// A row per contender, the cases beside one another.
fn times(policy: &Policy, standings: &[&Standing], threads: usize) -> String {
    let standings = || standings.iter().filter(|it| it.threads == threads && it.case != FLOOR);
    let (names, cases) = (distinct(standings().map(|it| &*it.name)), distinct(standings().map(|it| &*it.case)));
    let counted = standings().any(|it| it.blocks.is_some());
    let mut heads = vec![String::new()];
    for case in &cases {
        heads.extend([format!("{case}, ns"), format!("× {}", policy.reference)]);
        heads.extend((threads > 1).then(|| "fairness".to_owned()));
        heads.extend(counted.then(|| "heap blocks".to_owned()));
    }
    let heads: Vec<_> = heads.iter().map(String::as_str).collect();
    let rows = names.iter().map(|name| {
        let mut row = vec![(*name).to_owned()];
        for case in &cases {
            let standing = standings().find(|it| it.name == *name && it.case == *case).copied();
            row.extend([nanos(standing), ratio(standing, policy.reference)]);
            row.extend((threads > 1).then(|| standing.map_or_else(dash, |it| format!("{:.2}", it.fairness))));
            row.extend(counted.then(|| blocks(standing)));
        }
        row
    });
    let title = if threads == 1 { "#### Time, one thread" } else { "#### Time, two threads on one" };
    table(title, &heads, rows)
}

fn floors(standings: &[&Standing]) -> String {
    let floor = |threads| standings.iter().copied().filter(move |it| it.case == FLOOR && it.threads == threads);
    let rows = floor(1).map(|it| {
        let together = floor(2).find(|two| two.name == it.name);
        vec![it.name.clone(), nanos(Some(it)), nanos(together)]
    });
    table("#### Floors: steps that it consists of", &["", "one thread, ns", "two threads, ns"], rows)
}

fn rounds(standings: &[&Standing]) -> String {
    let rounds = standings.iter().map(|it| it.rounds);
    match (rounds.clone().min(), rounds.max()) {
        (Some(min), Some(max)) => format!("\nUndisturbed rounds per contender: {min} to {max}.\n"),
        _ => String::new(),
    }
}

/// In the order of their first appearance.
pub(super) fn distinct<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for it in all {
        if !seen.contains(&it) {
            seen.push(it);
        }
    }
    seen
}

fn nanos(standing: Option<&Standing>) -> String {
    standing.map_or_else(dash, |it| spread(it.nanos, 1))
}

/// Some take one only every so many calls.
fn blocks(standing: Option<&Standing>) -> String {
    let blocks = standing.and_then(|it| it.blocks);
    blocks.map_or_else(dash, |blocks| format!("{}", (blocks * 100.0).round() / 100.0))
}

fn ratio(standing: Option<&Standing>, to: &str) -> String {
    standing.and_then(|it| it.ratio(to)).map_or_else(dash, |ratio| spread(ratio, 2))
}

#[cfg(test)]
mod tests {
    use super::{FLOOR, render};
    use crate::bench::{
        policies::POLICIES,
        record::{Ratio, Spread, Standing},
    };

    fn standing(case: &str, threads: usize, median: f64) -> Standing {
        let ratio = |to: &str, median| Ratio { to: to.to_owned(), times: Spread { median, low: 1.0, high: 9.0 } };
        Standing {
            policy: "ratelimiter".to_owned(),
            name: "resilience".to_owned(),
            case: case.to_owned(),
            threads,
            nanos: Spread { median, low: 1.0, high: 9.0 },
            ratios: vec![ratio("clock", 7.0), ratio("governor", 3.0)],
            fairness: 0.5,
            rounds: 7,
            blocks: None,
        }
    }

    #[test]
    fn times_of_one_contender_stand_in_one_row() {
        let text = render(
            &POLICIES[0],
            &[standing("admitted", 1, 2.0), standing("rejected", 1, 3.0), standing("admitted", 2, 4.0)],
        );
        let row = "| resilience | 2.0 (1.0–9.0) | 3.00 (1.00–9.00) | 3.0 (1.0–9.0) | 3.00 (1.00–9.00) |\n";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| resilience | 4.0 (1.0–9.0) | 3.00 (1.00–9.00) | 0.50 |\n"), "{text}");
        assert!(text.contains("contender: 7 to 7."), "{text}");
    }

    #[test]
    fn floors_have_a_table_of_their_own() {
        let text = render(&POLICIES[0], &[standing(FLOOR, 1, 2.0), standing(FLOOR, 2, 3.0)]);
        assert!(text.contains("| resilience | 2.0 (1.0–9.0) | 3.0 (1.0–9.0) |\n"), "{text}");
        assert!(!text.contains("Time, one"), "{text}");
    }

    #[test]
    fn heap_blocks_have_a_column_where_they_were_counted() {
        let counted = Standing { blocks: Some(1.0 / 3.0), ..standing("admitted", 1, 2.0) };
        let text = render(&POLICIES[0], &[counted, standing("admitted", 2, 4.0)]);
        assert!(text.contains("| 3.00 (1.00–9.00) | 0.33 |\n"), "{text}");
        assert_eq!(text.matches("heap blocks").count(), 1, "{text}");
    }

    #[test]
    fn another_policy_has_other_tables() {
        assert_eq!(render(&POLICIES[1], &[standing("admitted", 1, 2.0)]), "");
    }
}
