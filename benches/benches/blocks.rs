//! How many heap blocks a call takes, of everybody in the suite `peers`. A program of its own, since an allocator that
//! counts slows down whoever allocates.
//!
//! Prints JSON: `cargo xtask bench peers` reads it.

#[path = "peers/breaker.rs"]
mod breaker;
#[path = "peers/bulkhead.rs"]
mod bulkhead;
#[path = "peers/floor.rs"]
mod floor;
#[path = "peers/keyed.rs"]
mod keyed;
#[path = "peers/limiter.rs"]
mod limiter;
#[path = "peers/retry.rs"]
mod retry;
#[path = "peers/service.rs"]
mod service;
#[path = "peers/stack.rs"]
mod stack;
#[path = "peers/suites.rs"]
mod suites;
#[path = "peers/timeout.rs"]
mod timeout;

use allocation_counter::measure;
use resilience_benches::Contender;
use serde::Serialize;
use suites::SUITES;

/// More than any contender has keys, each of which takes blocks when it comes first.
const WARM: u32 = 20_000;
const FEW: u32 = 64;
const MANY: u32 = 6464;

#[derive(Serialize)]
struct Counted {
    policy: &'static str,
    name: &'static str,
    case: &'static str,
    /// Of a call, on average.
    blocks: f64,
}

fn main() {
    let suites = SUITES.into_iter().map(|suite| suite());
    // The counter sees its own thread only.
    let blocks = suites.flat_map(|suite| {
        let alone = suite.contenders.into_iter().filter(|it| it.scene.threads == 1);
        let count = move |it: Contender| {
            let (policy, name, case) = (suite.policy, it.name, it.scene.case);
            Counted { policy, name, case, blocks: per_call(&it) }
        };
        alone.map(count).collect::<Vec<_>>()
    });
    println!("{}", serde_json::to_string(&blocks.collect::<Vec<_>>()).expect("plain numbers"));
}

/// What more calls take more: what a batch takes by itself is in both.
fn per_call(contender: &Contender) -> f64 {
    let count = |calls| measure(|| _ = contender.run(calls)).count_total;
    contender.run(WARM);
    let (few, many) = (count(FEW), count(MANY));
    many.saturating_sub(few) as f64 / f64::from(MANY - FEW)
}
