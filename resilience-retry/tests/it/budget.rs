//! Law 3, through the policy.

use std::{thread, time::Duration};

use proptest::prelude::*;
use resilience_core::{Error, Events, ManualClock};
use resilience_retry::{Event, Reason, Retry};

use crate::{Failing, Heard, MS, NS, SECOND, builder};

fn budgeted(clock: &ManualClock, percent: f64, per_second: u32) -> Retry {
    let builder = builder(clock).max_attempts(2).delay(Duration::ZERO);
    builder.budget_percent(percent).budget_min_per_second(per_second).build().unwrap()
}

#[test]
fn an_outage_is_retried_up_to_the_budget_and_no_further() {
    let clock = ManualClock::new();
    let retry = budgeted(&clock, 20.0, 1);
    let failing = Failing::default();
    for _ in 0..1_000 {
        assert!(retry.execute(|| failing.call(&clock)).is_err());
    }
    assert_eq!(failing.times().len(), 1_000 + 200 + 10, "a fifth of the calls, and one a second");
    assert_eq!(retry.snapshot().budget_left, Some(0));
}

#[test]
fn a_call_without_budget_fails_at_once_with_its_own_error() {
    let clock = ManualClock::new();
    let events = Events::new();
    let heard = Heard::on(&events);
    let retry = builder(&clock).budget_percent(1.0).budget_min_per_second(0).events(&events).build().unwrap();
    assert_eq!(retry.execute(|| Err::<(), _>("down")), Err(Error::Failed("down")));
    assert_eq!(heard.take(), [Event::Exhausted { attempts: 1, reason: Reason::Budget }]);
    assert_eq!(clock.now(), Duration::ZERO);
}

#[test]
fn the_budget_slides_with_the_window() {
    let clock = ManualClock::new();
    let retry = budgeted(&clock, 50.0, 0);
    for _ in 0..10 {
        retry.execute(|| Ok::<_, ()>(())).unwrap();
    }
    let left = || retry.snapshot().budget_left.unwrap();
    assert_eq!(left(), 5);
    assert!(retry.execute(|| Err::<(), _>("down")).is_err());
    assert_eq!(left(), 4, "half of eleven, less one");
    clock.advance(10 * SECOND - NS);
    assert_eq!(left(), 4);
    clock.advance(NS);
    assert_eq!(left(), 0, "the calls are too old; the retry is not quite certain to be");
    for _ in 0..10 {
        retry.execute(|| Ok::<_, ()>(())).unwrap();
    }
    assert_eq!(left(), 4);
    clock.advance(SECOND);
    assert_eq!(left(), 5);
    clock.advance(1_000 * SECOND);
    assert_eq!(left(), 0);
}

#[test]
fn a_retry_that_was_granted_and_dropped_stays_spent() {
    let clock = ManualClock::new();
    let builder = builder(&clock).budget_percent(1.0).budget_min_per_second(1).budget_window(3 * SECOND);
    let retry = builder.build().unwrap();
    for left in [2, 1, 0, 0] {
        let mut future = Box::pin(retry.execute_async(|| async { Err::<(), _>("down") }));
        _ = future.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
        drop(future);
        assert_eq!(retry.snapshot().budget_left, Some(left), "given back nothing, and nothing twice");
    }
}

#[test]
fn four_threads_share_one_budget_exactly() {
    let clock = ManualClock::new();
    let retry = budgeted(&clock, 10.0, 1);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..2_500 {
                    assert!(retry.execute(|| Err::<(), _>(())).is_err());
                }
            });
        }
    });
    let snapshot = retry.snapshot();
    assert_eq!((snapshot.exhausted, snapshot.budget_left), (10_000, Some(0)));
    assert_eq!(snapshot.retries, 1_000 + 10);
}

proptest! {
    /// Law 3: whatever calls come when, in the window that ends with a retry there are no more than allowed.
    #[test]
    fn no_window_has_more_retries_than_its_calls_allow(
        calls in proptest::collection::vec((0_u64..4_000, 1_usize..6, any::<bool>()), 1..60),
        percent in 1_u32..=100, per_second in 0_u32..3,
    ) {
        let clock = ManualClock::new();
        let retry = builder(&clock).max_attempts(6).delay(300 * MS).multiplier(1.0).budget_percent(percent.into());
        let retry = retry.budget_min_per_second(per_second).build().unwrap();
        let (mut begins, mut retries) = (Vec::new(), Vec::new());
        for (pause, fails, counts) in calls {
            clock.advance(Duration::from_millis(pause));
            begins.push(clock.now());
            let mut attempts = 0;
            let mut granted = Vec::new();
            _ = retry.execute(|| {
                attempts += 1;
                granted.push(clock.now());
                if counts && attempts <= fails { Err(()) } else { Ok(()) }
            });
            // A retry is granted when the attempt before it has failed.
            granted.pop();
            for at in granted {
                retries.push(at);
                let within = |times: &[resilience_core::Nanos]| {
                    times.iter().filter(|it| it.after(10 * SECOND) > at && **it <= at).count() as u32
                };
                let allowed = (percent * within(&begins) + per_second * 10 * 100) / 100;
                prop_assert!(within(&retries) <= allowed, "{} retries, {} allowed", within(&retries), allowed);
            }
        }
    }
}
