//! `cargo xtask tidy`: the rules of `docs/ARCHITECTURE.md` that can be checked by reading files.

mod boundaries;
mod document;
mod layout;
mod markers;
mod ordering;
mod places;
mod workspace;

use anyhow::{Result, ensure};
use xshell::Shell;

use crate::finding::{self, Finding};
use crate::tree::Tree;

struct Rule {
    /// Its number in the architecture page.
    id: &'static str,
    what: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

const RULES: &[Rule] = &[
    Rule { id: "I1", what: "core and keys name no policy crate", check: boundaries::policies },
    Rule { id: "I2", what: "only the clock reads time or sleeps", check: boundaries::time },
    Rule { id: "I3", what: "only sync.rs names atomics", check: boundaries::atomics },
    Rule { id: "I4", what: "only random.rs draws chance", check: boundaries::chance },
    Rule { id: "I5", what: "lib.rs is a map", check: layout::maps },
    Rule { id: "I6", what: "one concept, one short file", check: layout::sizes },
    Rule { id: "I7", what: "orderings are explained", check: ordering::explained },
    Rule { id: "I8", what: "nothing is left unfinished or silenced", check: markers::unfinished },
    Rule { id: "I9", what: "every member is on the map and fit to publish", check: workspace::members },
    Rule { id: "I10", what: "no file names a registry's host or a machine's path", check: places::portable },
];

pub(crate) fn run(sh: &Shell) -> Result<()> {
    let tree = Tree::read(sh)?;
    let found = RULES.iter().map(|Rule { id, what, check }| finding::report(&format!("{id} ({what})"), check(&tree)));
    let count =
        found.sum::<usize>() + finding::report("the page and tidy list the same rules", document::agrees(&tree, RULES));
    ensure!(count == 0, "tidy found faults: {count}");
    println!("tidy: {} rules hold for {} files", RULES.len(), tree.files.len());
    Ok(())
}

/// What the rules' tests share: where a check found something, in order.
#[cfg(test)]
fn found(check: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)]) -> Vec<(String, usize)> {
    let mut findings = check(&Tree::of(files));
    findings.sort();
    findings.into_iter().map(|finding| (finding.path, finding.line)).collect()
}
