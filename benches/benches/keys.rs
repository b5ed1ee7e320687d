//! A million keys in a limiter that may keep no more, and calls of which many bring new keys, so that others are evicted:
//! how slow the slowest calls are, and how many bytes a key takes. Beside it governor's, which keeps every key.
//!
//! Prints JSON: `cargo xtask bench keys` reads it. `--keys N` takes another number than a million.

use std::{env, hint::black_box, num::NonZeroU32};

use allocation_counter::measure;
use resilience::Clock;
use resilience_benches::{Quota, Tail};
use serde::Serialize;

/// How keys come: the n-th of so many different ones.
type Draw = fn(u64, u64) -> u64;

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
    let most = env::args().skip_while(|argument| argument != "--keys").nth(1);
    let most = most.map_or(1_000_000, |most| most.parse().expect("--keys takes a number"));
    let draws = [("uniform", uniform as Draw), ("Zipf", zipf)];
    let crowds: Vec<_> = draws.into_iter().flat_map(|draw| crowds(most, draw)).collect();
    println!("{}", serde_json::to_string(&crowds).expect("plain numbers"));
}

fn crowds(most: u32, (draw, key): (&'static str, Draw)) -> [Crowd; 2] {
    // Made before anything is measured: first all that fit, so that the limiter is full, then the draw.
    let full: Vec<u64> = (0..most.into()).collect();
    // As many calls, and as many different keys that may come.
    let comers = 4 * u64::from(most);
    let keys: Vec<u64> = (0..comers).map(|n| key(n, comers)).collect();
    [resilience(most, draw, &full, &keys), governor(draw, &full, &keys)]
}

fn resilience(most: u32, draw: &'static str, full: &[u64], keys: &[u64]) -> Crowd {
    let (mut limiter, mut tail) = (None, None);
    // Nobody's permits come back meanwhile, so no key is full again and free to be forgotten.
    let used = measure(|| {
        let limiter = limiter.insert(Quota::SCARCE.keyed(&Clock::system(), most));
        for key in full {
            limiter.try_acquire(key).expect("new keys are full");
        }
        tail = Some(Tail::of(keys, |key| _ = black_box(limiter.try_acquire(&key))));
    });
    let snapshot = limiter.expect("just made").snapshot();
    assert!(snapshot.evicted > u64::from(most) / 2 && snapshot.keys == u64::from(most), "{snapshot:?}");
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
fn uniform(n: u64, comers: u64) -> u64 {
    random(n) % comers
}

/// The k-th key 1 / k times as likely as the first.
fn zipf(n: u64, comers: u64) -> u64 {
    let share = random(n) as f64 / u64::MAX as f64;
    ((comers as f64).powf(share) as u64).min(comers - 1)
}

/// Numbers that look random, the same in each run: the output step of splitmix.
fn random(mut n: u64) -> u64 {
    n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}
