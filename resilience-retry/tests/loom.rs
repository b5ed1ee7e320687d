//! Every schedule of a few threads on one retry. Run with `cargo xtask loom`.
#![cfg(loom)]

use std::{cell::Cell, time::Duration};

use loom::{sync::Arc, thread};
use resilience_core::ManualClock;
use resilience_retry::{Builder, Config, Jitter, Retry};

fn retry(set: impl FnOnce(Builder) -> Builder) -> Arc<Retry> {
    let builder = Retry::builder().delay(Duration::ZERO).jitter(Jitter::None).clock(ManualClock::new());
    Arc::new(set(builder).build().unwrap())
}

/// How often a call that always fails is made.
fn attempts(retry: &Retry) -> u32 {
    let calls = Cell::new(0);
    let result = retry.execute(|| {
        calls.set(calls.get() + 1);
        Err::<(), ()>(())
    });
    assert!(result.is_err());
    calls.get()
}

/// Law 3.
#[test]
fn two_threads_never_share_the_last_retry_of_the_budget() {
    loom::model(|| {
        let retry = retry(|it| it.max_attempts(2).budget_percent(50.0).budget_min_per_second(0));
        retry.execute(|| Ok::<_, ()>(())).unwrap();
        let other = {
            let retry = Arc::clone(&retry);
            thread::spawn(move || attempts(&retry))
        };
        let made = attempts(&retry) + other.join().unwrap();
        // Of two or three calls, one may be tried again.
        assert_eq!(made, 3);
        let snapshot = retry.snapshot();
        assert_eq!((snapshot.retries, snapshot.exhausted, snapshot.budget_left), (1, 2, Some(0)));
    });
}

#[test]
fn a_call_beside_a_change_goes_by_one_configuration_from_begin_to_end() {
    loom::model(|| {
        let retry = retry(|it| it.max_attempts(2));
        let change = {
            let retry = Arc::clone(&retry);
            thread::spawn(move || {
                retry.reconfigure(Config { max_attempts: 3, ..retry.config() }).unwrap();
            })
        };
        let made = attempts(&retry);
        assert!(made == 2 || made == 3, "{made}");
        change.join().unwrap();
        assert_eq!(attempts(&retry), 3);
    });
}

#[test]
fn a_call_counted_beside_a_change_of_the_budget_is_not_lost() {
    loom::model(|| {
        let retry = retry(|it| it.budget_percent(50.0).budget_min_per_second(0));
        retry.execute(|| Ok::<_, ()>(())).unwrap();
        let change = {
            let retry = Arc::clone(&retry);
            thread::spawn(move || {
                let config =
                    Config { budget_window: Duration::from_secs(60), budget_percent: Some(100.0), ..retry.config() };
                retry.reconfigure(config).unwrap();
            })
        };
        retry.execute(|| Ok::<_, ()>(())).unwrap();
        change.join().unwrap();
        assert_eq!(retry.snapshot().budget_left, Some(2));
    });
}
