//! Ours beside other crates, in one process: limiters of the same quota, each on the clock it comes with, and the
//! floors under them.
//!
//! Without arguments it makes criterion's report. With `--rounds N` it races them and prints the standings as JSON:
//! `cargo xtask bench peers` reads those.

mod floor;
mod limiter;

use std::{env, thread, time::Duration};

use criterion::Criterion;
use resilience_benches::{Contender, Race, Scene};

fn main() {
    let cores = thread::available_parallelism().map_or(1, Into::into);
    let mut contenders = limiter::contenders();
    contenders.extend(floor::contenders());
    contenders.retain(|contender| contender.scene.threads <= cores);
    match rounds() {
        Some(rounds) => race(rounds, &contenders),
        None => report(&contenders),
    }
}

fn rounds() -> Option<usize> {
    let mut arguments = env::args().skip_while(|argument| argument != "--rounds").skip(1);
    Some(arguments.next()?.parse().expect("--rounds takes a number"))
}

fn race(rounds: usize, contenders: &[Contender]) {
    let race = Race { rounds, calls: 10_000, reference: limiter::REFERENCE };
    let standings = serde_json::to_string(&race.run(contenders)).expect("standings are plain numbers");
    println!("{standings}");
}

fn report(contenders: &[Contender]) {
    let mut criterion = Criterion::default().configure_from_args();
    let mut scenes: Vec<Scene> = contenders.iter().map(|contender| contender.scene).collect();
    scenes.dedup();
    for scene in scenes {
        let mut group = criterion.benchmark_group(scene.to_string());
        for contender in contenders.iter().filter(|contender| contender.scene == scene) {
            let time = |calls: u64| {
                let batch = contender.run(calls.try_into().unwrap_or(u32::MAX));
                Duration::from_secs_f64(batch.nanos * calls as f64 / 1e9)
            };
            group.bench_function(contender.name, |bencher| bencher.iter_custom(time));
        }
        group.finish();
    }
    criterion.final_summary();
}
