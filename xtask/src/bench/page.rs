//! `docs/benchmarks.md`, rendered from the results of all machines.

use std::{collections::BTreeMap, fmt::Write};

use anyhow::{Result, ensure};
use xshell::Shell;

use super::{
    results::{self, Count, Counting, Results, Spread, Standing},
    targets::TARGETS,
};

const PAGE: &str = "docs/benchmarks.md";

const HEAD: &str = "\
<!-- Written by `cargo xtask bench` from benches/results: change those, or xtask/src/bench/page.rs. -->

# Benchmarks

What a call through the rate limiter costs, beside other crates. Measured again with

```sh
cargo xtask bench iai    # instructions and heap blocks; fails above the limits in benches/limits.toml
cargo xtask bench peers  # time; `--quick` for a first look
```

- **Instructions** and heap blocks are those of one call, counted by valgrind on a clock that stands still. They are the
  same in every run on one kind of machine with one compiler.
- **Time** is that of a call in a row of ten thousand, each crate on the clock it comes with, all with the same quota and
  in one process. The contenders take turns, round by round, so that whatever slows the machine down slows them all.
  Nanoseconds are given as median and quartiles over the rounds; ratios compare batches of the same round, and are given
  as median and 95 % confidence interval. Compare ratios: nanoseconds are those of one machine.
- Every benchmark fails if its call goes another way than it says.
";

const FAIRNESS: &str = "
Fairness: what the slower thread had admitted, in parts of its half. A limiter that starves one thread looks fast in the
other columns.
";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if the page is not what the results render to.
    #[arg(long)]
    check: bool,
}

pub(super) fn run(sh: &Shell, args: &Args) -> Result<()> {
    if !args.check {
        return write(sh);
    }
    let written = if sh.path_exists(PAGE) { sh.read_file(PAGE)? } else { String::new() };
    ensure!(
        written == render(&results::all(sh)?),
        "{PAGE} is not what the results render to; to write it: cargo xtask bench report"
    );
    Ok(())
}

pub(super) fn write(sh: &Shell) -> Result<()> {
    sh.write_file(PAGE, render(&results::all(sh)?))?;
    println!("wrote {PAGE}");
    Ok(())
}

fn render(all: &[Results]) -> String {
    let sections = all.iter().flat_map(|results| {
        let times = results.peers.as_ref().map(|peers| times(&peers.calls));
        [machine(results), targets(results), counting(results), times.unwrap_or_default()]
    });
    HEAD.to_owned() + &sections.collect::<String>()
}

fn counting(results: &Results) -> String {
    match &results.instructions {
        Some(Counting::Done(counts)) => instructions(&counts.calls),
        Some(Counting::Impossible(why)) => format!("\n### Instructions\n\nNot counted here: {why}.\n"),
        None => String::new(),
    }
}

fn machine(results: &Results) -> String {
    let it = &results.machine;
    let mut facts = vec![it.arch.clone(), it.os.clone()];
    facts.extend(it.clock_source.as_ref().map(|source| format!("clock source {source}")));
    facts.extend(it.frequency.as_ref().map(|governor| format!("frequency governor {governor}")));
    facts.extend(it.hypervisor.as_ref().map(|hypervisor| format!("a virtual machine ({hypervisor})")));
    let mut text = format!("\n## {}, {} cores\n\n{}.\n", it.cpu, it.cores, facts.join(", "));
    let counted = match &results.instructions {
        Some(Counting::Done(counts)) => Some(&counts.versions),
        _ => None,
    };
    let timed = results.peers.as_ref().map(|peers| &peers.versions);
    match (counted, timed) {
        (Some(counted), Some(timed)) if counted != timed => {
            text += &versions("Instructions with", counted);
            text += &versions("Time with", timed);
        }
        _ => text.extend(counted.or(timed).map(|both| versions("Measured with", both))),
    }
    text
}

fn versions(what: &str, versions: &BTreeMap<String, String>) -> String {
    let versions = versions.iter().map(|(name, version)| format!("{name} {version}"));
    format!("{what} {}.\n", versions.collect::<Vec<_>>().join(", "))
}

fn targets(results: &Results) -> String {
    let rows = TARGETS.iter().filter_map(|target| {
        let reached = target.reached(results)?;
        let met = if reached <= target.allowed { "met" } else { "**missed**" };
        Some(vec![target.what.to_owned(), format!("{} ×", target.allowed), format!("{reached:.2} ×"), met.to_owned()])
    });
    section("Targets, as multiples of governor", &["", "at most", "is", ""], rows)
}

fn instructions(counts: &[Count]) -> String {
    let governor = |case: &str| {
        let mut peers = counts.iter().filter(|count| count.call == "governor_check");
        let way = case.split('_').next();
        peers.find(|count| Some(count.case.as_str()) == way).map(|count| count.instructions)
    };
    let rows = counts.iter().map(|count| {
        let ratio = governor(&count.case).map(|governor| count.instructions as f64 / governor as f64);
        vec![
            format!("`{}`", count.call),
            count.case.replace('_', " "),
            count.instructions.to_string(),
            ratio.map_or_else(dash, |ratio| format!("{ratio:.2}")),
            count.blocks.to_string(),
        ]
    });
    section("Instructions", &["call", "", "instructions", "× governor", "heap blocks"], rows)
}

fn times(standings: &[Standing]) -> String {
    let mut text = String::new();
    for (threads, title) in [(1, "Time, one thread"), (2, "Time, two threads on one limiter")] {
        let find = |name: &str, way: &str| {
            let mut all = standings.iter();
            all.find(|it| it.name == name && it.way == way && it.threads == threads)
        };
        let admitted = standings.iter().filter(|it| it.threads == threads && it.way == "admitted");
        let rows = admitted.map(|it| {
            let rejected = find(&it.name, "rejected");
            let mut row = vec![it.name.clone(), nanos(Some(it)), ratio(Some(it)), nanos(rejected), ratio(rejected)];
            if threads > 1 {
                row.push(format!("{:.2}", it.fairness));
            }
            row
        });
        let heads = ["", "admitted, ns", "× governor", "rejected, ns", "× governor", "fairness"];
        let heads = if threads > 1 { &heads[..] } else { &heads[..5] };
        text += &section(title, heads, rows);
    }
    if !text.is_empty() {
        text += FAIRNESS;
    }
    text + &floors(standings) + &rounds(standings)
}

fn floors(standings: &[Standing]) -> String {
    let floor = |threads| standings.iter().filter(move |it| it.way == "floor" && it.threads == threads);
    let rows = floor(1).map(|it| {
        let together = floor(2).find(|two| two.name == it.name);
        vec![it.name.clone(), nanos(Some(it)), nanos(together)]
    });
    section("Floors: steps that a limiter consists of", &["", "one thread, ns", "two threads, ns"], rows)
}

fn rounds(standings: &[Standing]) -> String {
    let rounds = standings.iter().map(|it| it.rounds);
    match (rounds.clone().min(), rounds.max()) {
        (Some(min), Some(max)) => format!("\nUndisturbed rounds per contender: {min} to {max}.\n"),
        _ => String::new(),
    }
}

fn nanos(standing: Option<&Standing>) -> String {
    standing.map_or_else(dash, |it| spread(it.nanos, 1))
}

fn ratio(standing: Option<&Standing>) -> String {
    standing.and_then(|it| it.ratio).map_or_else(dash, |ratio| spread(ratio, 2))
}

fn spread(it: Spread, places: usize) -> String {
    format!("{:.places$} ({:.places$}–{:.places$})", it.median, it.low, it.high)
}

fn dash() -> String {
    "–".to_owned()
}

/// A heading and a table; nothing without rows.
fn section(title: &str, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = String::new();
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    if text.is_empty() {
        return text;
    }
    // Words to the left, numbers to the right.
    let rules = heads.iter().enumerate().map(|(at, _)| if at == 0 { "---" } else { "---:" });
    let rules = rules.collect::<Vec<_>>().join(" | ");
    format!("\n### {title}\n\n| {} |\n| {rules} |\n{text}", heads.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{machine::Machine, results::Measured};

    fn machine() -> Machine {
        Machine {
            cpu: "Z80".to_owned(),
            cores: 1,
            arch: "z80".to_owned(),
            os: "CP/M".to_owned(),
            clock_source: None,
            frequency: None,
            hypervisor: None,
        }
    }

    fn count(call: &str, instructions: u64) -> Count {
        Count {
            suite: "ratelimiter".to_owned(),
            ours: call == "try_acquire",
            call: call.to_owned(),
            case: "admitted".to_owned(),
            instructions,
            blocks: 0,
        }
    }

    #[test]
    fn counts_are_set_against_governor_and_the_target() {
        let calls = vec![count("try_acquire", 30), count("governor_check", 20)];
        let versions = BTreeMap::from([("rustc".to_owned(), "1.95.0".to_owned())]);
        let page = render(&[Results {
            machine: machine(),
            instructions: Some(Counting::Done(Measured { versions, calls })),
            peers: None,
        }]);
        assert!(page.contains("## Z80, 1 cores\n\nz80, CP/M.\nMeasured with rustc 1.95.0.\n"), "{page}");
        assert!(page.contains("| `try_acquire` | admitted | 30 | 1.50 | 0 |"), "{page}");
        assert!(page.contains("instructions | 1 × | 1.50 × | **missed** |"), "{page}");
        assert!(!page.contains("Time, one"), "{page}");
    }

    #[test]
    fn what_could_not_be_counted_says_why() {
        let page = render(&[Results {
            machine: machine(),
            instructions: Some(Counting::Impossible("no valgrind".to_owned())),
            peers: None,
        }]);
        assert!(page.contains("### Instructions\n\nNot counted here: no valgrind.\n"), "{page}");
    }

    #[test]
    fn times_of_one_contender_stand_in_one_row() {
        let standing = |way: &str, threads, median| Standing {
            name: "resilience".to_owned(),
            way: way.to_owned(),
            threads,
            nanos: Spread { median, low: 1.0, high: 9.0 },
            ratio: None,
            fairness: 0.5,
            rounds: 7,
        };
        let page = times(&[standing("admitted", 1, 2.0), standing("rejected", 1, 3.0), standing("admitted", 2, 4.0)]);
        assert!(page.contains("| resilience | 2.0 (1.0–9.0) | – | 3.0 (1.0–9.0) | – |\n"), "{page}");
        assert!(page.contains("| resilience | 4.0 (1.0–9.0) | – | – | – | 0.50 |\n"), "{page}");
        assert!(page.contains("contender: 7 to 7."), "{page}");
    }
}
