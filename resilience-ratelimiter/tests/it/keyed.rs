//! The limiter per key: each key as a limiter of its own, the bound, the quotas, and keys of all sorts.

mod agree;
mod bound;
mod foreign;
mod quota;
mod threads;

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use resilience_core::{CallOptions, Code, Events, Interrupt, ManualClock, Nanos, Rejection, event};
use resilience_ratelimiter::{
    Config, Event, KeyedRateLimiter,
    keyed::{Builder, KeyRef},
};

use crate::{MS, SECOND, retry_after};

type Wait<'a> = Pin<Box<dyn Future<Output = Result<(), Rejection>> + 'a>>;

fn poll(wait: &mut Wait<'_>) -> Poll<Result<(), Rejection>> {
    wait.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

fn builder<K>(clock: &ManualClock, permits: u32, period: Duration, max_wait: Duration) -> Builder<K> {
    KeyedRateLimiter::builder().name("test").permits(permits).period(period).max_wait(max_wait).clock(clock)
}

fn limiter<K: Send>(clock: &ManualClock, permits: u32, period: Duration, max_wait: Duration) -> KeyedRateLimiter<K> {
    builder(clock, permits, period, max_wait).build().expect("a valid configuration")
}

/// Uses all permits of a key.
fn drain<K: Send, Q: KeyRef<K> + ?Sized>(limiter: &KeyedRateLimiter<K>, key: &Q) {
    limiter.try_acquire_n(key, limiter.available_permits(key).into()).unwrap();
}

#[test]
fn keys_do_not_share_permits() {
    let clock = ManualClock::new();
    let limiter: KeyedRateLimiter<String> = limiter(&clock, 2, SECOND, Duration::ZERO);
    for key in ["alice", "bob"] {
        assert!(limiter.try_acquire(key).is_ok() && limiter.try_acquire(key).is_ok());
        assert_eq!(retry_after(limiter.try_acquire(key)), 500 * MS);
    }
    assert_eq!(limiter.available_permits("carol"), 2);
    assert_eq!(limiter.snapshot().keys, 2, "a look keeps no key");
    clock.advance(500 * MS);
    assert!(limiter.try_acquire("alice").is_ok());
    assert_eq!((limiter.available_permits("alice"), limiter.available_permits("bob")), (0, 1));
}

#[test]
fn keys_are_named_as_they_are_or_as_what_they_borrow_to() {
    let clock = ManualClock::new();
    let texts: KeyedRateLimiter<String> = limiter(&clock, 2, SECOND, Duration::ZERO);
    assert!(texts.try_acquire("a").is_ok() && texts.try_acquire(&"a".to_owned()).is_ok());
    assert_eq!((texts.available_permits("a"), texts.snapshot().keys), (0, 1));

    let numbers: KeyedRateLimiter<u64> = limiter(&clock, 2, SECOND, Duration::ZERO);
    assert!(numbers.try_acquire(&7).is_ok());
    let pairs: KeyedRateLimiter<(u32, String)> = limiter(&clock, 2, SECOND, Duration::ZERO);
    assert!(pairs.try_acquire(&(7, "a".to_owned())).is_ok());
    let bytes: KeyedRateLimiter<Vec<u8>> = limiter(&clock, 2, SECOND, Duration::ZERO);
    assert!(bytes.try_acquire([1, 2].as_slice()).is_ok());
    let statics: KeyedRateLimiter<&'static str> = limiter(&clock, 2, SECOND, Duration::ZERO);
    assert!(statics.try_acquire(&"a").is_ok());
}

#[test]
fn a_key_that_takes_nothing_is_not_kept() {
    let limiter: KeyedRateLimiter<u64> = limiter(&ManualClock::new(), 2, SECOND, SECOND);
    assert!(limiter.try_acquire_n(&1, 0).is_ok());
    assert_eq!(limiter.try_acquire_n(&1, 3).unwrap_err().code(), Code::TooManyPermits);
    assert_eq!(limiter.acquire_n(&1, u64::MAX).unwrap_err().code(), Code::TooManyPermits);
    limiter.refund(&1, 5);
    assert!(limiter.would_admit(&1, 2) && !limiter.would_admit(&1, 3));
    assert!(!limiter.remove(&1));
    limiter.reconfigure(Config { enabled: false, ..limiter.config() }).unwrap();
    assert!(limiter.try_acquire_n(&1, 3).is_ok());
    assert_eq!(limiter.snapshot().keys, 0);
}

#[test]
fn a_key_that_is_removed_has_a_full_burst_and_its_waiters_keep_their_start() {
    let clock = ManualClock::new();
    let limiter: KeyedRateLimiter<u64> = limiter(&clock, 2, SECOND, SECOND);
    for clear in [false, true] {
        drain(&limiter, &1);
        let mut wait: Wait<'_> = Box::pin(limiter.acquire_async(&1));
        assert!(poll(&mut wait).is_pending());
        if clear {
            limiter.clear();
        } else {
            assert!(limiter.remove(&1));
        }
        assert_eq!((limiter.available_permits(&1), limiter.snapshot().keys), (2, 0));
        clock.advance(500 * MS - Duration::from_nanos(1));
        assert!(poll(&mut wait).is_pending());
        clock.advance(Duration::from_nanos(1));
        assert!(poll(&mut wait).is_ready());
    }
    // Who gives up a wait after that gives nothing to anybody.
    drain(&limiter, &1);
    let mut wait: Wait<'_> = Box::pin(limiter.acquire_async(&1));
    assert!(poll(&mut wait).is_pending());
    limiter.clear();
    drop(wait);
    assert_eq!((limiter.available_permits(&1), limiter.snapshot().keys, clock.pending_tasks()), (2, 0, 0));
}

#[test]
fn waits_of_a_key_end_at_deadlines_and_by_interrupts() {
    let clock = ManualClock::new();
    let limiter: KeyedRateLimiter<u64> = limiter(&clock, 1, SECOND, 10 * SECOND);
    limiter.acquire(&1).unwrap();
    let before = limiter.snapshot_of(&1);
    let too_soon = CallOptions::new().timeout(SECOND - Duration::from_nanos(1));
    assert_eq!(limiter.acquire_with(&1, too_soon).unwrap_err().code(), Code::TimedOut);
    let interrupt = Interrupt::new();
    interrupt.trigger();
    let interrupted = limiter.acquire_with(&1, CallOptions::new().interrupt(&interrupt));
    assert_eq!(interrupted.unwrap_err().code(), Code::Interrupted);
    assert_eq!((limiter.snapshot_of(&1), clock.now()), (before, Nanos::ZERO));
    limiter.acquire_with(&1, CallOptions::new().timeout(SECOND)).unwrap();
    assert_eq!(clock.now(), SECOND);
}

#[test]
fn calls_run_once_they_have_a_permit_of_their_key() {
    let clock = ManualClock::new();
    let limiter: KeyedRateLimiter<String> = limiter(&clock, 1, SECOND, SECOND);
    let begun = |key: &str| limiter.execute(key, || Ok::<_, ()>(clock.now())).unwrap();
    assert_eq!((begun("a"), begun("b")), (Nanos::ZERO, Nanos::ZERO));
    assert_eq!(begun("a"), SECOND, "a call that waits on a thread moves the clock");
    assert!(limiter.execute("b", || Err::<(), _>("down")).is_err());
    assert_eq!(limiter.available_permits("b"), 0, "it was spent all the same");

    let mut call = Box::pin(limiter.execute_async("b", || async { Ok::<_, ()>(clock.now()) }));
    let mut poll = || call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(poll().is_pending());
    clock.advance(SECOND);
    assert_eq!(poll(), Poll::Ready(Ok(clock.now())));
}

#[tokio::test]
async fn waits_can_be_spawned() {
    let limiter: KeyedRateLimiter<String> = KeyedRateLimiter::builder().max_wait(SECOND).build().unwrap();
    let limiter = std::sync::Arc::new(limiter);
    let task = tokio::spawn({
        let limiter = limiter.clone();
        async move {
            let key = "alice".to_owned();
            limiter.acquire_async(&key).await.unwrap();
            limiter.execute_async(key.as_str(), || async { Ok::<_, ()>(7) }).await
        }
    });
    assert_eq!(task.await.unwrap(), Ok(7));
    assert_eq!(limiter.snapshot().keys, 1);
}

#[test]
fn events_are_those_of_a_limiter_and_listeners_may_call_back() {
    let clock = ManualClock::new();
    let events = Events::new();
    let builder = builder(&clock, 1, SECOND, SECOND).events(&events);
    let limiter: &'static KeyedRateLimiter<u64> = Box::leak(Box::new(builder.build().unwrap()));
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = heard.clone();
    let _listening = events.subscribe(move |event: &event::Event<'_>| {
        assert_eq!((event.policy, event.instance.as_str()), ("rate_limiter", "test"));
        limiter.available_permits(&1);
        limiter.try_acquire_n(&2, 0).unwrap();
        list.lock().unwrap().push(*event.payload::<Event>().unwrap());
    });
    limiter.try_acquire(&1).unwrap();
    let rejection = limiter.try_acquire(&1).unwrap_err();
    let mut wait: Wait<'_> = Box::pin(limiter.acquire_async(&1));
    assert!(poll(&mut wait).is_pending());
    drop(wait);
    let (from, to) = (limiter.config(), Config { permits: 2, ..limiter.config() });
    limiter.reconfigure(to).unwrap();
    limiter.reconfigure(to).unwrap();
    let expected = [
        Event::Rejected(rejection),
        Event::WaitStarted { permits: 1, start: clock.now().after(SECOND), wait: SECOND },
        Event::GivenBack { permits: 1 },
        Event::Reconfigured { from, to },
    ];
    assert_eq!(*heard.lock().unwrap(), expected);
}

#[test]
fn what_is_wrong_is_told_at_once() {
    let error = KeyedRateLimiter::<u64>::builder().permits(0).max_keys(0).build().unwrap_err();
    let problems: Vec<_> = error.problems().iter().map(|it| (it.path.as_str(), it.code)).collect();
    assert_eq!(problems, [("permits", Code::CountBelowOne), ("max_keys", Code::CountBelowOne)]);
    let limiter: KeyedRateLimiter<u64> = limiter(&ManualClock::new(), 1, SECOND, SECOND);
    assert!(limiter.reconfigure(Config { permits: 0, ..limiter.config() }).is_err());
    assert_eq!(limiter.config().permits, 1);
}
