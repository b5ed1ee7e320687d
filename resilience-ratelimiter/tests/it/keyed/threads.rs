//! Many threads, many keys, the real clock.

use std::{
    sync::{
        Barrier,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use resilience_core::Clock;
use resilience_ratelimiter::{AtBound, Config, KeyedRateLimiter};

use super::{Duration, MS};

/// How long a test takes.
const TIME: Duration = Duration::from_millis(360);

/// A random walk (xorshift), the same in each run.
fn walk(seed: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(seed * 2 + 1), |x| {
        let x = x ^ (x << 13);
        let x = x ^ (x >> 7);
        Some(x ^ (x << 17))
    })
}

/// Lets eight threads ask for random keys for a while, for a quarter of them at a time; returns how often each was
/// admitted, and the time it took.
fn hammer(limiter: &KeyedRateLimiter<u64>, keys: u64, also: impl Fn() + Sync) -> (Vec<u64>, Duration) {
    let clock = Clock::system();
    let admitted: Vec<_> = (0..keys).map(|_| AtomicU64::new(0)).collect();
    let start = Barrier::new(9);
    let begin = clock.now();
    thread::scope(|scope| {
        for seed in 0..8 {
            let (admitted, start, clock) = (&admitted, &start, &clock);
            scope.spawn(move || {
                start.wait();
                for random in walk(seed) {
                    let passed = clock.now().since(begin);
                    if passed > TIME {
                        break;
                    }
                    let quarter = (passed.as_nanos() / (TIME / 12).as_nanos()) as u64 * keys / 4;
                    let key = (quarter + random % (keys / 4)) % keys;
                    if limiter.try_acquire(&key).is_ok() {
                        admitted[key as usize].fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        start.wait();
        while clock.now().since(begin) < TIME {
            also();
            thread::yield_now();
        }
    });
    let took = clock.now().since(begin);
    (admitted.into_iter().map(AtomicU64::into_inner).collect(), took)
}

#[test]
fn no_key_gets_more_than_its_rate_while_keys_come_and_go() {
    // Half of them have room at a time. Those that are not asked for are full again after 20 ms.
    let builder = KeyedRateLimiter::builder().permits(5).period(20 * MS).max_keys(100);
    let limiter = builder.build().unwrap();
    let (admitted, took) = hammer(&limiter, 200, || {
        let snapshot = limiter.snapshot();
        assert!(snapshot.keys <= 100, "{snapshot:?}");
    });
    let most = 5 + took.as_nanos() as u64 / (4 * MS.as_nanos() as u64) + 1;
    assert!(admitted.iter().all(|calls| *calls <= most), "more than {most}: {admitted:?}");
    let snapshot = limiter.snapshot();
    assert!(snapshot.forgotten > 0 && snapshot.evicted == 0, "{snapshot:?}");
    limiter.clear();
    assert_eq!(limiter.snapshot().keys, 0);
}

#[test]
fn the_bound_holds_while_keys_are_evicted_removed_and_changed() {
    let builder = KeyedRateLimiter::builder().permits(5).period(Duration::from_secs(60)).max_keys(300);
    let limiter = builder.at_bound(AtBound::EvictOldest).build().unwrap();
    let next = AtomicU64::new(0);
    hammer(&limiter, 1_000, || {
        let n = next.fetch_add(1, Ordering::Relaxed);
        limiter.remove(&(n % 1_000));
        limiter.reconfigure(Config { permits: 5 + (n % 2) as u32, ..limiter.config() }).unwrap();
        let snapshot = limiter.snapshot();
        assert!(snapshot.keys <= 300, "{snapshot:?}");
    });
    let snapshot = limiter.snapshot();
    let known = (0..1_000).filter(|key| limiter.available_permits(key) < snapshot.permits).count() as u64;
    assert_eq!(snapshot.keys, known);
    assert!(snapshot.evicted > 0 && snapshot.refused_at_bound == 0, "{snapshot:?}");
    assert_eq!((0..1_000).filter(|key| limiter.remove(key)).count() as u64, known);
    assert_eq!(limiter.snapshot().keys, 0);
}
