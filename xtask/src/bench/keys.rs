//! `cargo xtask bench keys`: a limiter with a million keys at its bound.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::{
    How,
    results::{Crowd, Measured, Results},
};

pub(super) fn run(sh: &Shell, how: How, results: &mut Results) -> Result<()> {
    let keys = if how.quick { "100000" } else { "1000000" };
    let said = cmd!(sh, "cargo bench --package resilience-benches --bench keys -- --keys {keys}").read()?;
    let crowds = said.lines().find(|line| line.starts_with('[')).context("the suite printed no crowds")?;
    let crowds: Vec<Crowd> = serde_json::from_str(crowds)?;
    for it in &crowds {
        let (half, nearly_all) = (it.tail.half, it.tail.nearly_all);
        let (name, draw, bytes) = (&it.name, &it.draw, it.bytes);
        let line = format!("{name:10} {draw:8} half {half:6} ns, 99.9 % {nearly_all:6} ns, {bytes:4.1} bytes per key");
        how.say(&line);
    }
    results.keys = Some(Measured::here(sh, "keys", crowds)?);
    Ok(())
}
