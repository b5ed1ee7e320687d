//! What metrics add to an admitted call through all five policies, beside the five additions that they cannot do without.
//!
//! Prints nanoseconds per call, the medians of many short batches in turn: `cargo bench --package resilience-benches
//! --features full --bench metrics`.

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
};

use resilience::{Clock, Metrics, Registry};
use resilience_benches::{Contender, Quota, Scene, answer};

const ROUNDS: usize = 2_000;
const CALLS: u32 = 2_000;

/// A word with no neighbours.
#[derive(Default)]
#[repr(align(128))]
struct OwnLine(AtomicU64);

fn main() {
    let pipeline = Quota::PLENTY.full_pipeline(&Clock::system());
    let stack = Contender::new("stack", Scene::alone("success"), move || black_box(&pipeline.execute(answer)).is_ok());
    let words: [OwnLine; 5] = Default::default();
    let adds = Contender::new("five additions", Scene::alone("success"), move || {
        for word in &words {
            // Ordering: Relaxed; nothing hangs on the words.
            word.0.fetch_add(1, Ordering::Relaxed);
        }
        true
    });
    let mut rounds: Vec<[f64; 3]> = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let off = stack.run(CALLS);
        let metrics = Metrics::new(&Registry::new());
        let on = stack.run(CALLS);
        drop(metrics);
        let bare = adds.run(CALLS);
        if ![off, on, bare].iter().any(|batch| batch.disturbed) {
            rounds.push([off.nanos, on.nanos, bare.nanos]);
        }
    }
    let of = |what: fn(&[f64; 3]) -> f64| median(rounds.iter().map(what).collect());
    println!("{} of {ROUNDS} rounds were undisturbed", rounds.len());
    println!("without metrics  {:6.2} ns", of(|[off, _, _]| *off));
    println!("with metrics     {:6.2} ns", of(|[_, on, _]| *on));
    println!("five additions   {:6.2} ns", of(|[_, _, bare]| *bare));
    println!("metrics add      {:6.2} times that", of(|[off, on, bare]| (on - off) / bare));
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
