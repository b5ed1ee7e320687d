//! A million keys in a limiter that may keep no more, and calls of which many bring new keys, so that others are evicted:
//! how slow the slowest calls are, and how many bytes a key takes. Beside it governor's, which keeps every key.
//!
//! Prints JSON: `cargo xtask bench keys` reads it.

use std::{hint::black_box, num::NonZeroU32};

use allocation_counter::measure;
use resilience::Clock;
use resilience_benches::{Quota, Tail};
use serde::Serialize;

const KEYS: u32 = 1_000_000;
/// So many different keys come.
const COMERS: u64 = 4 * KEYS as u64;
const CALLS: u64 = 4 * KEYS as u64;

/// How keys come.
type Draw = fn(u64) -> u64;

#[derive(Serialize)]
struct Crowd {
    name: &'static str,
    draw: &'static str,
    tail: Tail,
    /// Keys that are kept at the end.
    keys: u64,
    evicted: u64,
    /// Per key that is kept, at the end.
    bytes: f64,
}

fn main() {
    let crowds: Vec<_> = [("uniform", uniform as Draw), ("Zipf", zipf)].into_iter().flat_map(crowds).collect();
    println!("{}", serde_json::to_string(&crowds).expect("plain numbers"));
}

fn crowds((draw, key): (&'static str, Draw)) -> [Crowd; 2] {
    // Made before anything is measured: first all that fit, so that the limiter is full, then the draw.
    let full: Vec<u64> = (0..KEYS.into()).collect();
    let keys: Vec<u64> = (0..CALLS).map(key).collect();
    [resilience(draw, &full, &keys), governor(draw, &full, &keys)]
}

fn resilience(draw: &'static str, full: &[u64], keys: &[u64]) -> Crowd {
    let (mut limiter, mut tail) = (None, None);
    // Nobody's permits come back meanwhile, so no key is full again and free to be forgotten.
    let used = measure(|| {
        let limiter = limiter.insert(Quota::SCARCE.keyed(&Clock::system(), KEYS));
        for key in full {
            limiter.try_acquire(key).expect("new keys are full");
        }
        tail = Some(Tail::of(keys, |key| _ = black_box(limiter.try_acquire(&key))));
    });
    let snapshot = limiter.expect("just made").snapshot();
    assert!(snapshot.evicted > u64::from(KEYS) / 2 && snapshot.keys == u64::from(KEYS), "{snapshot:?}");
    Crowd {
        name: "resilience",
        draw,
        tail: tail.expect("just measured"),
        keys: snapshot.keys,
        evicted: snapshot.evicted,
        bytes: used.bytes_current as f64 / snapshot.keys as f64,
    }
}

fn governor(draw: &'static str, full: &[u64], keys: &[u64]) -> Crowd {
    let (mut governor, mut tail) = (None, None);
    let used = measure(|| {
        let quota = governor::Quota::per_hour(NonZeroU32::MIN); // as `Quota::SCARCE`
        let governor = governor.insert(governor::DefaultKeyedRateLimiter::keyed(quota));
        for key in full {
            governor.check_key(key).expect("new keys are full");
        }
        tail = Some(Tail::of(keys, |key| _ = black_box(governor.check_key(&key))));
    });
    let keys = governor.expect("just made").len() as u64;
    let bytes = used.bytes_current as f64 / keys as f64;
    Crowd { name: "governor", draw, tail: tail.expect("just measured"), keys, evicted: 0, bytes }
}

/// Each key as likely as any other.
fn uniform(n: u64) -> u64 {
    random(n) % COMERS
}

/// The k-th key 1 / k times as likely as the first.
fn zipf(n: u64) -> u64 {
    let share = random(n) as f64 / u64::MAX as f64;
    ((COMERS as f64).powf(share) as u64).min(COMERS - 1)
}

/// Numbers that look random, the same in each run: the output step of splitmix.
fn random(mut n: u64) -> u64 {
    n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}
