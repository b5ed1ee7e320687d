//! `cargo xtask bench peers`: time, ours beside other crates.

use std::thread;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::{
    policies::Policy,
    results::{Measured, Results, Standing},
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A tenth of the rounds: some seconds, and wider intervals.
    #[arg(long)]
    quick: bool,
    /// Only this policy's suite; the others keep what was measured before.
    #[arg(long)]
    policy: Option<String>,
}

pub(super) fn run(sh: &Shell, args: &Args, results: &mut Results) -> Result<()> {
    let rounds = if args.quick { "50" } else { "500" };
    if thread::available_parallelism().map_or(1, Into::into) < 2 {
        println!("peers: one core here, so nothing is measured with two threads");
    }
    let only = args.policy.iter().flat_map(|policy| ["--policy", policy.as_str()]);
    let said =
        cmd!(sh, "cargo bench --package resilience-benches --bench peers -- --rounds {rounds} {only...}").read()?;
    let standings = said.lines().find(|line| line.starts_with('[')).context("the suite printed no standings")?;
    let standings: Vec<Standing> = serde_json::from_str(standings)?;
    for it in &standings {
        let reference = Policy::named(&it.policy)?.reference;
        let ratio = it.ratio(reference).map_or(String::new(), |ratio| format!("{:6.2} x {reference}", ratio.median));
        let (policy, case, threads, name) = (&it.policy, &it.case, it.threads, &it.name);
        println!("{policy:11} {case:20} {threads} thread(s) {name:28} {:7.1} ns {ratio}", it.nanos.median);
    }
    let known = results.peers.take().map(|known| known.calls).unwrap_or_default();
    let kept = known.into_iter().filter(|it| args.policy.as_ref().is_some_and(|only| *only != it.policy));
    results.peers = Some(Measured::here(sh, kept.chain(standings).collect())?);
    Ok(())
}
