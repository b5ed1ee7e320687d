//! `cargo xtask bench peers`: time, ours beside other crates.

use std::thread;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::results::{Measured, Results, Standing};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A tenth of the rounds: some seconds, and wider intervals.
    #[arg(long)]
    quick: bool,
}

pub(super) fn run(sh: &Shell, args: &Args, results: &mut Results) -> Result<()> {
    let rounds = if args.quick { "50" } else { "500" };
    if thread::available_parallelism().map_or(1, Into::into) < 2 {
        println!("peers: one core here, so nothing is measured with two threads");
    }
    let said = cmd!(sh, "cargo bench --package resilience-benches --bench peers -- --rounds {rounds}").read()?;
    let standings = said.lines().find(|line| line.starts_with('[')).context("the suite printed no standings")?;
    let standings: Vec<Standing> = serde_json::from_str(standings)?;
    for it in &standings {
        let ratio = it.ratio.map_or(String::new(), |ratio| format!("{:6.2} x governor", ratio.median));
        println!("{:8} {} thread(s) {:28} {:7.1} ns {ratio}", it.way, it.threads, it.name, it.nanos.median);
    }
    results.peers = Some(Measured::here(sh, standings)?);
    Ok(())
}
