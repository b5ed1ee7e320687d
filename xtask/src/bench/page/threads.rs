//! A policy's table of our own calls with more and more threads.

use super::table::{dash, spread, table};
use crate::bench::{policies::Policy, results::Alone};

const WHAT: &str = "
Nanoseconds per call of a thread: median and 95 % confidence interval, as criterion estimates them. What waits takes its
place, sets its timer and gives up.
";

pub(super) fn render(policy: &Policy, all: &[Alone]) -> String {
    let all: Vec<_> = all.iter().filter(|it| it.policy == policy.name).collect();
    let mut threads: Vec<_> = all.iter().map(|it| it.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    let mut kinds: Vec<_> = all.iter().map(|it| (&it.case, it.shared)).collect();
    kinds.sort_by_key(|(case, shared)| (*case, !shared));
    kinds.dedup();
    let rows = kinds.into_iter().map(|(case, shared)| {
        let mut row = vec![case.clone(), if shared { "shared" } else { "one each" }.to_owned()];
        row.extend(threads.iter().map(|threads| {
            let it = all.iter().find(|it| (&it.case, it.shared, it.threads) == (case, shared, *threads));
            it.map_or_else(dash, |it| spread(it.nanos, 1))
        }));
        row
    });
    let columns = threads.iter().map(|threads| format!("threads: {threads}"));
    let heads: Vec<_> = [String::new(), "instance".to_owned()].into_iter().chain(columns).collect();
    let heads: Vec<_> = heads.iter().map(String::as_str).collect();
    let table = table("#### Time, ours by themselves", &heads, rows);
    if table.is_empty() { table } else { table + WHAT }
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::bench::{
        policies::POLICIES,
        results::{Alone, Spread},
    };

    fn alone(shared: bool, threads: usize, median: f64) -> Alone {
        let nanos = Spread { median, low: 1.0, high: 9.0 };
        Alone { policy: "ratelimiter".to_owned(), case: "admitted".to_owned(), shared, threads, nanos }
    }

    #[test]
    fn threads_stand_beside_one_another() {
        let text = render(&POLICIES[0], &[alone(true, 1, 2.0), alone(false, 2, 3.0), alone(true, 2, 4.0)]);
        assert!(text.contains("| admitted | shared | 2.0 (1.0–9.0) | 4.0 (1.0–9.0) |\n"), "{text}");
        assert!(text.contains("| admitted | one each | – | 3.0 (1.0–9.0) |\n"), "{text}");
        assert_eq!(render(&POLICIES[1], &[alone(true, 1, 2.0)]), "");
    }
}
