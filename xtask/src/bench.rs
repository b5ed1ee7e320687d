//! `cargo xtask bench`: measures what calls cost, keeps the results per machine, and renders the page from them.

mod compile;
mod iai;
mod keys;
mod limits;
mod lock;
mod machine;
mod page;
mod peers;
mod policies;
mod results;
mod size;
mod targets;

use anyhow::Result;
use xshell::Shell;

use results::Results;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Count the instructions and heap blocks of calls; fails above the limits in benches/limits.toml
    Iai(iai::Args),
    /// Time calls beside those of other crates
    Peers(peers::Args),
    /// Time the slowest calls of a limiter with a million keys, and weigh its keys
    Keys,
    /// Weigh binaries with more and with fewer calls in them
    Size,
    /// Compile fifty methods behind the macro, and the same by hand
    Compile,
    /// Render docs/benchmarks.md from benches/results
    Report(page::Args),
}

pub(crate) fn run(sh: &Shell, command: &Command) -> Result<()> {
    match command {
        Command::Iai(args) => {
            let mut results = Results::here(sh)?;
            let outcome = iai::run(sh, args, &mut results);
            keep(sh, &results)?;
            outcome
        }
        Command::Peers(args) => {
            let mut results = Results::here(sh)?;
            peers::run(sh, args, &mut results)?;
            keep(sh, &results)
        }
        Command::Keys => {
            let mut results = Results::here(sh)?;
            keys::run(sh, &mut results)?;
            keep(sh, &results)
        }
        Command::Size => {
            let mut results = Results::here(sh)?;
            size::run(sh, &mut results)?;
            keep(sh, &results)
        }
        Command::Compile => {
            let mut results = Results::here(sh)?;
            compile::run(sh, &mut results)?;
            keep(sh, &results)
        }
        Command::Report(args) => page::run(sh, args),
    }
}

fn keep(sh: &Shell, results: &Results) -> Result<()> {
    results.save(sh)?;
    page::write(sh)
}
