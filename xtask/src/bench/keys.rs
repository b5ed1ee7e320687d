//! `cargo xtask bench keys`: limiters with one key, ten thousand and a million.

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
        let (name, draw, most, bytes) = (&it.name, &it.draw, it.most, it.bytes);
        let known = it.nanos.map_or(0.0, |nanos| nanos.median);
        how.say(&format!(
            "{most:7} {draw:8} {name:10} known {known:6.1} ns; at the bound half {half:6} ns, 99.9 % {nearly_all:6} ns, \
             {bytes:4.1} bytes per key"
        ));
    }
    results.keys = Some(Measured::here(sh, "keys", crowds)?);
    Ok(())
}
