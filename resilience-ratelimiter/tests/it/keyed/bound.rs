//! How many keys there may be, and what happens then.

use resilience_core::{Code, ManualClock};
use resilience_ratelimiter::{AtBound, KeyedRateLimiter};

use super::{Duration, MS, SECOND, Wait, builder, drain, limiter, poll};

const HOUR: Duration = Duration::from_secs(3_600);

fn bounded(clock: &ManualClock, max_keys: u32, at_bound: AtBound) -> KeyedRateLimiter<u64> {
    builder(clock, 2, HOUR, HOUR).max_keys(max_keys).at_bound(at_bound).build().unwrap()
}

#[test]
fn a_new_key_without_room_is_rejected_and_known_ones_are_not() {
    let clock = ManualClock::new();
    let limiter = bounded(&clock, 3, AtBound::Reject);
    for key in 0..3 {
        limiter.try_acquire(&key).unwrap();
    }
    for waits in [false, true] {
        let rejection = if waits { limiter.acquire(&3) } else { limiter.try_acquire(&3) }.unwrap_err();
        assert_eq!((rejection.code(), rejection.retry_after()), (Code::RateLimitExceeded, None));
        assert_eq!(rejection.instance().as_str(), "test");
    }
    assert!(!limiter.would_admit(&3, 1) && limiter.would_admit(&3, 0) && limiter.would_admit(&2, 1));
    assert_eq!(limiter.available_permits(&3), 2);
    assert!(limiter.try_acquire(&0).is_ok());
    let snapshot = limiter.snapshot();
    assert_eq!((snapshot.keys, snapshot.max_keys, snapshot.at_bound), (3, 3, AtBound::Reject));
    assert_eq!((snapshot.forgotten, snapshot.evicted, snapshot.refused_at_bound), (0, 0, 2));

    // The least used is full again after half an hour, and makes room.
    clock.advance(HOUR / 2 - Duration::from_nanos(1));
    assert!(limiter.try_acquire(&3).is_err());
    clock.advance(Duration::from_nanos(1));
    assert!(limiter.would_admit(&3, 1));
    assert!(limiter.try_acquire(&3).is_ok() && limiter.try_acquire(&4).is_ok());
    assert_eq!((limiter.snapshot().keys, limiter.snapshot().forgotten), (3, 2));
    assert_eq!(limiter.available_permits(&0), 1, "the one that was used twice is still there");
    assert!(limiter.remove(&4) && limiter.try_acquire(&5).is_ok() && limiter.try_acquire(&6).is_err());
}

#[test]
fn the_one_that_was_not_asked_for_longest_is_evicted() {
    let clock = ManualClock::new();
    let limiter = bounded(&clock, 4, AtBound::EvictOldest);
    for key in 0..4 {
        drain(&limiter, &key);
        clock.advance(10 * MS);
    }
    assert!(limiter.try_acquire(&0).is_err()); // asked is asked
    clock.advance(10 * MS);
    for new in 4..100 {
        drain(&limiter, &new);
        // 1, 2, 3, 0, 4, 5, ..
        let gone = [1, 2, 3, 0].into_iter().chain(4..).take(new as usize - 3);
        assert!(gone.clone().all(|key| limiter.available_permits(&key) == 2), "all that are gone are as new");
        let kept = (0..=new).filter(|key| limiter.available_permits(key) == 0);
        assert_eq!(kept.count(), 4);
        assert_eq!((limiter.snapshot().keys, limiter.snapshot().evicted), (4, new - 3));
        clock.advance(10 * MS);
    }
    assert_eq!((limiter.snapshot().forgotten, limiter.snapshot().refused_at_bound), (0, 0));
}

#[test]
fn those_that_are_waited_for_are_evicted_last() {
    let clock = ManualClock::new();
    let limiter = bounded(&clock, 3, AtBound::EvictOldest);
    let mut waits = Vec::new();
    for key in &[0, 1] {
        drain(&limiter, key);
        let mut wait: Wait<'_> = Box::pin(limiter.acquire_async(key));
        assert!(poll(&mut wait).is_pending());
        waits.push(wait);
        clock.advance(10 * MS);
    }
    for new in 2..10 {
        drain(&limiter, &new);
        clock.advance(10 * MS);
        assert_eq!((limiter.snapshot_of(&0).waiting, limiter.snapshot_of(&1).waiting), (1, 1));
    }
    assert_eq!(limiter.snapshot().evicted, 7);
    // Nobody else is left: then the older of them goes, and its waiter keeps its start.
    let third = bounded(&clock, 2, AtBound::EvictOldest);
    let keys = [0, 1];
    let mut waits: Vec<Wait<'_>> = Vec::new();
    for key in &keys {
        drain(&third, key);
        waits.push(Box::pin(third.acquire_async(key)));
        assert!(poll(waits.last_mut().unwrap()).is_pending());
        clock.advance(10 * MS);
    }
    drain(&third, &2);
    assert_eq!((third.snapshot_of(&0).waiting, third.snapshot_of(&1).waiting), (0, 1));
    clock.advance(HOUR / 2 - 20 * MS);
    assert!(poll(&mut waits[0]).is_ready() && poll(&mut waits[1]).is_pending());
}

#[test]
fn full_keys_leave_before_others_are_evicted() {
    let clock = ManualClock::new();
    let limiter = bounded(&clock, 8, AtBound::EvictOldest);
    limiter.try_acquire_n(&0, 2).unwrap();
    for key in 1..8 {
        limiter.try_acquire(&key).unwrap();
    }
    clock.advance(HOUR / 2); // all but the oldest are full
    for key in 8..15 {
        limiter.try_acquire(&key).unwrap();
        assert_eq!(limiter.available_permits(&0), 1);
    }
    assert_eq!((limiter.snapshot().forgotten, limiter.snapshot().evicted), (7, 0));
}

#[test]
fn an_impossible_call_evicts_nobody() {
    let limiter = bounded(&ManualClock::new(), 1, AtBound::EvictOldest);
    drain(&limiter, &0);
    assert_eq!(limiter.try_acquire_n(&1, 3).unwrap_err().code(), Code::TooManyPermits);
    limiter.try_acquire_n(&1, 0).unwrap();
    assert!(limiter.would_admit(&1, 2));
    assert_eq!((limiter.available_permits(&0), limiter.snapshot().evicted), (0, 0));
}

#[test]
fn idle_keys_are_forgotten_on_the_way_of_new_ones() {
    let clock = ManualClock::new();
    let limiter: KeyedRateLimiter<u64> = limiter(&clock, 1, MS, Duration::ZERO);
    for key in 0..1_000 {
        limiter.try_acquire(&key).unwrap();
    }
    clock.advance(SECOND);
    for key in 1_000..2_000 {
        limiter.try_acquire(&key).unwrap();
    }
    assert_eq!(limiter.snapshot().keys, 2_000, "they are full, but may come back");
    clock.advance(60 * SECOND);
    limiter.try_acquire(&0).unwrap();
    clock.advance(10 * SECOND);
    for key in 2_000..4_000 {
        limiter.try_acquire(&key).unwrap();
    }
    let snapshot = limiter.snapshot();
    assert!((2_001..2_100).contains(&snapshot.keys), "{snapshot:?}");
    assert_eq!(snapshot.keys + snapshot.forgotten, 4_000);
    limiter.try_acquire(&0).unwrap();
    assert_eq!(limiter.snapshot().keys, snapshot.keys, "it was asked for ten seconds ago");
}

#[test]
fn the_bound_is_exact_over_many_shards() {
    let clock = ManualClock::new();
    for at_bound in [AtBound::Reject, AtBound::EvictOldest] {
        let limiter = bounded(&clock, 10_000, at_bound);
        let admitted = (0..20_000).filter(|key| limiter.try_acquire(key).is_ok()).count() as u64;
        let snapshot = limiter.snapshot();
        assert_eq!((snapshot.keys, snapshot.forgotten), (10_000, 0));
        match at_bound {
            AtBound::Reject => assert_eq!((admitted, snapshot.refused_at_bound), (10_000, 10_000)),
            AtBound::EvictOldest => assert_eq!((admitted, snapshot.evicted), (20_000, 10_000)),
        }
        let known = (0..20_000).filter(|key| limiter.available_permits(key) < 2).count();
        assert_eq!(known, 10_000);
        limiter.clear();
        assert_eq!(limiter.snapshot().keys, 0);
    }
}
