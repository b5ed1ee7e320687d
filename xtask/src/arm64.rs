//! `cargo xtask arm64`: the tests on an emulated arm64 Linux, and the types as macOS on arm64 has them.

use std::path::Path;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::{
    ci::Done,
    debian,
    std_source::{self, Compiler},
    tree::{Tree, target_dir},
};

const LINUX: &str = "aarch64-unknown-linux-gnu";
const MACOS: &str = "aarch64-apple-darwin";

const LINKER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64-static";
/// Where Debian's cross compiler has the C library.
const SYSROOT: &str = "/usr/aarch64-linux-gnu";
const PACKAGES: [&str; 3] = ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user-static"];

/// What a test sees in them does not depend on the processor, and emulated they take half a minute and more each.
const TOO_LONG: [&str; 6] = [
    "a_hundred_thousand_in_line_come_and_go",
    "a_million_successes_do_not_slow_the_next_opening",
    "a_time_window_costs_the_same_with_millions_of_calls_in_it",
    "after_ten_thousand_steps_of_any_kind_everything_is_back",
    "rates_with_a_fraction_of_a_nanosecond_between_permits",
    "three_million_per_second_over_an_hour",
];

/// Run the tests of core and of every policy on an emulated arm64, and check the types of all libraries for macOS on it.
///
/// It takes Debian's cross compiler and qemu, which are installed if need be; elsewhere it is skipped, and says why. The
/// emulator shows what the compiler, the standard library and 128-byte cache lines make of the code there; it does not
/// show what a weakly ordered memory does, which is what the model-checked tests are for.
///
/// Not run: doctests, which are not cross-compiled; tests that run a compiler; tests of the amounts of heap and memory, which
/// have binaries of their own; and those whose outcome hangs on no processor and that take half a minute each when
/// emulated. `--all` runs the last ones too. Tests of drawn cases draw 16.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Also the tests that are left out for their length, and as many drawn cases as elsewhere.
    #[arg(long)]
    all: bool,
    /// Only check the types for macOS.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<Done> {
    let Compiler { rustc, host, .. } = match std_source::compiler(sh)? {
        Ok(compiler) => compiler,
        Err(why) => return Ok(skipped(why)),
    };
    let tree = Tree::read(sh)?;
    let _rustc = sh.push_env("RUSTC", rustc);
    // What builds the standard library is not yet stable.
    let _unstable = sh.push_env("RUSTC_BOOTSTRAP", "1");
    let _target = sh.push_env("CARGO_TARGET_DIR", target_dir("arm64"));
    // Nothing is debugged, and every crate is built twice.
    let _debug = sh.push_env("CARGO_PROFILE_DEV_DEBUG", "0");
    let libraries = packages(&tree, |_| true);
    cmd!(sh, "cargo check -Zbuild-std --target {MACOS} {libraries...} --all-features").run()?;
    if args.check {
        return Ok(Done::Passed);
    }
    if host == LINUX {
        return Ok(skipped("this is an arm64 Linux, where `cargo xtask test` runs all of them".to_owned()));
    }
    match emulator(sh)? {
        Ok(()) => test(sh, &tree, args).map(|()| Done::Passed),
        Err(why) => Ok(skipped(why)),
    }
}

fn skipped(why: String) -> Done {
    println!("arm64: skipped: {why}");
    Done::Skipped(why)
}

fn test(sh: &Shell, tree: &Tree, args: &Args) -> Result<()> {
    let _linker = sh.push_env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER);
    let _runner = sh.push_env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("{EMULATOR} -L {SYSROOT}"));
    let _cases = (!args.all).then(|| sh.push_env("PROPTEST_CASES", "16"));
    let tested = packages(tree, |member| !["resilience", "resilience-keys", "resilience-macros"].contains(&member));
    let cargo = cmd!(sh, "cargo test -Zbuild-std --target {LINUX} {tested...} --all-features --lib --test it --");
    let left_out = TOO_LONG.iter().filter(|_| !args.all).chain(&["compile::"]);
    cargo.args(left_out.flat_map(|name| ["--skip", name])).run()?;
    Ok(())
}

/// The cross compiler and the emulator, installed if need be; or why there are none.
fn emulator(sh: &Shell) -> Result<Result<(), String>> {
    let runs = |program: &str| {
        let asked = cmd!(sh, "{program} --version").quiet().ignore_stdout().ignore_stderr();
        asked.run().is_ok()
    };
    if runs(LINKER) && runs(EMULATOR) && Path::new(SYSROOT).join("lib/crt1.o").is_file() {
        return Ok(Ok(()));
    }
    debian::install(sh, &PACKAGES.map(str::to_owned))
}

/// The published members that are asked for, as cargo takes them.
fn packages(tree: &Tree, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let members = tree.members().into_iter().filter(|member| member.starts_with("resilience") && wanted(member));
    members.flat_map(|member| ["--package".to_owned(), member]).collect()
}

#[cfg(test)]
mod tests {
    use xshell::Shell;

    use super::{TOO_LONG, packages};
    use crate::tree::{Tree, root};

    #[test]
    fn each_test_that_is_left_out_exists() {
        let sh = Shell::new().unwrap();
        sh.change_dir(root());
        let tree = Tree::read(&sh).unwrap();
        for name in TOO_LONG {
            let head = format!("fn {name}(");
            let found = tree.rust().any(|file| file.path.contains("/tests/it/") && file.text.contains(&head));
            assert!(found, "{name}");
        }
    }

    #[test]
    fn packages_are_the_members_that_users_see() {
        let manifest = "[workspace]\nmembers = [\"benches\", \"resilience\", \"resilience-a\", \"xtask\"]";
        let tree = Tree::of(&[("Cargo.toml", manifest)]);
        assert_eq!(packages(&tree, |_| true), ["--package", "resilience", "--package", "resilience-a"]);
        assert_eq!(packages(&tree, |member| member != "resilience"), ["--package", "resilience-a"]);
    }
}
