//! Ours beside other crates, in one process: a suite per policy, in which all are set up for the same and each is on the
//! clock it comes with, and the floors under them.
//!
//! Without arguments it makes criterion's report. With `--rounds N` it races them, one suite after the other, and prints
//! the standings as JSON: `cargo xtask bench peers` reads those. `--policy P` measures one suite only.

mod breaker;
mod bulkhead;
mod floor;
mod keyed;
mod limiter;
mod retry;
mod service;
mod stack;
mod suites;
mod timeout;

use std::{env, thread, time::Duration};

use criterion::Criterion;
use resilience_benches::{Contender, Race, Scene, Suite};
use suites::SUITES;

fn main() {
    let cores = thread::available_parallelism().map_or(1, Into::into);
    let (rounds, policy) = (argument("--rounds"), argument("--policy"));
    let suites = SUITES.into_iter().map(|suite| suite());
    let suites = suites.filter(|suite| policy.as_ref().is_none_or(|policy| policy == suite.policy));
    let suites = suites.map(|mut suite| {
        suite.contenders.retain(|contender| contender.scene.threads <= cores);
        suite
    });
    match rounds {
        Some(rounds) => race(rounds.parse().expect("--rounds takes a number"), suites),
        None => report(suites),
    }
}

fn argument(name: &str) -> Option<String> {
    env::args().skip_while(|argument| argument != name).nth(1)
}

fn race(rounds: usize, suites: impl Iterator<Item = Suite>) {
    let race = Race { rounds, calls: 10_000 };
    let standings: Vec<_> = suites.flat_map(|suite| race.run(&suite)).collect();
    println!("{}", serde_json::to_string(&standings).expect("standings are plain numbers"));
}

fn report(suites: impl Iterator<Item = Suite>) {
    let mut criterion = Criterion::default().configure_from_args();
    suites.for_each(|suite| report_suite(&mut criterion, &suite));
    criterion.final_summary();
}

fn report_suite(criterion: &mut Criterion, suite: &Suite) {
    let mut scenes: Vec<Scene> = suite.contenders.iter().map(|contender| contender.scene).collect();
    scenes.dedup();
    for scene in scenes {
        let mut group = criterion.benchmark_group(format!("{}: {scene}", suite.policy));
        for contender in suite.contenders.iter().filter(|contender| contender.scene == scene) {
            group.bench_function(contender.name, |bencher| bencher.iter_custom(|calls| time(contender, calls)));
        }
        group.finish();
    }
}

fn time(contender: &Contender, calls: u64) -> Duration {
    let batch = contender.run(calls.try_into().unwrap_or(u32::MAX));
    Duration::from_secs_f64(batch.nanos * calls as f64 / 1e9)
}
