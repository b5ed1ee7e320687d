//! Cases from the field.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    task::{Context, Waker},
    time::Duration,
};

use resilience_core::{Clock, Code, Error, Events, Kind, ManualClock, Nanos};
use resilience_retry::{Backoff, Config, Event, Jitter, Reason, Retry};

use crate::{Failing, Heard, MS, SECOND, builder, delays};

/// B15
#[test]
fn a_clock_at_its_origin_is_an_ordinary_clock() {
    let manual = ManualClock::new();
    for clock in [manual.clock(), Clock::custom(|| Duration::ZERO)] {
        let builder = Retry::builder().max_duration(3_600 * SECOND).delay(Duration::ZERO).clock(clock);
        let retry = builder.budget_percent(50.0).build().unwrap();
        let mut answers = [Err("down"), Ok(7)].into_iter();
        assert_eq!(retry.execute(|| answers.next().unwrap()), Ok(7));
    }
}

/// B29
#[test]
fn the_backoff_saturates_then_meets_its_cap_and_never_falls_back() {
    let clock = ManualClock::new();
    let retry =
        builder(&clock).delay(100 * MS).multiplier(2.0).max_delay(10 * SECOND).max_attempts(100).build().unwrap();
    let delays = delays(&clock, &retry);
    let mut expected: Vec<_> = [1, 2, 4, 8, 16, 32, 64].map(|n| n * 100 * MS).to_vec();
    expected.resize(99, 10 * SECOND);
    assert_eq!(delays, expected);
    assert_eq!(clock.now(), 932_700 * MS);

    let config = retry.config();
    for attempt in [32, 33, 63, 64, 65, 1024, u32::MAX] {
        assert_eq!(config.base_delay(attempt), 10 * SECOND);
        let endless = Config { max_delay: Duration::MAX, ..config };
        assert!(endless.base_delay(attempt) >= endless.base_delay(attempt - 1));
        assert_eq!(Config { delay: Duration::ZERO, ..endless }.base_delay(attempt), Duration::ZERO);
        assert_eq!(Config { multiplier: 1.0, ..endless }.base_delay(attempt), 100 * MS);
        assert_eq!(Config { multiplier: f64::MAX, ..endless }.base_delay(attempt), Duration::from_nanos(u64::MAX));
    }
}

/// B31
#[test]
fn no_attempt_starts_after_the_time_limit_and_no_sleep_towards_one_begins() {
    for (limit, times) in [(5, vec![0, 1, 3]), (7, vec![0, 1, 3, 7])] {
        let clock = ManualClock::new();
        let builder = builder(&clock).max_attempts(10).delay(SECOND);
        let retry = builder.max_duration(limit * SECOND).build().unwrap();
        let failing = Failing::default();
        assert_eq!(retry.execute(|| failing.call(&clock)), Err(Error::Failed(times.len())), "the last error");
        assert_eq!(failing.times(), times.iter().map(|n| *n * SECOND).collect::<Vec<_>>());
        assert_eq!(clock.now(), *times.last().unwrap() * SECOND);
    }
    let clock = ManualClock::new();
    let retry = builder(&clock).max_duration(5 * SECOND).build().unwrap();
    let slow = || {
        clock.advance(15 * SECOND);
        Ok::<_, ()>("late, and fine")
    };
    assert_eq!(retry.execute(slow), Ok("late, and fine"));
}

/// B31: the time of the attempts themselves counts (backon's total limit is one on the delays).
#[test]
fn slow_attempts_use_up_the_time_limit() {
    let clock = ManualClock::new();
    let builder = builder(&clock).max_attempts(10).delay(SECOND).backoff(Backoff::Fixed);
    let retry = builder.max_duration(5 * SECOND).build().unwrap();
    clock.advance(SECOND); // the limit counts from the call, not from the clock's origin
    let failing = Failing::default();
    let slow = || {
        let result = failing.call(&clock);
        clock.advance(3 * SECOND);
        result
    };
    assert_eq!(retry.execute(slow), Err(Error::Failed(2)));
    assert_eq!(failing.times(), [SECOND, 5 * SECOND]);
    assert_eq!(clock.now(), 8 * SECOND);
}

/// B32
#[test]
fn max_attempts_counts_the_first_call() {
    let clock = ManualClock::new();
    let events = Events::new();
    let heard = Heard::on(&events);
    let retry = builder(&clock).events(&events).build().unwrap();
    let failing = Failing::default();
    assert_eq!(retry.execute(|| failing.call(&clock)), Err(Error::Failed(3)), "three calls");
    assert_eq!(failing.delays(), [100 * MS, 200 * MS]);
    assert_eq!(
        heard.take(),
        [
            Event::Retried { attempt: 2, delay: 100 * MS, kind: Kind::FAILED },
            Event::Retried { attempt: 3, delay: 200 * MS, kind: Kind::FAILED },
            Event::Exhausted { attempts: 3, reason: Reason::Attempts },
        ]
    );
    assert_eq!(clock.now(), 300 * MS);

    let clock = ManualClock::new();
    let once = builder(&clock).max_attempts(1).events(&events).build().unwrap();
    let failing = Failing::default();
    assert_eq!(once.execute(|| failing.call(&clock)), Err(Error::Failed(1)));
    assert_eq!((failing.times(), clock.now()), (vec![Duration::ZERO], Nanos::ZERO));
    assert_eq!(heard.take(), [Event::Exhausted { attempts: 1, reason: Reason::Attempts }]);

    let six = builder(&clock).max_attempts(6).build().unwrap();
    assert_eq!(delays(&clock, &six), [100, 200, 400, 800, 1600].map(|n| n * MS));
    let linear = builder(&clock).max_attempts(5).backoff(Backoff::Linear).max_delay(350 * MS).build().unwrap();
    assert_eq!(delays(&clock, &linear), [100, 200, 300, 350].map(|n| n * MS));
}

/// B33
#[test]
fn a_kind_outside_the_list_is_called_once() {
    let clock = ManualClock::new();
    let events = Events::new();
    let heard = Heard::on(&events);
    let lists = [
        builder(&clock).retry_on([Kind::TIMED_OUT, Kind::BULKHEAD_FULL]),
        builder(&clock).abort_on([Kind::FAILED]),
        builder(&clock).retry_on([Kind::FAILED]).abort_on(Kind::FAILED),
    ];
    for list in lists {
        let retry = list.events(&events).build().unwrap();
        let failing = Failing::default();
        assert_eq!(retry.execute(|| failing.call(&clock)), Err(Error::Failed(1)));
        assert_eq!(clock.now(), Nanos::ZERO);
        assert_eq!(heard.take(), [Event::Exhausted { attempts: 1, reason: Reason::NotRetryable }]);
    }
}

/// B33
#[test]
fn a_panic_is_not_tried_again() {
    let clock = ManualClock::new();
    let retry = builder(&clock).retry_on([Kind::PANICKED]).build().unwrap();
    let mut calls = 0;
    let panics = catch_unwind(AssertUnwindSafe(|| {
        retry.execute(|| -> Result<(), ()> {
            calls += 1;
            std::panic::resume_unwind(Box::new("expected"))
        })
    }));
    assert_eq!(*panics.unwrap_err().downcast::<&str>().unwrap(), "expected");
    assert_eq!((calls, clock.now()), (1, Nanos::ZERO));

    let mut answers = [Err("down"), Ok(())].into_iter();
    let later = catch_unwind(AssertUnwindSafe(|| retry.execute(|| answers.next().expect("panics the third time"))));
    assert!(later.is_ok(), "it works after a panic as before");
    assert_eq!(retry.snapshot().retries, 0, "`failed` is not in the list");
}

/// B35
#[test]
fn very_large_durations_mean_never() {
    let long = [
        Duration::MAX,
        Duration::from_secs(u64::MAX),
        Duration::from_secs(u64::MAX / 10),
        Duration::from_nanos(u64::MAX),
    ];
    let clock = ManualClock::new();
    for d in long {
        for jitter in [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
            for clock_of_retry in [clock.clock(), Clock::system()] {
                let builder = Retry::builder().delay(d).max_delay(Duration::MAX).jitter(jitter).seed(5);
                let retry = builder.max_duration(Duration::MAX).clock(clock_of_retry).build().unwrap();
                let mut future = Box::pin(retry.execute_async(|| async { Err::<(), _>("down") }));
                for _ in 0..2 {
                    let pending = future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
                    assert!(pending, "{d:?} {jitter:?}");
                    clock.advance(SECOND);
                }
                drop(future);
                assert_eq!((clock.pending_tasks(), retry.snapshot().retries), (0, 1));
            }
        }
    }
}

/// B45: what comes out is the third error, for a fallback to see.
#[test]
fn the_last_error_comes_out_unchanged() {
    let clock = ManualClock::new();
    let retry = builder(&clock).build().unwrap();
    let failing = Failing::default();
    assert_eq!(retry.execute(|| failing.call(&clock)), Err(Error::Failed(3)));
}

/// B53
#[test]
fn values_out_of_range_are_refused_with_the_value_and_what_is_allowed() {
    let build = || Retry::builder().clock(ManualClock::new());
    let refused = [
        (build().max_attempts(0), Code::CountBelowOne, "`max_attempts = 0`"),
        (build().multiplier(0.99), Code::BadPercentage, "`multiplier = 0.99`"),
        (build().multiplier(f64::NAN), Code::BadPercentage, "`multiplier = NaN`"),
        (build().multiplier(f64::INFINITY), Code::BadPercentage, "`multiplier = inf`"),
        (build().multiplier(-2.0), Code::BadPercentage, "`multiplier = -2`"),
        (build().delay(2 * SECOND).max_delay(SECOND), Code::Contradiction, "`max_delay = 1s`"),
        (build().max_duration(Duration::ZERO), Code::ZeroDuration, "`max_duration = 0`"),
        (build().budget_percent(0.0), Code::BadBudget, "`budget_percent = 0`"),
        (build().budget_percent(-1.0), Code::BadBudget, "`budget_percent = -1`"),
        (build().budget_percent(100.1), Code::BadBudget, "`budget_percent = 100.1`"),
        (build().budget_percent(f64::NAN), Code::BadBudget, "`budget_percent = NaN`"),
        (build().budget_window(Duration::ZERO), Code::BadBudget, "`budget_window = 0`"),
    ];
    for (builder, code, value) in refused {
        let error = builder.build().unwrap_err();
        let problem = &error.problems()[0];
        assert_eq!((error.problems().len(), problem.code), (1, code), "{error}");
        assert!(problem.to_string().starts_with(value) && !problem.allowed.is_empty(), "{problem}");
    }
    let all = build().max_attempts(0).multiplier(0.0).budget_percent(0.0).build().unwrap_err();
    assert_eq!(all.problems().len(), 3, "all at once");
    let edges = build().max_attempts(u32::MAX).multiplier(1.0).budget_percent(100.0).delay(Duration::MAX);
    assert!(edges.budget_min_per_second(u32::MAX).budget_window(Duration::MAX).build().is_ok());
}
