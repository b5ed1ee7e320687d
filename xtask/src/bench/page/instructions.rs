//! A policy's table of instructions and heap blocks.

use super::table::{dash, table};
use crate::bench::{policies::Policy, results::Count};

pub(super) fn render(policy: &Policy, counts: &[Count]) -> String {
    let counts: Vec<_> = counts.iter().filter(|count| count.suite == policy.name).collect();
    let peer = policy.reference.replace('-', "_");
    let find = |case: &str| {
        let mut peers = counts.iter().filter(|count| !count.ours && count.call.starts_with(&peer));
        peers.find(|count| count.case == case).map(|count| count.instructions)
    };
    // A fractional quota, say, makes no difference to it.
    let reference = |case: &str| find(case).or_else(|| find(case.split('_').next()?));
    // Without anybody to compare with there is no such column.
    let compared = counts.iter().any(|count| !count.ours);
    let rows = counts.iter().map(|count| {
        let times = reference(&count.case).map(|reference| count.instructions as f64 / reference as f64);
        let mut row = vec![format!("`{}`", count.call), count.case.replace('_', " "), count.instructions.to_string()];
        row.extend(compared.then(|| times.map_or_else(dash, |times| format!("{times:.2}"))));
        row.push(count.caches.map_or_else(dash, |it| it.misses.to_string()));
        row.push(count.caches.map_or_else(dash, |it| it.cycles.to_string()));
        row.push(count.blocks.to_string());
        row
    });
    let than = format!("× {}", policy.reference);
    let mut head = vec!["call", "", "instructions"];
    head.extend(compared.then_some(than.as_str()));
    head.extend(["cache misses", "cycles", "heap blocks"]);
    let table = table("#### Instructions", &head, rows);
    if table.is_empty() { table } else { table + policy.note.unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::bench::{
        policies::{POLICIES, Policy},
        results::Count,
    };

    fn count(suite: &str, call: &str, case: &str, instructions: u64) -> Count {
        Count {
            suite: suite.to_owned(),
            ours: call == "try_acquire",
            call: call.to_owned(),
            case: case.to_owned(),
            instructions,
            caches: None,
            blocks: 0,
        }
    }

    #[test]
    fn counts_are_set_against_the_reference_of_the_policy() {
        let text = render(
            &POLICIES[0],
            &[
                count("ratelimiter", "try_acquire", "admitted_fractional", 30),
                count("ratelimiter", "governor_check", "admitted", 20),
                count("keyed", "try_acquire", "admitted", 50),
            ],
        );
        assert!(text.contains("| `try_acquire` | admitted fractional | 30 | 1.50 | – | – | 0 |"), "{text}");
        assert!(!text.contains("50 |  |"), "{text}");
        assert_eq!(text.lines().filter(|line| line.contains("try_acquire")).count(), 1, "{text}");
    }
    #[test]
    fn a_note_stands_under_the_counts() {
        let policy = |note| Policy { note, ..POLICIES[0] };
        let counts = [count("ratelimiter", "try_acquire", "admitted", 30)];
        assert!(render(&policy(Some("\nMind this.\n")), &counts).ends_with("| 0 |\n\nMind this.\n"));
        assert_eq!(render(&policy(Some("\nMind this.\n")), &[]), "");
        assert!(render(&policy(None), &counts).ends_with("| 0 |\n"));
    }
}
