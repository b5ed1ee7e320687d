//! Keys, hashers and quota functions with a will of their own: none runs where it could do harm.

use std::{
    hash::{BuildHasher, Hash, Hasher},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use resilience_core::ManualClock;
use resilience_ratelimiter::{AtBound, KeyedRateLimiter, Quota};

use super::{Duration, MS, SECOND, builder, drain};

/// All hashes are the same one.
#[derive(Clone, Copy)]
struct Same;

impl BuildHasher for Same {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        *self
    }
}

impl Hasher for Same {
    fn finish(&self) -> u64 {
        7
    }

    fn write(&mut self, _: &[u8]) {}
}

#[test]
fn keys_of_one_hash_are_told_apart() {
    let clock = ManualClock::new();
    let builder = builder(&clock, 2, SECOND, Duration::ZERO).max_keys(300).hasher(Same);
    let limiter: KeyedRateLimiter<u64, _> = builder.build().unwrap();
    for round in 1..=2 {
        for key in 0..300 {
            assert_eq!(limiter.try_acquire(&key).is_ok(), limiter.available_permits(&key) < 2);
            assert_eq!(limiter.available_permits(&key), 2 - round);
        }
    }
    assert!(limiter.try_acquire(&300).is_err());
    for key in (0..300).step_by(3) {
        assert!(limiter.remove(&key) && !limiter.remove(&key));
    }
    for key in 0..300 {
        assert_eq!(limiter.available_permits(&key), if key % 3 == 0 { 2 } else { 0 });
    }
    clock.advance(SECOND);
    // All are full, and each search goes on where the last one ended: so ten of them find the very last one.
    assert!((300..600).all(|key| (0..10).any(|_| limiter.try_acquire(&key).is_ok())));
    assert_eq!(limiter.snapshot().keys, 300);
}

/// A key that panics, or calls back into its limiter, when it is told to.
#[derive(Debug)]
struct Odd {
    id: u32,
    home: Arc<Home>,
}

#[derive(Debug, Default)]
struct Home {
    limiter: OnceLock<Weak<KeyedRateLimiter<Odd>>>,
    clone_panics: AtomicBool,
    eq_panics: AtomicBool,
    drop_panics: AtomicBool,
    alive: AtomicU32,
}

impl Home {
    fn key(self: &Arc<Self>, id: u32) -> Odd {
        self.alive.fetch_add(1, Ordering::Relaxed);
        Odd { id, home: Arc::clone(self) }
    }

    /// Whatever locks the shard of the key.
    fn call_back(&self, key: &Odd) {
        if let Some(limiter) = self.limiter.get().and_then(Weak::upgrade) {
            limiter.refund(key, 0);
        }
    }
}

impl Clone for Odd {
    fn clone(&self) -> Self {
        self.home.call_back(self);
        assert!(!self.home.clone_panics.load(Ordering::Relaxed), "no clone");
        self.home.key(self.id)
    }
}

impl PartialEq for Odd {
    fn eq(&self, other: &Self) -> bool {
        assert!(!self.home.eq_panics.load(Ordering::Relaxed), "no comparison");
        self.id == other.id
    }
}

impl Eq for Odd {}

impl Hash for Odd {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Drop for Odd {
    fn drop(&mut self) {
        self.home.alive.fetch_sub(1, Ordering::Relaxed);
        self.home.call_back(self);
        let panics = self.home.drop_panics.load(Ordering::Relaxed) && !std::thread::panicking();
        assert!(!panics, "no end");
    }
}

fn odd(clock: &ManualClock, at_bound: AtBound) -> (Arc<Home>, Arc<KeyedRateLimiter<Odd>>) {
    let home = Arc::new(Home::default());
    let builder = builder(clock, 2, SECOND, Duration::ZERO).max_keys(4).at_bound(at_bound);
    let asked = Arc::clone(&home);
    let builder = builder.quota(move |key: &Odd| {
        asked.call_back(key);
        None
    });
    let limiter = Arc::new(builder.build().unwrap());
    home.limiter.set(Arc::downgrade(&limiter)).unwrap();
    (home, limiter)
}

#[test]
fn keys_may_call_back_when_they_are_cloned_and_dropped() {
    let clock = ManualClock::new();
    let (home, limiter) = odd(&clock, AtBound::EvictOldest);
    for id in 0..20 {
        let key = home.key(id);
        assert!(limiter.try_acquire(&key).is_ok() && limiter.acquire(&key).is_ok() && limiter.acquire(&key).is_err());
        clock.advance(if id < 10 { 10 * MS } else { SECOND });
    }
    assert_eq!((limiter.snapshot().evicted, limiter.snapshot().forgotten), (7, 12));
    assert_eq!(home.alive.load(Ordering::Relaxed), 1);
    limiter.remove(&home.key(19));
    limiter.clear();
    assert_eq!(home.alive.load(Ordering::Relaxed), 0);
}

#[test]
fn panics_of_keys_reach_the_caller_and_leave_the_limiter_whole() {
    let clock = ManualClock::new();
    let (home, limiter) = odd(&clock, AtBound::EvictOldest);
    let panics = |flag: &AtomicBool, call: &dyn Fn()| {
        flag.store(true, Ordering::Relaxed);
        let caught = catch_unwind(AssertUnwindSafe(call));
        flag.store(false, Ordering::Relaxed);
        assert!(caught.is_err());
    };
    let keys: Vec<_> = (0..10).map(|id| home.key(id)).collect();
    for key in &keys[..4] {
        drain(&limiter, key);
        clock.advance(10 * MS);
    }
    panics(&home.eq_panics, &|| _ = limiter.try_acquire(&keys[0]));
    panics(&home.eq_panics, &|| _ = limiter.acquire(&keys[0]));
    assert_eq!((limiter.snapshot().keys, limiter.snapshot().evicted), (4, 0));
    panics(&home.clone_panics, &|| _ = limiter.try_acquire(&keys[4]));
    assert_eq!((limiter.snapshot().keys, limiter.snapshot().evicted), (4, 0));
    assert_eq!(limiter.available_permits(&keys[4]), 2, "it got nothing");

    // The evicted key panics: its place is free again.
    panics(&home.drop_panics, &|| _ = limiter.try_acquire(&keys[4]));
    assert_eq!((limiter.snapshot().keys, limiter.snapshot().evicted), (3, 1));
    assert_eq!((limiter.available_permits(&keys[0]), limiter.available_permits(&keys[1])), (2, 0));
    panics(&home.drop_panics, &|| _ = limiter.remove(&keys[1]));
    assert_eq!((limiter.snapshot().keys, limiter.available_permits(&keys[1])), (2, 2));

    for key in &keys[6..] {
        drain(&limiter, key);
        clock.advance(10 * MS);
    }
    assert!(keys[6..].iter().all(|key| limiter.available_permits(key) == 0));
    assert_eq!((limiter.snapshot().keys, limiter.snapshot().evicted), (4, 3));
    drop(keys);
    assert_eq!(home.alive.load(Ordering::Relaxed), 4);
}

#[test]
fn a_quota_function_that_panics_takes_nothing() {
    let clock = ManualClock::new();
    let builder = builder(&clock, 2, SECOND, SECOND).max_keys(2);
    let limiter = builder
        .quota(|key: &u64| match key {
            7 => panic!("no quota"),
            _ => Some(Quota::new(1, SECOND).unwrap()),
        })
        .build()
        .unwrap();
    limiter.try_acquire(&1).unwrap();
    for _ in 0..5 {
        assert!(catch_unwind(AssertUnwindSafe(|| limiter.try_acquire(&7))).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| limiter.acquire(&7))).is_err());
    }
    assert!(limiter.try_acquire(&2).is_ok(), "the second place is still there");
    assert_eq!(limiter.snapshot().keys, 2);
}
