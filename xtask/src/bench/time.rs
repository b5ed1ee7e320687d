//! `cargo xtask bench time`: our calls by themselves, with more and more threads, as criterion estimates them.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::{
    How,
    results::{Alone, Measured, Results, Spread},
};
use crate::tree::target_dir;

pub(super) fn run(sh: &Shell, how: How, results: &mut Results) -> Result<()> {
    let home = target_dir("criterion-time");
    // What an earlier run left would be taken for this one's.
    sh.remove_path(&home)?;
    // Criterion's own eight seconds for each are minutes for all.
    let length = if how.quick {
        ["--warm-up-time=0.05", "--measurement-time=0.1", "--sample-size=10"]
    } else {
        ["--warm-up-time=1", "--measurement-time=3", "--sample-size=100"]
    };
    let cargo = cmd!(sh, "cargo bench --package resilience-benches --bench time -- --noplot {length...}");
    // Its own words go where what is for people goes when the results are printed as JSON.
    let said = cargo.env("CRITERION_HOME", &home).read()?;
    eprintln!("{said}");
    let mut all = Vec::new();
    collect(sh, &home, &mut all)?;
    ensure!(!all.is_empty(), "criterion left no estimates in {}", home.display());
    all.sort_by(|a, b| (&a.policy, &a.case, a.threads, b.shared).cmp(&(&b.policy, &b.case, b.threads, a.shared)));
    for Alone { policy, case, shared, threads, nanos } in &all {
        let instances = if *shared { "on one" } else { "each its own" };
        let Spread { median, low, high } = nanos;
        how.say(&format!(
            "{policy:11} {case:9} {threads} thread(s) {instances:12} {median:8.1} ns ({low:.1} to {high:.1})"
        ));
    }
    results.alone = Some(Measured::here(sh, "time", all)?);
    Ok(())
}

/// Reads the estimates in all folders named `new`.
fn collect(sh: &Shell, folder: &Path, all: &mut Vec<Alone>) -> Result<()> {
    for path in sh.read_dir(folder)? {
        if path.ends_with("new") {
            let read = |name: &str| -> Result<Value> { Ok(serde_json::from_str(&sh.read_file(path.join(name))?)?) };
            let (benchmark, estimates) = (read("benchmark.json")?, read("estimates.json")?);
            all.push(parse(&benchmark, &estimates).with_context(|| format!("{} has another form", path.display()))?);
        } else if path.is_dir() {
            collect(sh, &path, all)?;
        }
    }
    Ok(())
}

/// The names of a benchmark, and what criterion makes of its samples.
fn parse(benchmark: &Value, estimates: &Value) -> Option<Alone> {
    let (policy, case) = benchmark["group_id"].as_str()?.split_once(", ")?;
    let median = &estimates["median"];
    let bound = |name: &str| median["confidence_interval"][name].as_f64();
    let median = median["point_estimate"].as_f64()?;
    Some(Alone {
        policy: policy.to_owned(),
        case: case.to_owned(),
        shared: benchmark["function_id"].as_str()? == "shared",
        threads: benchmark["value_str"].as_str()?.parse().ok()?,
        nanos: Spread { median, low: bound("lower_bound")?, high: bound("upper_bound")? },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Spread, parse};

    #[test]
    fn an_estimate_is_the_median_with_its_interval() {
        let benchmark = json!({"group_id": "retry, admitted", "function_id": "own", "value_str": "4"});
        let interval = json!({"confidence_level": 0.95, "lower_bound": 1.0, "upper_bound": 3.0});
        let alone = parse(&benchmark, &json!({"median": {"confidence_interval": interval, "point_estimate": 2.0}}));
        let alone = alone.unwrap();
        assert_eq!((&*alone.policy, &*alone.case, alone.shared, alone.threads), ("retry", "admitted", false, 4));
        assert_eq!(alone.nanos, Spread { median: 2.0, low: 1.0, high: 3.0 });
        assert!(parse(&benchmark, &json!({})).is_none());
    }
}
