//! Keys with a rate of their own.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use resilience_core::{Code, ManualClock};
use resilience_ratelimiter::{Config, KeyedRateLimiter, Quota};

use super::{Duration, MS, SECOND, Wait, builder, drain, poll};
use crate::retry_after;

#[test]
fn a_key_has_the_quota_it_is_given_or_that_of_all() {
    let clock = ManualClock::new();
    let gold = Quota::new(4, 2 * SECOND).unwrap();
    let builder = builder(&clock, 1, SECOND, Duration::ZERO);
    let limiter = builder.quota(move |key: &String| key.starts_with("gold").then(|| gold.clone())).build().unwrap();
    let of = |key: &str| (limiter.snapshot_of(key).permits, limiter.snapshot_of(key).period);
    assert_eq!((of("gold-a"), of("b")), ((4, 2 * SECOND), (1, SECOND)));
    assert_eq!((limiter.available_permits("gold-a"), limiter.available_permits("b")), (4, 1));
    assert!(limiter.would_admit("gold-a", 4) && !limiter.would_admit("gold-a", 5) && !limiter.would_admit("b", 2));
    assert_eq!(limiter.try_acquire_n("gold-a", 5).unwrap_err().code(), Code::TooManyPermits);
    assert_eq!(limiter.try_acquire_n("b", 2).unwrap_err().code(), Code::TooManyPermits);
    assert_eq!(limiter.snapshot().keys, 0);

    limiter.try_acquire_n("gold-a", 4).unwrap();
    limiter.try_acquire("b").unwrap();
    assert_eq!(retry_after(limiter.try_acquire("gold-a")), 500 * MS);
    assert_eq!(retry_after(limiter.try_acquire("b")), SECOND);

    // A change of the rate for all is none for those with one of their own; whether the limiter limits, is.
    limiter.reconfigure(Config { permits: 3, ..limiter.config() }).unwrap();
    assert_eq!((of("gold-a"), of("b")), ((4, 2 * SECOND), (3, SECOND)));
    assert_eq!((limiter.available_permits("gold-a"), limiter.available_permits("b")), (0, 2));
    limiter.reconfigure(Config { enabled: false, ..limiter.config() }).unwrap();
    assert!(limiter.try_acquire_n("gold-a", 5).is_ok());
}

#[test]
fn the_quota_is_asked_for_once_per_key_that_is_kept() {
    let clock = ManualClock::new();
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let builder = builder(&clock, 5, SECOND, SECOND).quota(move |_: &u64| {
        count.fetch_add(1, Ordering::Relaxed);
        None
    });
    let limiter = builder.build().unwrap();
    for _ in 0..7 {
        limiter.acquire(&1).unwrap();
    }
    limiter.refund(&1, 1);
    assert_eq!((limiter.available_permits(&1), limiter.snapshot_of(&1).waiting), (1, 0));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    limiter.remove(&1);
    limiter.acquire(&1).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[test]
fn a_quota_that_is_refreshed_carries_over_what_is_used_and_promised() {
    let clock = ManualClock::new();
    let plan = Arc::new(Mutex::new(None));
    let current = Arc::clone(&plan);
    let builder = builder(&clock, 10, SECOND, SECOND).quota(move |_: &String| current.lock().unwrap().clone());
    let limiter: KeyedRateLimiter<String> = builder.build().unwrap();
    limiter.try_acquire_n("a", 4).unwrap();

    let large = Quota::new(20, SECOND).unwrap();
    *plan.lock().unwrap() = Some(large.clone());
    limiter.refresh_quota("a");
    limiter.refresh_quota("a");
    limiter.refresh_quota("unknown");
    assert_eq!((limiter.available_permits("a"), limiter.snapshot().keys), (16, 1));

    drain(&limiter, "a");
    let mut wait: Wait<'_> = Box::pin(limiter.acquire_async_n("a", 5));
    assert!(poll(&mut wait).is_pending());
    *plan.lock().unwrap() = Some(Quota::new(10, SECOND).unwrap());
    limiter.refresh_quota("a");
    assert_eq!((limiter.available_permits("a"), limiter.snapshot_of("a").waiting), (0, 5));
    *plan.lock().unwrap() = None;
    limiter.refresh_quota("a");
    assert_eq!(limiter.snapshot_of("a").waiting, 5, "the same rate");
    clock.advance(250 * MS);
    assert!(poll(&mut wait).is_ready(), "it keeps its start");
    assert_eq!(retry_after(limiter.try_acquire("a")), 350 * MS, "and its permits");
}

#[test]
fn a_quota_is_valid_and_clones_are_equal() {
    let quota = Quota::new(7, SECOND).unwrap();
    assert_eq!((quota.clone(), quota.permits(), quota.period()), (quota.clone(), 7, SECOND));
    assert_ne!(quota, Quota::new(7, 2 * SECOND).unwrap());
    assert_eq!(format!("{quota:?}"), "Quota(7 per 1s)");
    for (permits, period, code) in [
        (0, SECOND, Code::CountBelowOne),
        (1, Duration::ZERO, Code::ZeroDuration),
        (2, Duration::from_nanos(1), Code::Contradiction),
        (1_000_000_001, 10 * SECOND, Code::OutOfRange),
        (1, Duration::MAX, Code::OutOfRange),
    ] {
        let error = Quota::new(permits, period).unwrap_err();
        assert_eq!(error.problems().iter().map(|it| it.code).collect::<Vec<_>>(), [code]);
    }
}
