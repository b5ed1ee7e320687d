//! The instructions that a call may cost, by architecture and compiler: `benches/limits.toml`.

use std::collections::BTreeMap;

use anyhow::Result;
use xshell::Shell;

use super::results::Count;

const FILE: &str = "benches/limits.toml";

const HEAD: &str = "\
# The instructions that a call may cost, by architecture and compiler. `cargo xtask bench iai` fails if it takes over 1 %
# more; `cargo xtask bench iai --set-limits` writes what it counts, for a change that is worth it or a new compiler.
";

/// Of one architecture and compiler, by name of the call.
type Table = BTreeMap<String, u64>;

/// By architecture, then compiler.
#[derive(Debug, Default)]
pub(super) struct Limits(BTreeMap<String, BTreeMap<String, Table>>);

impl Limits {
    pub(super) fn read(sh: &Shell) -> Result<Self> {
        let text = if sh.path_exists(FILE) { sh.read_file(FILE)? } else { String::new() };
        Ok(Self(toml::from_str(&text)?))
    }

    pub(super) fn write(&self, sh: &Shell) -> Result<()> {
        sh.write_file(FILE, self.text())?;
        Ok(())
    }

    fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for (arch, compilers) in &self.0 {
            for (rustc, table) in compilers {
                text.extend([format!("\n[{arch}.\"{rustc}\"]\n")]);
                text.extend(table.iter().map(|(call, limit)| format!("\"{call}\" = {limit}\n")));
            }
        }
        text
    }

    /// What breaks the limits; `None` if there are none for this architecture and compiler.
    pub(super) fn broken(&self, arch: &str, rustc: &str, counts: &[Count]) -> Option<Vec<String>> {
        let table = self.0.get(arch)?.get(rustc)?;
        let ours = counts.iter().filter(|count| count.ours);
        Some(ours.filter_map(|count| breach(count, table.get(&count.name()).copied())).collect())
    }

    pub(super) fn set(&mut self, arch: &str, rustc: &str, counts: &[Count]) {
        let ours = counts.iter().filter(|count| count.ours);
        let table = ours.map(|count| (count.name(), count.instructions)).collect();
        self.0.entry(arch.to_owned()).or_default().insert(rustc.to_owned(), table);
    }
}

fn breach(count: &Count, limit: Option<u64>) -> Option<String> {
    let (name, instructions) = (count.name(), count.instructions);
    match limit {
        None => Some(format!("{name} has no limit")),
        Some(limit) if instructions > limit + limit / 100 => {
            Some(format!("{name} takes {instructions} instructions, its limit is {limit}"))
        }
        Some(limit) => {
            if instructions < limit {
                eprintln!("{name} takes {instructions} instructions: its limit of {limit} can be lowered");
            }
            None
        }
    }
}

impl Count {
    /// As the limits name it.
    pub(super) fn name(&self) -> String {
        format!("{}::{}::{}", self.suite, self.call, self.case)
    }
}

#[cfg(test)]
mod tests {
    use super::{Count, Limits};

    fn count(case: &str, instructions: u64) -> Count {
        Count {
            suite: "ratelimiter".to_owned(),
            ours: true,
            call: "try_acquire".to_owned(),
            case: case.to_owned(),
            instructions,
            caches: None,
            blocks: 0,
        }
    }

    fn limits() -> Limits {
        let text = "[x86_64.\"1.95.0\"]\n\"ratelimiter::try_acquire::admitted\" = 200";
        Limits(toml::from_str(text).unwrap())
    }

    fn broken(count: Count) -> usize {
        limits().broken("x86_64", "1.95.0", &[count]).unwrap().len()
    }

    #[test]
    fn one_percent_more_is_let_through() {
        assert_eq!(broken(count("admitted", 100)), 0);
        assert_eq!(broken(count("admitted", 202)), 0);
        assert_eq!(broken(count("admitted", 203)), 1);
    }

    #[test]
    fn a_call_of_ours_needs_a_limit() {
        assert_eq!(broken(count("rejected", 1)), 1);
        let peer = Count { ours: false, ..count("rejected", 1) };
        assert_eq!(broken(peer), 0);
    }

    #[test]
    fn another_compiler_or_architecture_has_none() {
        let counts = [count("admitted", 1_000)];
        assert!(limits().broken("x86_64", "1.96.0", &counts).is_none());
        assert!(limits().broken("aarch64", "1.95.0", &counts).is_none());
    }

    #[test]
    fn limits_that_are_set_hold() {
        let mut limits = limits();
        limits.set("aarch64", "1.95.0", &[count("admitted", 7)]);
        assert_eq!(limits.broken("aarch64", "1.95.0", &[count("admitted", 7)]), Some(Vec::new()));
        assert!(limits.text().contains("[aarch64.\"1.95.0\"]\n\"ratelimiter::try_acquire::admitted\" = 7\n"));
    }
}
