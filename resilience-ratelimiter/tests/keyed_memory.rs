//! A keyed limiter at its bound: the memory is flat, a `u64` key takes at most 64 bytes, and known keys take no block.
#![cfg(not(loom))]

use std::{hint::black_box, time::Duration};

use allocation_counter::measure;
use resilience_core::ManualClock;
use resilience_ratelimiter::{AtBound, KeyedRateLimiter};

/// Numbers that look random (splitmix), the same in each run.
fn random(mut n: u64) -> u64 {
    n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

/// Each key as likely as any other.
fn uniform(n: u64, keys: u64) -> u64 {
    random(n) % keys
}

/// The k-th key 1 / k times as likely as the first.
fn zipf(n: u64, keys: u64) -> u64 {
    let share = random(n) as f64 / u64::MAX as f64;
    ((keys as f64).powf(share) as u64).min(keys - 1)
}

fn limiter(clock: &ManualClock, max_keys: u32) -> KeyedRateLimiter<u64> {
    let builder = KeyedRateLimiter::builder().permits(5).period(Duration::from_secs(100_000_000)).clock(clock);
    builder.max_keys(max_keys).at_bound(AtBound::EvictOldest).build().unwrap()
}

/// Bytes per key once the limiter is full, and after twice as many calls of which many bring new keys.
fn bytes_per_key(max_keys: u32, key: impl Fn(u64, u64) -> u64) -> (f64, f64) {
    let clock = ManualClock::new();
    let keys = u64::from(max_keys);
    let mut limiter = None;
    let filled = measure(|| {
        let limiter = limiter.insert(self::limiter(&clock, max_keys));
        (0..keys).for_each(|key| limiter.try_acquire(&key).unwrap());
    });
    let limiter = limiter.expect("just made");
    let later = measure(|| {
        for n in 0..2 * keys {
            clock.advance(Duration::from_millis(1));
            _ = black_box(limiter.try_acquire(&key(n, 4 * keys)));
        }
    });
    let snapshot = limiter.snapshot();
    assert!(snapshot.evicted > keys / 10 && snapshot.keys == keys, "{snapshot:?}");
    let per_key = |bytes| bytes as f64 / keys as f64;
    let most = per_key(filled.bytes_current as u64 + later.bytes_max);
    assert!(most <= 64.0, "{most} bytes per key at times, while a table is made anew");
    (per_key(filled.bytes_current as u64), per_key((filled.bytes_current + later.bytes_current) as u64))
}

#[test]
fn a_million_keys_take_at_most_64_bytes_each_and_the_memory_is_flat() {
    for (name, key) in [("uniform", uniform as fn(u64, u64) -> u64), ("zipf", zipf)] {
        let (filled, later) = bytes_per_key(1_000_000, key);
        println!("1 000 000 keys, {name}: {filled:.1} bytes per key when full, {later:.1} later");
        assert!(filled <= 64.0 && later <= 64.0, "{name}: {filled} and {later} bytes per key");
        assert!(later - filled < 1.0, "{name}: from {filled} to {later} bytes per key");
    }
}

#[test]
fn other_bounds_take_at_most_64_bytes_per_key_too() {
    for max_keys in [5_000, 30_000, 100_000] {
        let (filled, later) = bytes_per_key(max_keys, uniform);
        println!("{max_keys} keys: {filled:.1} bytes per key when full, {later:.1} later");
        assert!(later <= 64.0, "{max_keys}: {later} bytes per key");
    }
}

#[test]
fn a_cleared_limiter_gives_its_memory_back() {
    let limiter = limiter(&ManualClock::new(), 10_000);
    let used = measure(|| {
        (0..10_000).for_each(|key| limiter.try_acquire(&key).unwrap());
        limiter.clear();
    });
    assert!(used.bytes_max > 300_000);
    assert_eq!(used.bytes_current, 0);
}

#[test]
fn known_keys_take_no_block_nor_do_those_without_room() {
    let clock = ManualClock::new();
    let builder = KeyedRateLimiter::builder().permits(5).period(Duration::from_secs(1)).clock(&clock).max_keys(2);
    let limiter: KeyedRateLimiter<String> = builder.build().unwrap();
    for key in ["alice", "bob"] {
        limiter.try_acquire(key).unwrap();
    }
    assert_ne!(measure(|| drop(black_box("alice".to_owned()))).count_total, 0, "the counter counts");
    let used = measure(|| {
        for _ in 0..100 {
            for key in ["alice", "bob", "carol"] {
                _ = black_box(limiter.try_acquire(key));
                _ = black_box(limiter.try_acquire_n(key, 2));
                _ = black_box(limiter.execute(key, || Ok::<_, ()>(())));
                _ = black_box((limiter.available_permits(key), limiter.would_admit(key, 2)));
                limiter.refund(key, 1);
            }
        }
    });
    assert_eq!(used.count_total, 0);
    assert!(limiter.snapshot().refused_at_bound > 0);
}
