//! `cargo xtask bench iai`: instructions and heap blocks, counted by valgrind.

use std::{
    collections::{BTreeMap, BTreeSet},
    env::consts,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use toml::Table;
use xshell::{Shell, cmd};

use super::{
    How,
    limits::Limits,
    load::Load,
    lock, machine,
    results::{Caches, Count, Counting, Measured, Results},
};

#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Write what is counted to benches/limits.toml, as this machine's and compiler's limits.
    #[arg(long)]
    set_limits: bool,
    /// Count again with every processor busy, and fail if a count differs.
    #[arg(long)]
    twice: bool,
}

pub(super) fn run(sh: &Shell, args: &Args, how: How, results: &mut Results) -> Result<()> {
    if let Err(why) = valgrind(sh)? {
        how.say(&format!("iai: skipped: {why}"));
        results.instructions = Some(Counting::Impossible(why));
        return Ok(());
    }
    runner(sh)?;
    let (counts, passed) = count(sh)?;
    for count in &counts {
        let (name, instructions, blocks) = (count.name(), count.instructions, count.blocks);
        how.say(&format!("{name:52} {instructions:6} instructions {blocks:3} blocks"));
    }
    ensure!(passed, "a call went another way than its benchmark says, or took heap blocks: see above");
    if args.twice {
        let _load = Load::start();
        let (again, _) = count(sh)?;
        let unlike = unlike(&counts, &again);
        ensure!(unlike.is_empty(), "counted again beside load, not the same: {}", unlike.join(", "));
        how.say("counted again with every processor busy: the same");
    }
    let limited = limit(sh, args, how, &counts);
    results.instructions = Some(Counting::Done(Measured::here(sh, "iai", counts)?));
    limited
}

/// The calls whose counts differ, or that only one has. What the model of the caches says is no count.
fn unlike(counts: &[Count], again: &[Count]) -> Vec<String> {
    let key = |count: &Count| (count.name(), count.instructions, count.blocks);
    let (counts, again): (BTreeSet<_>, BTreeSet<_>) =
        (counts.iter().map(key).collect(), again.iter().map(key).collect());
    counts.symmetric_difference(&again).map(|(name, instructions, _)| format!("{name} ({instructions})")).collect()
}

/// Holds the counts against the limits, or makes them the limits.
fn limit(sh: &Shell, args: &Args, how: How, counts: &[Count]) -> Result<()> {
    let (arch, rustc) = (consts::ARCH, machine::rustc(sh)?);
    let mut limits = Limits::read(sh)?;
    if args.set_limits {
        limits.set(arch, &rustc, counts);
        return limits.write(sh);
    }
    match limits.broken(arch, &rustc, counts) {
        None => how.say(&format!("there are no limits for {arch} and rustc {rustc}: `--set-limits` sets them")),
        Some(broken) if broken.is_empty() => {
            how.say(&format!("all calls are within the limits for {arch} and rustc {rustc}"));
        }
        Some(broken) => bail!("{}\nif it is worth it: cargo xtask bench iai --set-limits", broken.join("\n")),
    }
    Ok(())
}

/// Installs valgrind if need be; or says why it cannot be had.
fn valgrind(sh: &Shell) -> Result<Result<(), String>> {
    let runs = |program: &str| {
        let asked = cmd!(sh, "{program} --version").quiet().ignore_stdout().ignore_stderr();
        asked.run().is_ok()
    };
    if consts::OS != "linux" {
        return Ok(Err(format!("valgrind, which counts the instructions, does not run on {}", consts::OS)));
    }
    if runs("valgrind") {
        return Ok(Ok(()));
    }
    if !runs("apt-get") || cmd!(sh, "id -u").quiet().read()? != "0" {
        return Ok(Err("valgrind is not installed, and only root can install it, from Debian's packages".to_owned()));
    }
    cmd!(sh, "apt-get update --quiet").run()?;
    // With the C library's symbols, without which valgrind does not start.
    cmd!(sh, "apt-get install --quiet --yes --no-install-recommends valgrind libc6-dbg")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .run()?;
    Ok(Ok(()))
}

/// Installs the runner, which must be of the very version of the crate.
fn runner(sh: &Shell) -> Result<()> {
    let version = lock::version(sh, "iai-callgrind")?;
    let installed = cmd!(sh, "cargo install --list").quiet().read()?;
    if installed.lines().any(|line| line == format!("iai-callgrind-runner v{version}:")) {
        return Ok(());
    }
    // An unoptimised build takes half the time, and its own speed changes no count.
    cmd!(sh, "cargo install --locked --debug iai-callgrind-runner@={version}")
        .run()
        .context("the runner cannot be installed")
}

/// Runs the suites; false if one failed. Those that need a feature run alone: with it the others would count something else.
fn count(sh: &Shell) -> Result<(Vec<Count>, bool)> {
    let (mut counts, mut passed) = (Vec::new(), true);
    for (features, suites) in suites(&sh.read_file("benches/Cargo.toml")?.parse()?) {
        let suites = suites.iter().flat_map(|suite| ["--bench", suite]);
        let (counted, well) =
            count_these(sh, &["--features", &features].into_iter().chain(suites).collect::<Vec<_>>())?;
        counts.extend(counted);
        passed &= well;
    }
    Ok((counts, passed))
}

/// The suites that count, by the features they need.
fn suites(manifest: &Table) -> BTreeMap<String, Vec<String>> {
    let mut suites = BTreeMap::<_, Vec<_>>::new();
    for bench in manifest["bench"].as_array().into_iter().flatten().filter_map(toml::Value::as_table) {
        let name = bench["name"].as_str().filter(|name| name.starts_with("iai_"));
        let features = bench.get("required-features").and_then(toml::Value::as_array).into_iter().flatten();
        let features: Vec<_> = features.filter_map(toml::Value::as_str).collect();
        suites.entry(features.join(",")).or_default().extend(name.map(str::to_owned));
    }
    suites.retain(|_, suites| !suites.is_empty());
    suites
}

fn count_these(sh: &Shell, suites: &[&str]) -> Result<(Vec<Count>, bool)> {
    let bench = cmd!(sh, "cargo bench --package resilience-benches {suites...} -- --output-format=json");
    let output = Command::from(bench).stderr(Stdio::inherit()).output()?;
    let said = String::from_utf8(output.stdout)?;
    let lines = said.lines().filter(|line| line.starts_with('{'));
    let counts: Vec<Count> = lines.map(parse).collect::<Result<_>>()?;
    ensure!(!counts.is_empty(), "the suites counted nothing");
    Ok((counts, output.status.success()))
}

/// Reads the runner's summary of one benchmark.
fn parse(line: &str) -> Result<Count> {
    let summary: Value = serde_json::from_str(line)?;
    let metric = |tool: &str, name: &str| {
        let mut totals = summary["profiles"].as_array()?.iter().map(|it| &it["summaries"]["total"]["summary"]);
        let metrics = totals.find_map(|total| total.get(tool))?[name]["metrics"].as_object()?;
        // This run's value: alone the first time, later before the last run's.
        let value = metrics.get("Left").or_else(|| metrics.get("Both")?.get(0))?;
        value["Int"].as_u64()
    };
    let read = || {
        let mut path = summary["module_path"].as_str()?.split("::");
        let (suite, group, call) = (path.next()?, path.next()?, path.next()?);
        Some(Count {
            suite: suite.trim_start_matches("iai_").to_owned(),
            ours: group == "ours",
            call: call.to_owned(),
            case: summary["id"].as_str()?.to_owned(),
            instructions: metric("Callgrind", "Ir")?,
            caches: caches(|name| metric("Callgrind", name)),
            blocks: metric("Dhat", "TotalBlocks")?,
        })
    };
    read().context("the runner's summary has another form than this program knows")
}

fn caches(event: impl Fn(&str) -> Option<u64>) -> Option<Caches> {
    let memory = event("RamHits")?;
    Some(Caches { misses: event("LLhits")? + memory, memory, cycles: event("EstimatedCycles")? })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Caches, caches, parse, suites, unlike};
    use crate::{lex::lex, tree::root};

    fn line(metrics: &str) -> String {
        let tool = |name: &str, metric: &str| {
            let summary = format!(r#"{{"{name}":{{"{metric}":{{"metrics":{metrics}}}}}}}"#);
            format!(r#"{{"summaries":{{"total":{{"summary":{summary}}}}}}}"#)
        };
        let profiles = [tool("Callgrind", "Ir"), tool("Dhat", "TotalBlocks")].join(",");
        format!(r#"{{"module_path":"iai_retry::ours::execute","id":"first","profiles":[{profiles}]}}"#)
    }

    #[test]
    fn a_summary_is_read() {
        let count = parse(&line(r#"{"Left":{"Int":7}}"#)).unwrap();
        assert_eq!((count.name().as_str(), count.ours), ("retry::execute::first", true));
        assert_eq!((count.instructions, count.blocks), (7, 7));
        assert_eq!(parse(&line(r#"{"Both":[{"Int":8},{"Int":7}]}"#)).unwrap().instructions, 8);
    }

    #[test]
    fn what_the_last_level_answers_the_first_has_missed() {
        let event = |name: &str| Some(if name == "LLhits" { 2 } else { 3 });
        assert_eq!(caches(event), Some(Caches { misses: 5, memory: 3, cycles: 3 }));
        assert_eq!(caches(|_| None), None);
    }

    /// What is counted begins and ends at each function whose name has the benchmark's module in it; a closure's has.
    #[test]
    fn no_benchmark_has_a_closure_of_its_own() {
        for suite in fs::read_dir(root().join("benches/benches")).unwrap() {
            let suite = suite.unwrap().path();
            if !suite.file_name().is_some_and(|name| name.to_string_lossy().starts_with("iai_")) {
                continue;
            }
            let text = fs::read_to_string(&suite).unwrap();
            let code: Vec<_> = lex(&text).into_iter().map(|line| line.code).collect();
            let benchmarks = code
                .split(|line| line.starts_with('}'))
                .filter(|item| item.iter().any(|line| line.starts_with("#[library_benchmark")));
            let mut counted = 0;
            for line in benchmarks.flat_map(|item| item.iter().skip_while(|line| !line.starts_with("fn "))) {
                assert!(!line.contains('|') && !line.contains("async {"), "{}: {line}", suite.display());
                counted += 1;
            }
            assert!(counted > 0, "{} counts nothing", suite.display());
        }
    }

    // B73
    #[test]
    fn a_count_that_load_changes_is_told() {
        let count = |instructions: u64| parse(&line(&format!(r#"{{"Left":{{"Int":{instructions}}}}}"#))).unwrap();
        assert!(unlike(&[count(7)], &[count(7)]).is_empty());
        assert_eq!(unlike(&[count(7)], &[count(8)]), ["retry::execute::first (7)", "retry::execute::first (8)"]);
        assert_eq!(unlike(&[count(7)], &[]), ["retry::execute::first (7)"]);
    }

    #[test]
    fn another_form_is_refused() {
        assert!(parse(r#"{"module_path":"iai_retry::ours::execute"}"#).is_err());
    }

    #[test]
    fn a_suite_that_counts_no_blocks_is_refused() {
        assert!(parse(&line(r#"{"Left":{"Int":7}}"#).replace("Dhat", "Other")).is_err());
    }

    #[test]
    fn suites_run_with_the_features_they_need_and_no_other() {
        let manifest =
            "[[bench]]\nname = 'iai_a'\n[[bench]]\nname = 'b'\n[[bench]]\nname = 'iai_c'\nrequired-features = ['c']";
        let suites = suites(&manifest.parse().unwrap());
        assert_eq!(
            suites,
            [(String::new(), vec!["iai_a".to_owned()]), ("c".to_owned(), vec!["iai_c".to_owned()])].into()
        );
    }
}
