//! `cargo xtask bench keys`: a limiter with a million keys at its bound.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::results::{Crowd, Measured, Results};

pub(super) fn run(sh: &Shell, results: &mut Results) -> Result<()> {
    let said = cmd!(sh, "cargo bench --package resilience-benches --bench keys").read()?;
    let crowds = said.lines().find(|line| line.starts_with('[')).context("the suite printed no crowds")?;
    let crowds: Vec<Crowd> = serde_json::from_str(crowds)?;
    for it in &crowds {
        let (half, nearly_all) = (it.tail.half, it.tail.nearly_all);
        println!(
            "{:10} {:8} half {half:6} ns, 99.9 % {nearly_all:6} ns, {:4.1} bytes per key",
            it.name, it.draw, it.bytes
        );
    }
    results.keys = Some(Measured::here(sh, crowds)?);
    Ok(())
}
