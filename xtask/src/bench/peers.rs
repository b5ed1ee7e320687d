//! `cargo xtask bench peers`: time, ours beside other crates.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::{
    How,
    policies::Policy,
    results::{Measured, Results, Standing},
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this policy's suite; the others keep what was measured before.
    #[arg(long)]
    policy: Option<String>,
}

pub(super) fn run(sh: &Shell, args: &Args, how: How, results: &mut Results) -> Result<()> {
    let rounds = if how.quick { "50" } else { "500" };
    let only = args.policy.iter().flat_map(|policy| ["--policy", policy.as_str()]);
    let said =
        cmd!(sh, "cargo bench --package resilience-benches --bench peers -- --rounds {rounds} {only...}").read()?;
    let standings = said.lines().find(|line| line.starts_with('[')).context("the suite printed no standings")?;
    let standings: Vec<Standing> = serde_json::from_str(standings)?;
    for it in &standings {
        let reference = Policy::named(&it.policy)?.reference;
        let ratio = it.ratio(reference).map_or(String::new(), |ratio| format!("{:6.2} x {reference}", ratio.median));
        let (policy, case, threads, name) = (&it.policy, &it.case, it.threads, &it.name);
        let nanos = it.nanos.median;
        how.say(&format!("{policy:11} {case:20} {threads} thread(s) {name:28} {nanos:7.1} ns {ratio}"));
    }
    results.peers = Some(Measured::here(sh, "peers", standings)?);
    Ok(())
}
