//! `cargo xtask bench compare`: what became dearer since an earlier run on the same kind of machine.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use xshell::{Shell, cmd};

use super::{
    How,
    machine::Machine,
    results::{Count, Counting, Crowd, Measured, Results, Standing},
};

/// What intervals that do not overlap may still be apart: what another layout of the same code makes of a call.
const LAYOUT: f64 = 1.05;

/// Of counts, which have no noise.
const EXACT: f64 = 1.01;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file with results, or a revision of this repository whose results are taken: `main`, `HEAD`.
    baseline: String,
}

/// A call that became dearer or cheaper, in its own unit.
#[derive(Debug, PartialEq, Serialize)]
struct Change {
    what: String,
    before: f64,
    now: f64,
    dearer: bool,
}

pub(super) fn run(sh: &Shell, args: &Args, how: How, machine: &Machine) -> Result<()> {
    let path = Results::path(machine);
    let now = Results::known(sh, machine)?.with_context(|| format!("nothing was measured here: there is no {path}"))?;
    let Some(before) = baseline(sh, &args.baseline, &path)? else {
        how.say(&format!("{} has no results of this kind of machine ({path}): nothing to compare with", args.baseline));
        return Ok(());
    };
    ensure!(
        before.machine.slug() == machine.slug(),
        "{} was measured on another kind of machine: {}, not {}",
        args.baseline,
        before.machine.slug(),
        machine.slug()
    );
    let changes = changes(&before, &now);
    if how.json {
        println!("{}", serde_json::to_string_pretty(&changes)?);
    }
    for Change { what, before, now, dearer } in &changes {
        let word = if *dearer { "DEARER " } else { "cheaper" };
        how.say(&format!("{word} {what}: {before:.2} before, {now:.2} now"));
    }
    let dearer = changes.iter().filter(|change| change.dearer).count();
    ensure!(dearer == 0, "{dearer} of our calls became dearer than in {}", args.baseline);
    how.say(&format!("no call became dearer than in {}", args.baseline));
    Ok(())
}

/// `None` if the revision has none of this kind of machine.
fn baseline(sh: &Shell, name: &str, path: &str) -> Result<Option<Results>> {
    let text = if Path::new(name).is_file() {
        sh.read_file(name)?
    } else {
        let commit = format!("{name}^{{commit}}");
        let known = cmd!(sh, "git rev-parse --verify --quiet {commit}").quiet().ignore_stdout().run();
        known.with_context(|| format!("`{name}` is neither a file nor a revision"))?;
        let blob = format!("{name}:{path}");
        match cmd!(sh, "git show {blob}").quiet().ignore_stderr().read() {
            Ok(text) => text,
            Err(_) => return Ok(None),
        }
    };
    Ok(Some(serde_json::from_str(&text).with_context(|| format!("{name} is no result"))?))
}

/// What changed beyond noise, of ours, as far as both have measured it.
fn changes(before: &Results, now: &Results) -> Vec<Change> {
    let mut all = Vec::new();
    if let (Some(Counting::Done(before)), Some(Counting::Done(now))) = (&before.instructions, &now.instructions) {
        // Another compiler has other counts.
        if before.versions.get("rustc") == now.versions.get("rustc") {
            all.extend(pairs(before, now, |a, b| a.ours && a.name() == b.name()).filter_map(counted));
        }
    }
    if let (Some(before), Some(now)) = (&before.peers, &now.peers) {
        let same = |a: &Standing, b: &Standing| {
            (&a.policy, &a.name, &a.case, a.threads) == (&b.policy, &b.name, &b.case, b.threads)
        };
        all.extend(pairs(before, now, |a, b| a.name.starts_with("resilience") && same(a, b)).filter_map(timed));
    }
    if let (Some(before), Some(now)) = (&before.keys, &now.keys) {
        let same =
            |a: &Crowd, b: &Crowd| a.name == "resilience" && (&a.name, &a.draw, a.most) == (&b.name, &b.draw, b.most);
        let bytes =
            |(a, b): (&Crowd, &Crowd)| exact(format!("{} keys, {}: bytes per key", a.most, a.draw), a.bytes, b.bytes);
        all.extend(pairs(before, now, same).filter_map(bytes));
    }
    if let (Some(before), Some(now)) = (&before.binaries, &now.binaries) {
        let bytes = |(a, b): (&super::results::Binary, &super::results::Binary)| {
            exact(format!("a binary with {} calls: bytes", a.sites), a.bytes as f64, b.bytes as f64)
        };
        all.extend(pairs(before, now, |a, b| a.sites == b.sites).filter_map(bytes));
    }
    all
}

/// What both have, as the same.
fn pairs<'a, T>(
    before: &'a Measured<T>,
    now: &'a Measured<T>,
    same: impl Fn(&T, &T) -> bool + 'a,
) -> impl Iterator<Item = (&'a T, &'a T)> {
    before.calls.iter().filter_map(move |a| Some((a, now.calls.iter().find(|b| same(a, b))?)))
}

fn counted((before, now): (&Count, &Count)) -> Option<Change> {
    let what = |unit: &str| format!("{}: {unit}", before.name());
    let instructions = exact(what("instructions"), before.instructions as f64, now.instructions as f64);
    instructions.or_else(|| exact(what("heap blocks"), before.blocks as f64, now.blocks as f64))
}

fn exact(what: String, before: f64, now: f64) -> Option<Change> {
    let dearer = now > before * EXACT;
    (dearer || before > now * EXACT).then_some(Change { what, before, now, dearer })
}

/// As multiples of references in the same round, which say the same on a machine that is slower today. It is we who changed
/// only if it shows beside every reference.
fn timed((before, now): (&Standing, &Standing)) -> Option<Change> {
    let mut ratios = Vec::new();
    for ratio in before.ratios.iter().filter(|ratio| ratio.to != before.name) {
        let now = now.ratio(&ratio.to)?;
        ratios.push((&ratio.to, ratio.times, now));
    }
    let (to, first, last) = *ratios.first()?;
    let dearer = ratios.iter().all(|(_, was, is)| is.low > was.high && is.median > was.median * LAYOUT);
    let cheaper = ratios.iter().all(|(_, was, is)| is.high < was.low && was.median > is.median * LAYOUT);
    let Standing { policy, name, case, threads, .. } = before;
    let what = format!("{policy}, {name}, {case}, {threads} thread(s): × {to}");
    (dearer || cheaper).then_some(Change { what, before: first.median, now: last.median, dearer })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Change, exact, timed};
    use crate::bench::{
        record::{Ratio, Spread, Standing},
        results::Measured,
    };

    fn standing(ratios: &[(&str, f64, f64)]) -> Standing {
        let ratio = |(to, low, high): &(&str, f64, f64)| Ratio {
            to: (*to).to_owned(),
            times: Spread { median: f64::midpoint(*low, *high), low: *low, high: *high },
        };
        Standing {
            policy: "ratelimiter".to_owned(),
            name: "resilience".to_owned(),
            case: "admitted".to_owned(),
            threads: 1,
            nanos: Spread { median: 1.0, low: 1.0, high: 1.0 },
            ratios: ratios.iter().map(ratio).collect(),
            fairness: 1.0,
            rounds: 7,
            blocks: None,
        }
    }

    fn dearer(before: &[(&str, f64, f64)], now: &[(&str, f64, f64)]) -> Option<bool> {
        timed((&standing(before), &standing(now))).map(|change| change.dearer)
    }

    #[test]
    fn times_are_compared_by_intervals() {
        assert_eq!(dearer(&[("a", 1.0, 1.1)], &[("a", 1.2, 1.3)]), Some(true));
        assert_eq!(dearer(&[("a", 1.2, 1.3)], &[("a", 1.0, 1.1)]), Some(false));
        assert_eq!(dearer(&[("a", 1.0, 1.3)], &[("a", 1.2, 1.5)]), None);
    }

    #[test]
    fn a_sure_change_of_little_is_none() {
        assert_eq!(dearer(&[("a", 1.00, 1.00)], &[("a", 1.04, 1.04)]), None);
    }

    #[test]
    fn a_peer_that_got_faster_does_not_make_us_slower() {
        let (before, now) = ([("a", 1.0, 1.1), ("b", 2.0, 2.1)], [("a", 1.5, 1.6), ("b", 2.0, 2.1)]);
        assert_eq!(dearer(&before, &now), None);
        assert_eq!(dearer(&before, &[("a", 1.5, 1.6), ("b", 3.0, 3.1)]), Some(true));
    }

    #[test]
    fn counts_differ_by_more_than_one_percent_or_not_at_all() {
        assert_eq!(exact(String::new(), 100.0, 101.0), None);
        assert!(exact(String::new(), 100.0, 102.0).is_some_and(|change| change.dearer));
        assert!(exact(String::new(), 0.0, 1.0).is_some_and(|change| change.dearer));
        let cheaper = Change { what: "a".to_owned(), before: 102.0, now: 100.0, dearer: false };
        assert_eq!(exact("a".to_owned(), 102.0, 100.0), Some(cheaper));
    }

    #[test]
    fn what_only_one_has_is_not_compared() {
        let measured = |calls| Measured { command: String::new(), versions: BTreeMap::new(), calls };
        let (before, now) = (measured(vec![1, 2]), measured(vec![2, 3]));
        assert_eq!(super::pairs(&before, &now, |a, b| a == b).collect::<Vec<_>>(), [(&2, &2)]);
    }
}
