//! What went wrong once, or could: servers that ask for too much, errors that fight back, budgets under fire.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use resilience_core::{Class, Kind, ManualClock, Pipeline, Random, Registry};
use resilience_retry::{Config, PipelineExt, Retry};

use crate::{Failing, SECOND};

#[test]
fn a_retry_after_that_no_clock_can_show_is_not_taken_as_none() {
    for asked in [Duration::MAX, Duration::from_secs(u64::MAX), Duration::from_secs(200 * 365 * 86_400)] {
        let clock = ManualClock::new();
        let registry = Registry::builder().clock(&clock).build();
        let pipeline = Pipeline::builder(&registry, "p").retry(|it| it.max_duration(3_600 * SECOND)).build().unwrap();
        let pipeline =
            pipeline.with_classifier(|_: &Result<(), usize>| Class::failure(Kind::FAILED).retry_after(asked));
        let failing = Failing::default();
        assert!(pipeline.execute(|| failing.call(&clock)).is_err());
        assert_eq!(failing.times(), [Duration::ZERO], "{asked:?}");
    }
}

#[test]
fn an_error_whose_drop_panics_ends_the_call_and_leaves_the_retry_whole() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(thread::panicking(), "expected");
        }
    }
    let clock = ManualClock::advancing();
    let retry = Retry::builder().clock(&clock).build().unwrap();
    let sync = catch_unwind(AssertUnwindSafe(|| retry.execute(|| Err::<(), _>(Bomb)).is_err()));
    let other = catch_unwind(AssertUnwindSafe(|| {
        futures_lite::future::block_on(retry.execute_async(|| async { Err::<(), _>(Bomb) })).is_err()
    }));
    assert!(sync.is_err() && other.is_err());
    assert_eq!(clock.pending_tasks(), 0);
    assert_eq!(retry.execute(|| Ok::<_, ()>(())), Ok(()));
}

/// Law 3 beside changes of everything that the budget does not go by.
#[test]
fn many_threads_keep_to_the_budget_while_everything_else_changes() {
    let (calls, attempts) = (AtomicU64::new(0), AtomicU64::new(0));
    let builder = Retry::builder().max_attempts(4).delay(Duration::ZERO).clock(ManualClock::new());
    let retry = builder.budget_percent(10.0).budget_min_per_second(0).build().unwrap();
    thread::scope(|scope| {
        for seed in 0..8 {
            let (retry, calls, attempts) = (&retry, &calls, &attempts);
            scope.spawn(move || {
                let random = Random::seeded(seed);
                for n in 0..2_000 {
                    calls.fetch_add(1, Ordering::SeqCst);
                    _ = retry.execute(|| {
                        attempts.fetch_add(1, Ordering::SeqCst);
                        if random.next_u64() % 2 == 0 { Err(()) } else { Ok(()) }
                    });
                    if seed == 0 && n % 20 == 0 {
                        let max_attempts = 2 + n % 5;
                        let max_duration = (n % 3 == 0).then_some(SECOND);
                        retry.reconfigure(Config { max_attempts, max_duration, ..retry.config() }).unwrap();
                    }
                }
            });
        }
    });
    let (calls, attempts) = (calls.into_inner(), attempts.into_inner());
    assert!(attempts - calls <= calls / 10, "{attempts} attempts of {calls} calls");
    let snapshot = retry.snapshot();
    assert_eq!(snapshot.retries, attempts - calls);
    assert_eq!(snapshot.budget_left, Some(calls / 10 - snapshot.retries));
}
