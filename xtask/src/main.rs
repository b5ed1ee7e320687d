//! The workspace's own commands. `cargo xtask --help` lists them; there is one file per command.

mod arm64;
mod bench;
mod book;
mod browser;
mod ci;
mod codes;
mod debian;
mod demo;
mod finding;
mod fuzz;
mod keys;
mod lex;
mod loom;
mod msrv;
mod newcomer;
mod pages;
mod std_source;
mod test;
mod tidy;
mod tree;
mod tsan;
#[cfg(test)]
mod workflows;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use xshell::Shell;

/// The workspace's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Run CI, or the named sections of it, and stop at the first that fails.
    Ci(ci::Args),
    /// Follow the README and the first pages in a fresh crate.
    Newcomer,
    /// Run every test and doctest with all features.
    Test(test::Args),
    /// Check the architecture's rules that can be checked by reading files.
    Tidy,
    /// Write the pages of the error codes; with `--check`, judge them, the tests and the places that report a code.
    Codes(codes::Args),
    /// Write the operators' pages: every configuration key.
    Keys(keys::Args),
    /// Write the book's pages of the policies, judge all pages, and build the manual in both languages.
    Book(book::Args),
    /// Measure what calls cost, and write it down.
    Bench(bench::Args),
    /// Look at the dashboard with a headless Chromium.
    Browser(browser::Args),
    /// Explore every interleaving of the code that names atomics.
    Loom(loom::Args),
    /// Open the storefront's shop: buttons that break its services, the dashboard, its metrics.
    Demo(demo::Args),
    /// Watch the tests with real threads for data races.
    Tsan(tsan::Args),
    Arm64(arm64::Args),
    /// Try whatever a fuzzer thinks of on what takes anything.
    Fuzz(fuzz::Args),
}

fn main() -> ExitCode {
    match run(Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // Without a backtrace, whatever the environment asks for: the command that failed has said why.
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(tree::root());
    match command {
        Command::Ci(args) => ci::run(&sh, &args),
        Command::Newcomer => newcomer::run(&sh),
        Command::Test(args) => test::run(&sh, &args),
        Command::Tidy => tidy::run(&sh),
        Command::Codes(args) => codes::run(&sh, &args),
        Command::Keys(args) => keys::run(&sh, &args),
        Command::Book(args) => book::run(&sh, &args),
        Command::Bench(args) => bench::run(&sh, &args),
        Command::Browser(args) => browser::run(&sh, &args),
        Command::Loom(args) => loom::run(&sh, &args),
        Command::Demo(args) => demo::run(&sh, &args),
        Command::Tsan(args) => tsan::run(&sh, &args).map(drop),
        Command::Arm64(args) => arm64::run(&sh, &args).map(drop),
        Command::Fuzz(args) => fuzz::run(&sh, &args),
    }
}

#[cfg(test)]
impl Command {
    /// Those of CI that it runs, if it does.
    fn sections(&self) -> Option<Vec<ci::Section>> {
        if let Self::Ci(args) = self { Some(args.selected()) } else { None }
    }
}
