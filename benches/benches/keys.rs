//! Limiters that may keep one key, ten thousand and a million: how long a call takes whose key is known, how slow the slowest
//! are when most calls bring new keys, so that others are evicted, and how many bytes a key takes. Beside ours governor's,
//! which keeps every key.
//!
//! Prints JSON: `cargo xtask bench keys` reads it. `--keys N` takes another number than a million.

use std::{env, hint::black_box, num::NonZeroU32};

use allocation_counter::measure;
use resilience::Clock;
use resilience_benches::{Quota, Spread, Tail, pace};
use serde::Serialize;

/// Calls at least, however few keys there are.
const CALLS: u64 = 400_000;

/// How keys come: the n-th of so many different ones.
type Draw = fn(u64, u64) -> u64;

#[derive(Serialize)]
struct Crowd {
    name: &'static str,
    draw: &'static str,
    /// How many it may keep.
    most: u32,
    /// Of a call whose key is known.
    nanos: Spread,
    /// Of calls with four times as many keys.
    tail: Tail,
    /// Keys that are kept at the end.
    keys: u64,
    evicted: u64,
    /// Per key that is kept, at the end.
    bytes: f64,
}

/// The keys of the calls, made before anything is measured.
struct Keys {
    /// All that fit.
    full: Vec<u64>,
    /// Drawn from those.
    known: Vec<u64>,
    /// Drawn from four times as many.
    any: Vec<u64>,
}

fn main() {
    let most = env::args().skip_while(|argument| argument != "--keys").nth(1);
    let most = most.map_or(1_000_000, |most| most.parse().expect("--keys takes a number"));
    let draws = [("uniform", uniform as Draw), ("Zipf", zipf)];
    let scenes = [1, 10_000, most].into_iter().flat_map(|most| draws.map(|draw| (most, draw)));
    let crowds: Vec<_> = scenes.flat_map(|(most, draw)| crowds(most, draw)).collect();
    println!("{}", serde_json::to_string(&crowds).expect("plain numbers"));
}

fn crowds(most: u32, (draw, key): (&'static str, Draw)) -> [Crowd; 2] {
    let comers = 4 * u64::from(most);
    let calls = comers.max(CALLS);
    let drawn = |from| (0..calls).map(|n| key(n, from)).collect();
    let keys = Keys { full: (0..most.into()).collect(), known: drawn(most.into()), any: drawn(comers) };
    [resilience(most, draw, &keys), governor(most, draw, &keys)]
}

fn resilience(most: u32, draw: &'static str, keys: &Keys) -> Crowd {
    let limiter = Quota::PLENTY.keyed(&Clock::system(), most);
    assert!(keys.full.iter().all(|key| limiter.try_acquire(key).is_ok()), "new keys are full");
    let nanos = pace(&keys.known, |key| black_box(&limiter.try_acquire(&key)).is_ok());
    let snapshot = limiter.snapshot();
    assert_eq!((snapshot.evicted, snapshot.keys), (0, most.into()), "all keys were known");

    let (mut limiter, mut tail) = (None, None);
    // Nobody's permits come back meanwhile, so no key is full again and free to be forgotten.
    let used = measure(|| {
        let limiter = limiter.insert(Quota::SCARCE.keyed(&Clock::system(), most));
        for key in &keys.full {
            limiter.try_acquire(key).expect("new keys are full");
        }
        tail = Some(Tail::of(&keys.any, |key| _ = black_box(limiter.try_acquire(&key))));
    });
    let snapshot = limiter.expect("just made").snapshot();
    assert!(snapshot.evicted > u64::from(most) / 2 && snapshot.keys == u64::from(most), "{snapshot:?}");
    Crowd {
        name: "resilience",
        draw,
        most,
        nanos,
        tail: tail.expect("just measured"),
        keys: snapshot.keys,
        evicted: snapshot.evicted,
        bytes: used.bytes_current as f64 / snapshot.keys as f64,
    }
}

fn governor(most: u32, draw: &'static str, keys: &Keys) -> Crowd {
    let keyed = governor::DefaultKeyedRateLimiter::keyed;
    let governor = keyed(governor::Quota::per_second(NonZeroU32::new(Quota::PLENTY.permits).expect("more than none")));
    assert!(keys.full.iter().all(|key| governor.check_key(key).is_ok()), "new keys are full");
    let nanos = pace(&keys.known, |key| black_box(&governor.check_key(&key)).is_ok());
    assert_eq!(governor.len(), keys.full.len(), "all keys were known");

    let (mut governor, mut tail) = (None, None);
    let used = measure(|| {
        let governor = governor.insert(keyed(governor::Quota::per_hour(NonZeroU32::MIN))); // as `Quota::SCARCE`
        for key in &keys.full {
            governor.check_key(key).expect("new keys are full");
        }
        tail = Some(Tail::of(&keys.any, |key| _ = black_box(governor.check_key(&key))));
    });
    let keys = governor.expect("just made").len() as u64;
    let bytes = used.bytes_current as f64 / keys as f64;
    Crowd { name: "governor", draw, most, nanos, tail: tail.expect("just measured"), keys, evicted: 0, bytes }
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
