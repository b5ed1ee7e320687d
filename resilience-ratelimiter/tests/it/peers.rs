//! What others in the field get wrong, each fault as a test that passes here.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use resilience_core::{CallOptions, Clock, Code, ManualClock};
use resilience_ratelimiter::{Config, RateLimiter, try_acquire_all_n};

use crate::{MS, SECOND, burst, limiter, retry_after};

/// Fault: weight times interval wraps around, and a batch that is larger than any burst passes.
#[test]
fn a_batch_that_can_never_pass_does_not_pass_by_wrapping_around() {
    for (permits, period) in [(1, SECOND), (10, SECOND), (3, 100 * SECOND), (1 << 20, SECOND), (1_000_000_000, SECOND)]
    {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, permits, period, Duration::MAX);
        clock.advance(1_000 * SECOND);
        let interval = u64::try_from(period.as_nanos()).unwrap() / u64::from(permits);
        // Where the product passes 2^32, 2^63 and 2^64, and where the weight alone does.
        let around = [1 << 32, 1 << 63, u64::MAX].map(|limit: u64| limit / interval);
        let batches =
            around.into_iter().chain([1 << 32, 1 << 63]).flat_map(|n| (0..4).map(move |more| n.saturating_add(more)));
        let before = limiter.snapshot();
        for n in batches.chain([u64::from(permits) + 1, u64::MAX]).filter(|n| *n > u64::from(permits)) {
            let refusals = [
                limiter.try_acquire_n(n),
                limiter.acquire_n(n),
                limiter.reserve(n).map(|_| ()),
                try_acquire_all_n(&[(&limiter, n)]),
            ];
            for refused in refusals {
                let rejection = refused.expect_err("more than a burst");
                assert_eq!(
                    (rejection.code(), rejection.retry_after()),
                    (Code::TooManyPermits, None),
                    "{n} of {permits}"
                );
            }
            assert!(!limiter.would_admit(n));
            assert_eq!(limiter.snapshot(), before);
        }
    }
}

/// Fault: the interval is cut to whole nanoseconds, so that 3 000 000 per second are 3 003 003.
#[test]
fn three_million_per_second_are_three_million_per_second() {
    const RATE: u32 = 3_000_000;
    let drained = || {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, RATE, SECOND, Duration::ZERO);
        limiter.try_acquire_n(RATE.into()).unwrap();
        (clock, limiter)
    };
    let (clock, in_steps) = drained();
    let mut taken = 0;
    for step in 1..=1_000 {
        clock.advance(MS);
        let available = in_steps.available_permits();
        in_steps.try_acquire_n(available.into()).unwrap();
        taken += available;
        assert_eq!(taken, step * RATE / 1_000, "after {step} ms");
    }

    // One by one, each as soon as it may.
    let (clock, one_by_one) = drained();
    for _ in 0..RATE / 100 {
        clock.advance(retry_after(one_by_one.try_acquire()));
        one_by_one.try_acquire().unwrap();
    }
    assert_eq!(clock.now(), 10 * MS);
}

/// Faults: forty waiters are served up to 36 places out of order; their waits ignore tokio's paused time, so that a
/// test of them takes as long as they wait: here, most of a day.
#[tokio::test(start_paused = true)]
async fn forty_waiters_are_served_in_order_in_tokios_paused_time() {
    const HOUR: Duration = Duration::from_secs(3_600);
    let clock = Clock::tokio();
    let builder = RateLimiter::builder().permits(2).period(HOUR).max_wait(Duration::MAX).clock(&clock);
    let limiter = Arc::new(builder.build().unwrap());
    let served = Arc::new(Mutex::new(Vec::new()));
    let (begin, tokio_begin) = (clock.now(), tokio::time::Instant::now());
    let tasks: Vec<_> = (0..40)
        .map(|n| {
            let (limiter, served) = (Arc::clone(&limiter), Arc::clone(&served));
            tokio::spawn(async move {
                limiter.acquire_async().await.unwrap();
                served.lock().unwrap().push(n);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(*served.lock().unwrap(), (0..40).collect::<Vec<_>>());
    for passed in [clock.now().since(begin), tokio_begin.elapsed()] {
        assert!(
            passed >= 19 * HOUR && passed < 19 * HOUR + MS * 40,
            "decisions and waits are on one clock: {passed:?}"
        );
    }
}

/// Fault: a limit cannot be changed while it is in use; a new limiter forgets what was used, and who waits.
#[test]
fn a_quota_changes_while_it_is_in_use() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 10, SECOND, SECOND);
    limiter.try_acquire_n(10).unwrap();
    let reservation = limiter.reserve(2).unwrap();
    limiter.reconfigure(Config { period: 2 * SECOND, ..limiter.config() }).unwrap();
    assert_eq!((burst(&limiter, 1), limiter.snapshot().waiting), ("R".into(), 2));
    assert_eq!(reservation.start(), 200 * MS);
    assert_eq!(retry_after(limiter.try_acquire()), 600 * MS, "after the two, at the new rate");
}

/// Fault: a change of the rate pays the idle time before it at the new rate (100 000 permits for nothing).
#[test]
fn idle_time_is_paid_at_the_rate_that_was_in_force() {
    const DAY: Duration = Duration::from_secs(86_400);
    const PERMITS: u32 = 100_000;
    let clock = ManualClock::new();
    let limiter = limiter(&clock, PERMITS, DAY, Duration::ZERO);
    limiter.try_acquire_n(PERMITS.into()).unwrap();
    clock.advance(DAY / PERMITS * 5 / 2);
    assert_eq!(limiter.available_permits(), 2);
    for period in [SECOND, DAY, MS, SECOND] {
        limiter.reconfigure(Config { period, ..limiter.config() }).unwrap();
        assert_eq!(limiter.available_permits(), 2, "now per {period:?}");
    }
    // The half that was there counts too.
    assert_eq!(retry_after(limiter.try_acquire_n(3)), SECOND / PERMITS / 2);
    clock.advance(SECOND / PERMITS * 3 / 2);
    assert_eq!(limiter.available_permits(), 4);
}

/// Fault: waits that fail push the schedule back all the same, and starve those who come after them.
#[tokio::test(start_paused = true)]
async fn waits_that_fail_leave_the_schedule_where_it_was() {
    let builder = RateLimiter::builder().permits(1).period(SECOND).max_wait(SECOND).clock(Clock::tokio());
    let limiter = builder.build().unwrap();
    let begin = limiter.clock().now();
    limiter.try_acquire().unwrap();
    let due = || limiter.reserve(1).expect("the place of the next one is free").start();
    assert_eq!(due().since(begin), SECOND);
    for _ in 0..100 {
        // Its own deadline comes first; the caller stops waiting; it would be too late.
        let by_deadline = limiter.acquire_async_with(CallOptions::new().timeout(500 * MS)).await;
        assert_eq!(by_deadline.unwrap_err().code(), Code::TimedOut);
        tokio::time::timeout(MS, limiter.acquire_async()).await.expect_err("it waits longer");
        let next = limiter.reserve(1).unwrap();
        assert_eq!(limiter.acquire_async().await.unwrap_err().code(), Code::RateLimitExceeded);
        next.cancel();
        assert_eq!(due().since(begin), SECOND);
    }
}
