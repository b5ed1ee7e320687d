//! `cargo xtask bench latency`: how long calls wait for a limiter, and how punctual it is.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::{
    How,
    results::{Latency, Measured, Results},
};

pub(super) fn run(sh: &Shell, how: How, results: &mut Results) -> Result<()> {
    let seconds = if how.quick { "1" } else { "5" };
    let said = cmd!(sh, "cargo bench --package resilience-benches --bench latency -- --seconds {seconds}").read()?;
    let all = said.lines().find(|line| line.starts_with('[')).context("the suite printed no latencies")?;
    let all: Vec<Latency> = serde_json::from_str(all)?;
    for it in &all {
        let Latency { name, traffic, waits, rate, late, early, overtaken, .. } = it;
        let (load, half, most) = (it.load * 100.0, waits.half, waits.most);
        how.say(&format!(
            "{traffic:6} {load:3} % {name:12} half {half:10.1} us, 99 % {most:10.1} us, rate {rate:.4}, late by {:.1} us, \
             early by {early:.1} us, overtaken by {overtaken}",
            late.half
        ));
    }
    results.latency = Some(Measured::here(sh, "latency", all)?);
    Ok(())
}
