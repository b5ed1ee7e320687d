//! Every schedule of a few threads on one limiter. Run with `cargo xtask loom`.
#![cfg(loom)]

use std::{
    pin::Pin,
    task::{Context, Waker},
    time::Duration,
};

use loom::{sync::Arc, thread};
use resilience_core::ManualClock;
use resilience_ratelimiter::{AtBound, Config, KeyedRateLimiter, RateLimiter};

fn limiter(clock: &ManualClock, permits: u32, max_wait: u64) -> Arc<RateLimiter> {
    let builder = RateLimiter::builder().permits(permits).period(Duration::from_secs(1));
    Arc::new(builder.max_wait(Duration::from_secs(max_wait)).clock(clock).build().unwrap())
}

#[test]
fn two_threads_never_share_a_permit() {
    loom::model(|| {
        let limiter = limiter(&ManualClock::new(), 2, 0);
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let limiter = Arc::clone(&limiter);
                thread::spawn(move || (0..2).filter(|_| limiter.try_acquire().is_ok()).count())
            })
            .collect();
        let admitted: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(admitted, 2);
        assert_eq!(limiter.available_permits(), 0);
    });
}

#[test]
fn a_waiter_that_gives_up_beside_a_newcomer_loses_no_permit() {
    loom::model(|| {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, 1, 10);
        limiter.try_acquire().unwrap();
        let wait = |limiter: Arc<RateLimiter>| {
            let mut future: Pin<Box<_>> = Box::pin(limiter.acquire_async());
            _ = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        };
        let other = {
            let limiter = Arc::clone(&limiter);
            thread::spawn(move || wait(limiter))
        };
        wait(Arc::clone(&limiter));
        other.join().unwrap();
        assert_eq!(limiter.snapshot().waiting, 0);
        assert_eq!(clock.pending_tasks(), 0);
        clock.advance(Duration::from_secs(1));
        assert_eq!(limiter.available_permits(), 1);
    });
}

fn config(permits: u32, period: u64) -> Config {
    Config { permits, period: Duration::from_secs(period), ..Config::default() }
}

/// Changes touch a dozen words, so not every schedule can be tried: all that switch threads only so often where they
/// need not.
fn switching(times: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(times);
    builder.check(model);
}

/// Law 5: whatever is used stays used, in permits, whichever came first.
#[test]
fn a_permit_taken_beside_a_change_is_neither_lost_nor_doubled() {
    switching(1, || {
        let limiter = limiter(&ManualClock::new(), 4, 0);
        let caller = {
            let limiter = Arc::clone(&limiter);
            thread::spawn(move || u32::from(limiter.try_acquire().is_ok()))
        };
        limiter.reconfigure(config(5, 5)).unwrap();
        let taken = caller.join().unwrap();
        assert_eq!(taken, 1);
        assert_eq!(limiter.available_permits(), 4);
    });
}

#[test]
fn a_waiter_that_gives_up_beside_a_change_gives_back_one_permit() {
    switching(2, || {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, 1, 10);
        limiter.try_acquire().unwrap();
        let reservation = limiter.reserve(1).unwrap();
        let change = {
            let limiter = Arc::clone(&limiter);
            thread::spawn(move || {
                limiter.reconfigure(Config { max_wait: Duration::from_secs(10), ..config(1, 2) }).unwrap();
            })
        };
        drop(reservation);
        change.join().unwrap();
        assert_eq!((limiter.snapshot().waiting, limiter.available_permits()), (0, 0));
        clock.advance(Duration::from_secs(2));
        assert_eq!(limiter.available_permits(), 1);
    });
}

/// Two threads bring a key each to a keyed limiter with one permit per key; how many were let in, and how many keys
/// there are then.
fn bring(keys: [u64; 2], max_keys: u32, at_bound: AtBound) -> (usize, u64) {
    let builder = KeyedRateLimiter::builder().permits(1).clock(&ManualClock::new());
    let limiter = Arc::new(builder.max_keys(max_keys).at_bound(at_bound).build().unwrap());
    let threads = keys.map(|key| {
        let limiter = Arc::clone(&limiter);
        thread::spawn(move || limiter.try_acquire(&key).is_ok())
    });
    let admitted = threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|admitted| *admitted).count();
    let known = keys.iter().filter(|key| limiter.available_permits(*key) == 0).count();
    assert!(known > 0 && limiter.snapshot().keys <= max_keys.into());
    (admitted, limiter.snapshot().keys)
}

#[test]
fn a_key_that_two_threads_bring_is_one_key() {
    loom::model(|| assert_eq!(bring([7, 7], 2, AtBound::Reject), (1, 1)));
}

#[test]
fn two_keys_never_share_the_last_place() {
    loom::model(|| assert_eq!(bring([7, 8], 1, AtBound::Reject), (1, 1)));
    loom::model(|| assert_eq!(bring([7, 8], 2, AtBound::Reject), (2, 2)));
    loom::model(|| {
        let (admitted, keys) = bring([7, 8], 1, AtBound::EvictOldest);
        assert!((1..=2).contains(&admitted) && keys == 1);
    });
}
