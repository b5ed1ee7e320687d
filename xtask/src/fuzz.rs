//! `cargo xtask fuzz`: whatever a fuzzer thinks of against the parts that take anything, for a while each.

use anyhow::{Context, Result};
use clap::ValueEnum;
use xshell::{Shell, cmd};

use crate::tree::target_dir;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these; without any, all run.
    targets: Vec<Target>,
    /// How long each.
    #[arg(long, default_value_t = 30, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
}

/// In the order they run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Target {
    /// Any text as a configuration
    Config,
    /// Any text as a duration
    Duration,
    /// Any configuration and any operations against the limiter
    Limiter,
}

impl Target {
    /// The package for it, which is no member of the workspace.
    fn folder(self) -> &'static str {
        match self {
            Self::Config => "resilience/fuzz",
            Self::Duration => "resilience-keys/fuzz",
            Self::Limiter => "resilience-ratelimiter/fuzz",
        }
    }

    /// The most bytes of input; more would only make it slow.
    fn longest(self) -> u32 {
        match self {
            Self::Config => 4096,
            Self::Duration => 128,
            Self::Limiter => 2048,
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Inputs to begin with that are under version control.
    fn corpus(self) -> String {
        format!("{}/corpus/{}", self.folder(), self.name())
    }

    fn run(self, sh: &Shell, seconds: u32) -> Result<()> {
        let (name, folder, given) = (self.name(), self.folder(), self.corpus());
        // Of several folders the first one takes what is found on the way.
        let found = target_dir("fuzz").join("corpus").join(&name);
        sh.create_dir(&found)?;
        let (time, length) = (format!("-max_total_time={seconds}"), format!("-max_len={}", self.longest()));
        // Without a sanitizer, which a stable compiler does not have: there is no unsafe code that it could watch.
        let run = cmd!(sh, "cargo fuzz run --fuzz-dir {folder} --sanitizer none {name} {found} {given}");
        run.args(["--", &time, &length, "-timeout=20"]).run()?;
        println!("fuzz: {name} ran for {seconds} s and found nothing");
        Ok(())
    }
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    if cmd!(sh, "cargo fuzz --version").quiet().ignore_stdout().ignore_stderr().run().is_err() {
        cmd!(sh, "cargo install --locked --debug cargo-fuzz@^0.13").run().context("cargo-fuzz cannot be installed")?;
    }
    let _target = sh.push_env("CARGO_TARGET_DIR", target_dir("fuzz"));
    args.selected().try_for_each(|target| target.run(sh, args.seconds))
}

impl Args {
    /// All targets, as long as it takes to see that they run and that nothing in the corpus fails.
    pub(crate) fn briefly() -> Self {
        Self { targets: Vec::new(), seconds: 5 }
    }

    fn selected(&self) -> impl Iterator<Item = Target> {
        let all = Target::value_variants().iter().copied();
        all.filter(|target| self.targets.is_empty() || self.targets.contains(target))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::{Parser, ValueEnum};

    use super::{Args, Target};
    use crate::tree::root;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn selected(line: &[&str]) -> Vec<Target> {
        Line::parse_from(["fuzz"].iter().chain(line)).args.selected().collect()
    }

    #[test]
    fn without_names_every_target_runs() {
        assert_eq!(selected(&[]), Target::value_variants());
        assert_eq!(selected(&["limiter", "--seconds", "5"]), [Target::Limiter]);
        assert_eq!(selected(&["limiter", "duration"]), [Target::Duration, Target::Limiter]);
    }

    #[test]
    fn every_target_of_every_fuzz_folder_is_known() {
        let mut there = Vec::new();
        for member in fs::read_dir(root()).unwrap() {
            let manifest = member.unwrap().path().join("fuzz/Cargo.toml");
            let Ok(manifest) = fs::read_to_string(&manifest) else { continue };
            let manifest: toml::Table = manifest.parse().unwrap();
            let bins = manifest["bin"].as_array().unwrap();
            there.extend(bins.iter().map(|bin| bin["name"].as_str().unwrap().to_owned()));
        }
        there.sort_unstable();
        let known: Vec<_> = Target::value_variants().iter().map(|target| target.name()).collect();
        assert_eq!(there, known);
    }

    #[test]
    fn every_target_has_inputs_to_begin_with() {
        for target in Target::value_variants() {
            assert!(fs::read_dir(root().join(target.corpus())).unwrap().next().is_some(), "{target:?}");
        }
    }
}
