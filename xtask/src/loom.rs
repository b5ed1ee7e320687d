//! `cargo xtask loom`: runs the model-checked tests, and fails for a crate that names atomics and has none.

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::tree::{Tree, target_dir};

#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Only this crate.
    #[arg(value_name = "CRATE")]
    package: Option<String>,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    let tree = Tree::read(sh)?;
    let bare = unmodelled(&tree);
    ensure!(bare.is_empty(), "these crates name atomics and have no tests/loom.rs: {}", bare.join(", "));

    let mut modelled = modelled(&tree);
    if let Some(package) = &args.package {
        modelled.retain(|member| member == package);
        ensure!(!modelled.is_empty(), "{package} is no member with a tests/loom.rs");
    }
    // Optimised, since the number of interleavings is large; the assertions are what the models check.
    let _flags = sh.push_env("RUSTFLAGS", "--cfg loom -C debug-assertions");
    let _target = sh.push_env("CARGO_TARGET_DIR", target_dir("loom"));
    for package in &modelled {
        cmd!(sh, "cargo test --package {package} --release --test loom").run()?;
    }
    println!("loom ran for: {}", modelled.join(", "));
    Ok(())
}

fn modelled(tree: &Tree) -> Vec<String> {
    let mut members = tree.members();
    members.retain(|member| tree.file(&format!("{member}/tests/loom.rs")).is_some());
    members
}

fn unmodelled(tree: &Tree) -> Vec<String> {
    let modelled = modelled(tree);
    let mut members = tree.members();
    members.retain(|member| !modelled.contains(member) && names_atomics(tree, member));
    members
}

fn names_atomics(tree: &Tree, member: &str) -> bool {
    let src = format!("{member}/src/");
    let atomics = ["AtomicBool", "AtomicU64", "AtomicUsize", "fence"];
    let homes = ["crate::sync", "resilience_core::sync"];
    let paths = homes.iter().flat_map(|home| atomics.map(|atomic| format!("{home}::{atomic}")));
    // A lock alone cannot be wrong between two threads; what is made of atomics elsewhere is modelled there.
    let paths: Vec<_> = paths.chain(["sync::atomic".to_owned()]).collect();
    tree.sources().filter(|file| file.path.starts_with(&src)).any(|file| {
        let tests = file.tests_begin();
        paths.iter().flat_map(|path| file.naming(path)).any(|line| line < tests)
    })
}

#[cfg(test)]
mod tests {
    use super::{modelled, unmodelled};
    use crate::tree::Tree;

    const ROOT: (&str, &str) = ("Cargo.toml", "[workspace]\nmembers = [\"resilience-a\", \"resilience-b\"]");

    #[test]
    fn a_crate_that_names_atomics_needs_a_model() {
        let atomics = ("resilience-a/src/a.rs", "use resilience_core::sync::AtomicU64;");
        assert_eq!(unmodelled(&Tree::of(&[ROOT, atomics])), ["resilience-a"]);

        let model = ("resilience-a/tests/loom.rs", "");
        let tree = Tree::of(&[ROOT, atomics, model]);
        assert!(unmodelled(&tree).is_empty());
        assert_eq!(modelled(&tree), ["resilience-a"]);
    }

    #[test]
    fn locks_and_counters_of_core_need_none() {
        let text = "use resilience_core::sync::{Arc, Counter, Mutex, lock};";
        assert!(unmodelled(&Tree::of(&[ROOT, ("resilience-a/src/a.rs", text)])).is_empty());
        let text = "use resilience_core::{Id, sync::{Arc, AtomicUsize}};";
        assert_eq!(unmodelled(&Tree::of(&[ROOT, ("resilience-a/src/a.rs", text)])), ["resilience-a"]);
    }

    #[test]
    fn atomics_of_unit_tests_need_none() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::sync::atomic::AtomicU64;\n}";
        assert!(unmodelled(&Tree::of(&[ROOT, ("resilience-b/src/b.rs", text)])).is_empty());
    }
}
