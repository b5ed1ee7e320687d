//! `docs/benchmarks.md`, rendered from the results of all machines.

mod binaries;
mod chart;
mod compiled;
mod crowds;
mod instructions;
mod missed;
mod summary;
mod table;
mod targets;
mod threads;
mod times;
mod waits;

use std::{collections::BTreeMap, fmt::Write};

use anyhow::{Result, ensure};
use xshell::Shell;

use super::{
    policies::{POLICIES, Policy},
    results::{self, Counting, Measured, Results},
};

const PAGE: &str = "docs/benchmarks.md";
/// The drawings on it: a folder per machine.
const CHARTS: &str = "docs/benchmarks";

const HEAD: &str = "\
<!-- Written by `cargo xtask bench` from benches/results: change those, or xtask/src/bench/page.rs. -->

# Benchmarks

What a call through a policy costs, beside other crates. Measured again with one command, in about a quarter of an hour:

```sh
cargo xtask bench all
```

Or one part after the other:

```sh
cargo xtask bench machine  # says which machine this is, and what cannot be measured on it
cargo xtask bench iai      # instructions and heap blocks; fails above the limits in benches/limits.toml
cargo xtask bench peers    # time and heap blocks beside other crates
cargo xtask bench time     # time, ours by themselves, with up to eight threads
cargo xtask bench latency  # how long calls wait for a limiter, and how punctual it is
cargo xtask bench keys     # limiters with one key, ten thousand and a million
cargo xtask bench size     # how much a binary grows by a call
cargo xtask bench compile  # what fifty methods behind the macro take to compile
cargo xtask bench compare main  # what became dearer since then on this kind of machine
```

`--quick` takes a first look and writes nothing; `--json` prints what was measured.

- **Instructions** and heap blocks are those of one call, counted by valgrind on a clock that stands still. They are the
  same in every run on one kind of machine with one compiler.
- **Time** is that of a call in a row of ten thousand, each crate on the clock it comes with, all set up for the same and
  in one process. The contenders take turns, round by round, so that whatever slows the machine down slows them all.
  Nanoseconds are given as median and quartiles over the rounds; ratios compare batches of the same round, and are given
  as median and 95 % confidence interval. Compare ratios: nanoseconds are those of one machine.
- **Cache misses** and cycles are what valgrind's model of a processor makes of one call with cold caches: the first of its
  kind. They move by a few with where memory lies, and have no limits.
- Every benchmark fails if its call goes another way than it says.
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
    let all = results::all(sh)?;
    let unexplained: Vec<_> = all.iter().flat_map(targets::unexplained).collect();
    ensure!(
        unexplained.is_empty(),
        "missed without a word why, which belongs in benches/missed: {}",
        unexplained.join(", ")
    );
    let unknown: Vec<_> = all.iter().flat_map(targets::unknown).collect();
    ensure!(unknown.is_empty(), "benches/missed names figures that were not measured: {}", unknown.join(", "));
    let files = render(&all);
    let stale: Vec<_> = files.iter().filter(|(path, text)| sh.read_file(path).ok().as_ref() != Some(text)).collect();
    let stale = stale.into_iter().map(|(path, _)| path.clone()).chain(left_over(sh, &files)?).collect::<Vec<_>>();
    ensure!(
        stale.is_empty(),
        "not what the results render to: {}; to write it: cargo xtask bench report",
        stale.join(", ")
    );
    Ok(())
}

pub(super) fn write(sh: &Shell) -> Result<()> {
    let files = render(&results::all(sh)?);
    for path in left_over(sh, &files)? {
        sh.remove_path(path)?;
    }
    for (path, text) in files {
        sh.write_file(path, text)?;
    }
    eprintln!("wrote {PAGE} and {CHARTS}");
    Ok(())
}

/// Drawings that no result renders to.
fn left_over(sh: &Shell, files: &Files) -> Result<Vec<String>> {
    let mut left_over = Vec::new();
    let folders = if sh.path_exists(CHARTS) { sh.read_dir(CHARTS)? } else { Vec::new() };
    for folder in folders {
        for file in sh.read_dir(&folder)? {
            let path = |it: &std::path::Path| Some(it.file_name()?.to_str()?.to_owned());
            let name = path(&folder).zip(path(&file)).map(|(folder, file)| format!("{CHARTS}/{folder}/{file}"));
            left_over.extend(name.filter(|name| !files.contains_key(name)));
        }
    }
    Ok(left_over)
}

/// Texts by path: the page and its drawings.
type Files = BTreeMap<String, String>;

fn render(all: &[Results]) -> Files {
    let mut files = Files::new();
    let mut page = HEAD.to_owned();
    for results in all {
        page += &(machine(results) + &summary::render(results) + &targets::render(results));
        page.extend(POLICIES.iter().map(|policy| section(policy, results, &mut files)));
    }
    files.insert(PAGE.to_owned(), page);
    files
}

/// Draws the times of a policy, and shows the drawing that fits the reader's page.
fn charts(policy: &Policy, results: &Results, files: &mut Files) -> String {
    let standings = results.peers.as_ref().map_or(&[][..], |peers| &peers.calls);
    let mut names = Vec::new();
    for theme in [chart::LIGHT, chart::DARK] {
        let Some(drawing) = chart::draw(policy, standings, &theme) else { return String::new() };
        let path = format!("{CHARTS}/{}/{}-{}.svg", results.machine.slug(), policy.name, theme.name);
        names.extend(path.strip_prefix("docs/").map(str::to_owned));
        files.insert(path, drawing);
    }
    let (light, dark) = (&names[0], &names[1]);
    let alt = format!("{}: time beside {}", policy.title, policy.reference);
    format!(
        "\n<picture>\n<source media=\"(prefers-color-scheme: dark)\" srcset=\"{dark}\">\n\
         <img alt=\"{alt}\" src=\"{light}\">\n</picture>\n"
    )
}

/// What was measured of a policy, each part with its command; nothing if nothing was.
fn section(policy: &Policy, results: &Results, files: &mut Files) -> String {
    let counts = match &results.instructions {
        Some(Counting::Done(counts)) => Some(counts),
        _ => None,
    };
    let only = |name: &str| policy.name == name;
    let parts = [
        part(counts, |counts| instructions::render(policy, counts)),
        part(results.peers.as_ref(), |peers| times::render(policy, peers)),
        part(results.alone.as_ref(), |alone| threads::render(policy, alone)),
        part(results.latency.as_ref().filter(|_| only("ratelimiter")), waits::render),
        part(results.keys.as_ref().filter(|_| only("keyed")), crowds::render),
        part(results.binaries.as_ref().filter(|_| only("stack")), binaries::render),
        part(results.compiled.as_ref().filter(|_| only("macro")), compiled::render),
    ];
    let text = charts(policy, results, files) + &parts.concat();
    if text.is_empty() { text } else { format!("\n### {}\n{text}", policy.title) }
}

fn part<T>(measured: Option<&Measured<T>>, render: impl Fn(&[T]) -> String) -> String {
    let Some(Measured { command, calls, .. }) = measured else { return String::new() };
    let text = render(calls);
    if text.is_empty() || command.is_empty() { text } else { format!("{text}\nMeasured by `{command}`.\n") }
}

fn machine(results: &Results) -> String {
    let it = &results.machine;
    let mut text = format!("\n## {}\n\n{}.\n", it.name(), it.facts().join(", "));
    if !it.cannot.is_empty() {
        let _ = writeln!(text, "\nNot measured here:\n\n- {}.\n", it.cannot.join(";\n- "));
    }
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
    if let Some(Counting::Impossible(why)) = &results.instructions {
        let _ = writeln!(text, "Instructions were not counted here: {why}.");
    }
    text
}

fn versions(what: &str, versions: &BTreeMap<String, String>) -> String {
    let versions = versions.iter().map(|(name, version)| format!("{name} {version}"));
    format!("{what} {}.\n", versions.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{PAGE, render};
    use crate::bench::{
        machine::Machine,
        results::{Binary, Count, Counting, Measured, Results},
    };

    fn results(instructions: Counting) -> Results {
        Results {
            instructions: Some(instructions),
            ..Results::none(Machine { cpu: "Z80".to_owned(), cores: 1, ..Machine::unknown() })
        }
    }

    fn page(all: &[Results]) -> String {
        render(all).remove(PAGE).unwrap()
    }

    fn count(call: &str, instructions: u64) -> Count {
        Count {
            suite: "ratelimiter".to_owned(),
            ours: call == "try_acquire",
            call: call.to_owned(),
            case: "admitted".to_owned(),
            instructions,
            caches: None,
            blocks: 0,
        }
    }

    fn counted(ours: u64) -> String {
        let calls = vec![count("try_acquire", ours), count("governor_check", 20)];
        let versions = BTreeMap::from([("rustc".to_owned(), "1.95.0".to_owned())]);
        page(&[results(Counting::Done(Measured { command: String::new(), versions, calls }))])
    }

    #[test]
    fn a_policy_has_a_section_and_stands_beside_its_targets() {
        let page = counted(30);
        assert!(
            page.contains("## Z80, 1 core\n\nz80, CP/M, ") && page.contains("\nMeasured with rustc 1.95.0.\n"),
            "{page}"
        );
        assert!(page.contains("### Rate limiter\n\n#### Instructions\n"), "{page}");
        assert!(
            page.contains("instructions | 1 × governor | 1.50 × | **missed** | `cargo xtask bench iai` |"),
            "{page}"
        );
        assert!(!page.contains("Time, one") && !page.contains("### Rate limiter per key"), "{page}");
    }

    #[test]
    fn only_a_missed_target_is_explained() {
        assert!(counted(30).contains("### Why targets are missed\n\n#### Rate limiter\n\n"));
        assert!(!counted(20).contains("Why targets are missed"));
    }

    #[test]
    fn the_growth_of_a_binary_stands_beside_its_target() {
        let page = |bytes| {
            let mut results = results(Counting::Impossible("no valgrind".to_owned()));
            let calls = vec![Binary { sites: 1, bytes: 400_000 }, Binary { sites: 11, bytes }];
            results.binaries = Some(Measured { command: String::new(), versions: BTreeMap::new(), calls });
            super::tests::page(&[results])
        };
        let (small, large) = (page(600_000), page(601_000));
        assert!(
            small.contains("per further call in it | 20 kB | 20.0 kB | met | `cargo xtask bench size` |"),
            "{small}"
        );
        assert!(
            large.contains("per further call in it | 20 kB | 20.1 kB | **missed** | `cargo xtask bench size` |"),
            "{large}"
        );
        assert!(small.contains("### All five together\n\n#### Size of a binary\n"), "{small}");
    }

    #[test]
    fn what_could_not_be_counted_says_why() {
        let page = page(&[results(Counting::Impossible("no valgrind".to_owned()))]);
        assert!(page.contains("\nInstructions were not counted here: no valgrind.\n"), "{page}");
    }
}
