//! `cargo xtask ci`: all of CI in one program. Each section runs alone too, so a failure is repeated at home by name.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;
use xshell::{Shell, cmd};

use crate::{arm64, book, browser, codes, fuzz, keys, loom, msrv, newcomer, test, tidy, tree::target_dir};

/// What is not for users.
pub(crate) const UNPUBLISHED: [&str; 6] =
    ["--exclude", "xtask", "--exclude", "resilience-benches", "--exclude", "resilience-browser"];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these; without any, all run.
    sections: Vec<Section>,
    /// Leave these out.
    #[arg(long, value_name = "SECTION", value_delimiter = ',')]
    skip: Vec<Section>,
    /// Print the sections in their order and run none.
    #[arg(long)]
    list: bool,
}

/// In the order they run: the fast ones first.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Section {
    /// Formatting, as rustfmt.toml has it
    Fmt,
    /// The architecture's rules, read off the files
    Tidy,
    /// Rendered pages are as their sources say, every error code is explained, tested and has one meaning, and the book's
    /// languages agree
    Pages,
    /// Lints, with all features and with none
    Clippy,
    /// Tests and doctests, and the tests once more optimised
    Test,
    /// A fresh crate follows the README and the first pages, mistakes included
    Newcomer,
    /// Documentation builds without a warning
    Doc,
    /// Every interleaving of the code that names atomics
    Loom,
    /// The benchmarks' page is as the results say, and no call takes more instructions than its limit
    Bench,
    /// The oldest supported compiler builds the workspace
    Msrv,
    /// Licences, sources and duplicates of dependencies
    Deny,
    /// Some seconds of every fuzz target, from its corpus on
    Fuzz,
    /// Every feature of every published crate builds alone
    Features,
    /// The published crates can be packaged
    Package,
    /// The manual is built in both languages, needs no network, and its links lead somewhere
    Book,
    /// The dashboard in a headless Chromium, which is installed if it is not there
    Browser,
    /// The tests on an emulated arm64 Linux, and the types for macOS on arm64
    Arm64,
}

/// How a section that did not fail ended.
pub(crate) enum Done {
    Passed,
    Skipped(String),
}

impl Section {
    fn run(self, sh: &Shell) -> Result<Done> {
        match self {
            Self::Fmt => cmd!(sh, "cargo fmt --all --check").run()?,
            Self::Tidy => tidy::run(sh)?,
            Self::Pages => {
                codes::run(sh, &codes::Args { check: true, ..codes::Args::default() })?;
                keys::run(sh, &keys::Args { check: true })?;
                book::run(sh, &book::Args { check: true })?;
            }
            Self::Clippy => clippy(sh)?,
            Self::Test => {
                test::run(sh, &test::Args { release: false })?;
                test::run(sh, &test::Args { release: true })?;
            }
            Self::Newcomer => newcomer::run(sh)?,
            Self::Doc => {
                let _flags = sh.push_env("RUSTDOCFLAGS", "-D warnings");
                cmd!(sh, "cargo doc --workspace --all-features --no-deps").run()?;
            }
            Self::Loom => loom::run(sh, &loom::Args::default())?,
            Self::Bench => {
                // The page first: counting writes it anew.
                cmd!(sh, "cargo xtask bench report --check").run()?;
                cmd!(sh, "cargo xtask bench iai").run()?;
            }
            Self::Msrv => return msrv::run(sh),
            Self::Deny => deny(sh)?,
            Self::Fuzz => fuzz::run(sh, &fuzz::Args::briefly())?,
            Self::Features => features(sh)?,
            Self::Package => package(sh)?,
            Self::Book => book::build(sh)?,
            Self::Browser => browser::run(sh, &browser::Args::default())?,
            Self::Arm64 => return arm64::run(sh, &arm64::Args::default()),
        }
        Ok(Done::Passed)
    }

    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    let sections = args.selected();
    if args.list {
        for section in sections.iter().filter_map(ValueEnum::to_possible_value) {
            let about = section.get_help().map(ToString::to_string).unwrap_or_default();
            println!("{:8} {about}", section.get_name());
        }
        return Ok(());
    }

    let mut table = Vec::new();
    let mut outcome = Ok(());
    for section in sections {
        let name = section.name();
        println!("\n== {name}");
        let (took, done) = timed(|| section.run(sh));
        let how = match done {
            Ok(Done::Passed) => "ok".to_owned(),
            Ok(Done::Skipped(why)) => format!("skipped: {why}"),
            Err(error) => {
                outcome = Err(anyhow!("ci stopped at {name}; to run it alone: cargo xtask ci {name}"));
                format!("FAILED: {error:#}")
            }
        };
        table.push(format!("{name:8} {:7.1} s  {how}", took.as_secs_f64()));
        println!("== {}", table[table.len() - 1]);
        if outcome.is_err() {
            break;
        }
    }
    println!("\n{}", table.join("\n"));
    outcome
}

impl Args {
    /// What was asked for, in CI's order whatever order it was asked in.
    pub(crate) fn selected(&self) -> Vec<Section> {
        let asked = |section: &Section| self.sections.is_empty() || self.sections.contains(section);
        let kept = |section: &Section| asked(section) && !self.skip.contains(section);
        Section::value_variants().iter().copied().filter(kept).collect()
    }
}

#[expect(clippy::disallowed_methods, reason = "a stopwatch for people; no policy decides on it")]
fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed(), result)
}

fn clippy(sh: &Shell) -> Result<()> {
    for features in ["--all-features", "--no-default-features"] {
        cmd!(sh, "cargo clippy --workspace --all-targets {features} -- -D warnings").run()?;
    }
    Ok(())
}

/// The other sections build everything at once, where what one feature lacks another one brings.
fn features(sh: &Shell) -> Result<()> {
    tool(sh, "hack", "0.6")?;
    let _flags = sh.push_env("RUSTFLAGS", "-D warnings");
    let _target = sh.push_env("CARGO_TARGET_DIR", target_dir("features"));
    cmd!(sh, "cargo hack check --workspace {UNPUBLISHED...} --each-feature --quiet").run()?;
    Ok(())
}

/// Installs a subcommand of cargo that is not there. An unoptimised build takes half the time, and the workspace is small.
fn tool(sh: &Shell, name: &str, version: &str) -> Result<()> {
    if cmd!(sh, "cargo {name} --version").quiet().ignore_stdout().ignore_stderr().run().is_err() {
        let install = cmd!(sh, "cargo install --locked --debug cargo-{name}@^{version}");
        install.run().with_context(|| format!("cargo-{name} cannot be installed"))?;
    }
    Ok(())
}

/// Advisories are left out: their database is fetched from outside the registries.
fn deny(sh: &Shell) -> Result<()> {
    tool(sh, "deny", "0.20")?;
    cmd!(sh, "cargo deny --all-features check bans licenses sources").run()?;
    Ok(())
}

/// Files and metadata only: that the packages build is what the other sections see.
fn package(sh: &Shell) -> Result<()> {
    cmd!(sh, "cargo package --workspace {UNPUBLISHED...} --no-verify --allow-dirty --quiet").run()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::{Parser, ValueEnum};

    use super::{Args, Section};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn selected(line: &[&str]) -> Vec<String> {
        let args = Line::parse_from(["ci"].iter().chain(line)).args;
        args.selected().into_iter().map(Section::name).collect()
    }

    #[test]
    fn without_arguments_every_section_runs() {
        assert_eq!(selected(&[]).len(), Section::value_variants().len());
    }

    #[test]
    fn sections_run_in_the_order_of_ci() {
        assert_eq!(selected(&["clippy", "fmt"]), ["fmt", "clippy"]);
    }

    #[test]
    fn skipped_sections_are_left_out() {
        let rest = selected(&["--skip", "test,deny", "--skip", "loom"]);
        assert_eq!(
            rest,
            [
                "fmt", "tidy", "pages", "clippy", "newcomer", "doc", "bench", "msrv", "fuzz", "features", "package",
                "book", "browser", "arm64"
            ]
        );
    }
}
