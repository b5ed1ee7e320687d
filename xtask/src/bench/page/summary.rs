//! What is faster than what, at a glance.

use super::{
    table::table,
    times::{FLOOR, distinct},
};
use crate::bench::{
    policies::{POLICIES, Policy},
    results::{Results, Standing},
};

const WHAT: &str = "
How many times as long the same call takes there as ours. **Bold** is faster than ours. With confidence intervals, and for
all forms of our calls, in the sections of the policies.
";

/// Forms of ours that others are set beside: the first that there is.
const OURS: [&str; 2] = ["resilience", "resilience, async"];

pub(super) fn render(results: &Results) -> String {
    let standings = results.peers.as_ref().map_or(&[][..], |peers| &peers.calls);
    let rows = POLICIES.iter().flat_map(|policy| {
        let scenes = [1, 2].into_iter().flat_map(|threads| {
            let scene: Vec<_> =
                standings.iter().filter(|it| it.policy == policy.name && it.threads == threads).collect();
            let cases = distinct(scene.iter().map(|it| &*it.case).filter(|case| *case != FLOOR));
            let rows = cases.into_iter().filter_map(|case| row(policy, threads, case, &scene));
            rows.collect::<Vec<_>>()
        });
        scenes.collect::<Vec<_>>()
    });
    let table = table("### In short: time of a call", &["", "resilience", "others"], rows);
    if table.is_empty() { table } else { table + WHAT }
}

/// `None` if nobody is beside us.
fn row(policy: &Policy, threads: usize, case: &str, scene: &[&Standing]) -> Option<Vec<String>> {
    let case_of = || scene.iter().filter(|it| it.case == case);
    let ours = OURS.iter().find_map(|name| case_of().find(|it| it.name == *name))?;
    let own = ours.ratio(policy.reference)?.median;
    let others = case_of().filter(|it| !it.name.starts_with("resilience"));
    let mut others: Vec<_> =
        others.filter_map(|it| Some((it.ratio(policy.reference)?.median / own, &*it.name))).collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    let others: Vec<_> = others.into_iter().map(|(times, name)| beside(times, name)).collect();
    let threads = if threads == 1 { "" } else { ", two threads on one" };
    let form = ours.name.strip_prefix("resilience, ").map(|form| format!("{form}, ")).unwrap_or_default();
    let head = format!("{}: {form}{case}{threads}", policy.title);
    (!others.is_empty()).then(|| vec![head, format!("{:.1} ns", ours.nanos.median), others.join(", ")])
}

fn beside(times: f64, name: &str) -> String {
    let figure = if times < 9.95 { format!("{times:.2} ×") } else { format!("{times:.0} ×") };
    if times < 1.0 { format!("{name} **{figure}**") } else { format!("{name} {figure}") }
}

#[cfg(test)]
mod tests {
    use super::row;
    use crate::bench::{
        policies::POLICIES,
        record::{Spread, Standing},
    };

    fn standing(name: &str, median: f64) -> Standing {
        Standing::sample(name, Spread { median, low: median, high: median })
    }

    #[test]
    fn others_stand_beside_ours_from_the_fastest_on() {
        let all = [("resilience", 2.0), ("slow", 50.0), ("resilience, pipeline", 9.0), ("governor", 1.0), ("b", 3.0)];
        let all = all.map(|(name, median)| standing(name, median));
        let all: Vec<_> = all.iter().collect();
        let row = row(&POLICIES[0], 1, "admitted", &all).unwrap();
        assert_eq!(row, ["Rate limiter: admitted", "2.0 ns", "governor **0.50 ×**, b 1.50 ×, slow 25 ×"]);
    }

    #[test]
    fn nobody_beside_us_is_no_row() {
        assert_eq!(row(&POLICIES[0], 1, "admitted", &[&standing("resilience", 2.0)]), None);
    }
}
