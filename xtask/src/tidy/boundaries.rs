//! Who may name whom: policies, time, atomics and chance each have one home.

use super::Finding;
use crate::tree::{File, Tree};

const POLICIES: [&str; 5] =
    ["resilience_ratelimiter", "resilience_breaker", "resilience_retry", "resilience_timeout", "resilience_bulkhead"];

pub(super) fn policies(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for below in ["resilience-core", "resilience-keys"] {
        let manifest = format!("{below}/Cargo.toml");
        let dependencies = tree.manifest(&manifest);
        let dependencies = dependencies.get("dependencies").and_then(toml::Value::as_table);
        for name in dependencies.into_iter().flat_map(toml::Table::keys) {
            if POLICIES.contains(&name.replace('-', "_").as_str()) {
                let fix = "turn it round: the policy crate depends on this one and plugs in";
                findings.push(Finding::new(&manifest, 1, format!("{below} depends on {name}"), fix));
            }
        }
        let src = format!("{below}/src/");
        let fix = "describe what a policy gives (a layer, a kind, a config type), not which policies there are";
        let inside = tree.sources().filter(|file| file.path.starts_with(&src));
        findings.extend(inside.flat_map(|file| named(file, &POLICIES, fix)));
    }
    findings
}

pub(super) fn time(tree: &Tree) -> Vec<Finding> {
    let readers = ["Instant::now", "SystemTime", "thread::sleep", "tokio::time", "quanta"];
    let homes = ["clock.rs", "clock/", "timer.rs", "timer/"].map(|home| format!("resilience-core/src/{home}"));
    let fix = "take a `Clock`, or the time it gave, as an argument";
    outside(tree, &homes, &readers, fix)
}

pub(super) fn atomics(tree: &Tree) -> Vec<Finding> {
    let names = ["std::sync::atomic", "core::sync::atomic", "loom::"];
    let fix = "import it from resilience-core's `sync`, which loom can replace";
    outside(tree, &["resilience-core/src/sync.rs".to_owned()], &names, fix)
}

pub(super) fn chance(tree: &Tree) -> Vec<Finding> {
    let sources = ["rand::", "RandomState", "fastrand", "getrandom"];
    let fix = "draw from resilience-core's `random`, which can be seeded";
    outside(tree, &["resilience-core/src/random.rs".to_owned()], &sources, fix)
}

fn outside(tree: &Tree, homes: &[String], names: &[&str], fix: &str) -> Vec<Finding> {
    let at_home = |file: &&File| homes.iter().any(|home| file.path.starts_with(home));
    tree.sources().filter(|file| !at_home(file)).flat_map(|file| named(file, names, fix)).collect()
}

fn named(file: &File, names: &[&str], fix: &str) -> Vec<Finding> {
    let on_lines =
        |name: &&str| file.naming(name).into_iter().map(|line| (line, (*name).to_owned())).collect::<Vec<_>>();
    let found = names.iter().flat_map(on_lines);
    found.map(|(line, name)| Finding::new(&file.path, line, format!("`{name}` is named here"), fix)).collect()
}

#[cfg(test)]
mod tests {
    use super::{atomics, chance, policies, time};
    use crate::tidy::found;

    #[test]
    fn core_that_knows_a_policy_is_found() {
        let manifest = ("resilience-core/Cargo.toml", "[dependencies]\nresilience-retry.workspace = true");
        let source = ("resilience-keys/src/a.rs", "//! resilience_retry\nuse resilience_retry::Retry;");
        let expected = [("resilience-core/Cargo.toml".to_owned(), 1), ("resilience-keys/src/a.rs".to_owned(), 2)];
        assert_eq!(found(policies, &[manifest, source]), expected);
    }

    #[test]
    fn policies_may_be_known_above_core_and_in_its_tests() {
        let manifest = ("resilience-core/Cargo.toml", "[dev-dependencies]\nresilience-retry.workspace = true");
        let facade = ("resilience/src/a.rs", "use resilience_retry::Retry;");
        assert!(found(policies, &[manifest, facade]).is_empty());
    }

    #[test]
    fn time_read_outside_the_clock_is_found() {
        let text = "use tokio::{sync, time};\n// Instant::now\nlet x = std::time::Instant::now();\nthread::sleep(d);";
        let lines = [1, 3, 4].map(|line| ("resilience/src/a.rs".to_owned(), line));
        assert_eq!(found(time, &[("resilience/src/a.rs", text)]), lines);
        let homes = [("resilience-core/src/clock.rs", text), ("resilience-core/src/timer/tokio.rs", text)];
        assert!(found(time, &homes).is_empty());
    }

    #[test]
    fn atomics_outside_sync_are_found() {
        let text = "use std::sync::{Arc, atomic::AtomicU64};\nuse crate::sync::AtomicU64;";
        let expected = [("resilience-keys/src/a.rs".to_owned(), 1)];
        assert_eq!(found(atomics, &[("resilience-keys/src/a.rs", text)]), expected);
        assert!(found(atomics, &[("resilience-core/src/sync.rs", text)]).is_empty());
    }

    #[test]
    fn chance_outside_random_is_found() {
        let text = "let a = operand::b();\nlet c = rand::random();";
        assert_eq!(found(chance, &[("resilience/src/a.rs", text)]), [("resilience/src/a.rs".to_owned(), 2)]);
        assert!(found(chance, &[("resilience-core/src/random.rs", text)]).is_empty());
    }
}
