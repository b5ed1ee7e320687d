//! `cargo xtask bench`: measures what calls cost, keeps the results per machine, and renders the page from them.

mod compare;
mod compile;
mod iai;
mod keys;
mod latency;
mod limits;
mod load;
mod lock;
mod machine;
mod page;
mod peers;
mod policies;
mod record;
mod results;
mod size;
mod targets;
mod time;

use anyhow::Result;
use xshell::Shell;

use machine::Machine;
use results::Results;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    how: How,
}

#[derive(Clone, Copy, clap::Args)]
struct How {
    /// Print what was measured, or compared, as JSON; what else is to be said goes to the standard error.
    #[arg(long, global = true)]
    json: bool,
    /// A first look: fewer rounds where there are rounds, and nothing is written.
    #[arg(long, global = true)]
    quick: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Say which machine this is, and what cannot be measured on it
    Machine,
    /// Measure all of it, one after the other: what docs/benchmarks.md needs of a machine
    All,
    /// Count the instructions and heap blocks of calls; fails above the limits in benches/limits.toml
    Iai(iai::Args),
    /// Time calls beside those of other crates, and count the heap blocks of all
    Peers(peers::Args),
    /// Time our calls by themselves, with up to eight threads on one instance and on their own
    Time,
    /// Time how long calls wait for a limiter below, at and above its rate, and how punctual it is
    Latency,
    /// Time limiters with one key, ten thousand and a million, and weigh their keys
    Keys,
    /// Weigh binaries with more and with fewer calls in them
    Size,
    /// Compile fifty methods behind the macro, and the same by hand
    Compile,
    /// Compare the results of this machine with earlier ones; fails if calls got dearer beyond noise
    Compare(compare::Args),
    /// Render docs/benchmarks.md from benches/results
    Report(page::Args),
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    let how = args.how;
    if let Command::Report(args) = &args.command {
        return page::run(sh, args);
    }
    let machine = Machine::here(sh);
    if let Command::Compare(args) = &args.command {
        return compare::run(sh, args, how, &machine);
    }
    how.say(&machine.introduction());
    let mut run = Results::none(machine);
    let outcome = measure(sh, &args.command, how, &mut run);
    if how.json {
        println!("{}", serde_json::to_string_pretty(&run)?);
    }
    if run.has_some() && !how.quick {
        keep(sh, run)?;
    }
    outcome
}

fn measure(sh: &Shell, command: &Command, how: How, run: &mut Results) -> Result<()> {
    match command {
        Command::All => all(sh, how, run),
        Command::Iai(args) => iai::run(sh, args, how, run),
        Command::Peers(args) => peers::run(sh, args, how, run),
        Command::Time => time::run(sh, how, run),
        Command::Latency => latency::run(sh, how, run),
        Command::Keys => keys::run(sh, how, run),
        Command::Size => size::run(sh, how, run),
        Command::Compile => compile::run(sh, how, run),
        Command::Machine | Command::Compare(_) | Command::Report(_) => Ok(()),
    }
}

/// What fails does not keep the others from being measured.
fn all(sh: &Shell, how: How, run: &mut Results) -> Result<()> {
    let outcomes = [
        iai::run(sh, &iai::Args::default(), how, run),
        peers::run(sh, &peers::Args::default(), how, run),
        time::run(sh, how, run),
        latency::run(sh, how, run),
        keys::run(sh, how, run),
        size::run(sh, how, run),
        compile::run(sh, how, run),
    ];
    outcomes.into_iter().collect()
}

fn keep(sh: &Shell, run: Results) -> Result<()> {
    let known = Results::known(sh, &run.machine)?;
    let mut results = known.unwrap_or_else(|| Results::none(run.machine.clone()));
    results.renew(run);
    results.save(sh)?;
    page::write(sh)
}

impl How {
    /// For people.
    fn say(self, line: &str) {
        if self.json {
            eprintln!("{line}");
        } else {
            println!("{line}");
        }
    }
}
