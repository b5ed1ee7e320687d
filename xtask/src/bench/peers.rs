//! `cargo xtask bench peers`: time, ours beside other crates.

use anyhow::{Context, Result};
use serde::Deserialize;
use xshell::{Shell, cmd};

use super::{
    How,
    policies::Policy,
    results::{Measured, Results, Standing},
};

#[derive(clap::Args, Default)]
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
    let mut standings: Vec<Standing> = serde_json::from_str(standings)?;
    add_blocks(sh, &mut standings)?;
    for it in &standings {
        let reference = Policy::named(&it.policy)?.reference;
        let ratio = it.ratio(reference).map_or(String::new(), |ratio| format!("{:6.2} x {reference}", ratio.median));
        let (policy, case, threads, name) = (&it.policy, &it.case, it.threads, &it.name);
        let nanos = it.nanos.median;
        let blocks = it.blocks.filter(|blocks| *blocks > 0.0);
        let blocks = blocks.map_or(String::new(), |blocks| format!(", {blocks:.1} heap blocks"));
        how.say(&format!("{policy:11} {case:20} {threads} thread(s) {name:28} {nanos:7.1} ns {ratio}{blocks}"));
    }
    results.peers = Some(Measured::here(sh, "peers", standings)?);
    Ok(())
}

/// Heap blocks, as the suite `blocks` prints them.
#[derive(Deserialize)]
struct Counted {
    policy: String,
    name: String,
    case: String,
    blocks: f64,
}

/// What else the calls cost: counted in another program, since counting takes time.
fn add_blocks(sh: &Shell, standings: &mut [Standing]) -> Result<()> {
    let said = cmd!(sh, "cargo bench --package resilience-benches --bench blocks").read()?;
    let blocks = said.lines().find(|line| line.starts_with('[')).context("the suite printed no blocks")?;
    let blocks: Vec<Counted> = serde_json::from_str(blocks)?;
    for it in standings.iter_mut().filter(|it| it.threads == 1) {
        let same = |other: &&Counted| (&other.policy, &other.name, &other.case) == (&it.policy, &it.name, &it.case);
        it.blocks = blocks.iter().find(same).map(|other| other.blocks);
    }
    Ok(())
}
