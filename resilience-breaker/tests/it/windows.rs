//! The windows are exact: they equal a list of all calls, filtered by the same rule.

use std::time::Duration;

use proptest::prelude::*;
use resilience_breaker::{CircuitBreaker, Config, State, WindowType};
use resilience_core::ManualClock;

use crate::{MS, SECOND, breaker};

/// A call: whether it fails, how long it takes, how long before the next one.
type Step = (bool, u64, u64);

fn steps(pause: u64) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((any::<bool>(), 0_u64..4, 0..pause), 1..400)
}

/// A breaker that records and never opens, with calls slow from 2 ms on.
fn watched(clock: &ManualClock, config: Config) -> CircuitBreaker {
    let breaker = breaker(clock, |it| {
        let it = it.window_type(config.window_type).window_size(config.window_size).minimum_calls(1);
        it.window_duration(config.window_duration).slow_call_duration(2 * MS)
    });
    breaker.metrics_only();
    breaker
}

fn call(breaker: &CircuitBreaker, clock: &ManualClock, (fails, takes, _): Step) {
    _ = breaker.execute(|| {
        clock.advance(takes as u32 * MS);
        if fails { Err(()) } else { Ok(()) }
    });
}

fn seen(breaker: &CircuitBreaker) -> (u64, u64, u64) {
    let window = breaker.snapshot().window;
    (window.calls, window.failed, window.slow)
}

fn expected<'a>(calls: impl Iterator<Item = &'a Step>) -> (u64, u64, u64) {
    calls.fold((0, 0, 0), |(calls, failed, slow), (fails, takes, _)| {
        (calls + 1, failed + u64::from(*fails), slow + u64::from(*takes > 2))
    })
}

proptest! {
    #[test]
    fn by_count(size in prop_oneof![1_u32..8, 126_u32..131, 255_u32..260], steps in steps(3)) {
        let clock = ManualClock::new();
        let breaker = watched(&clock, Config { window_size: size, ..Config::default() });
        for (n, step) in steps.iter().enumerate() {
            call(&breaker, &clock, *step);
            let first = (n + 1).saturating_sub(size as usize);
            prop_assert_eq!(seen(&breaker), expected(steps[first..=n].iter()));
        }
    }

    /// A call counts as long as its bucket is one of the last ten.
    #[test]
    fn by_time(duration in 1_u64..60, steps in steps(20)) {
        let clock = ManualClock::new();
        let duration = Duration::from_millis(duration);
        let config = Config { window_type: WindowType::Time, window_duration: duration, ..Config::default() };
        let breaker = watched(&clock, config);
        let bucket = |at: Duration| at.as_nanos() / duration.as_nanos().div_ceil(10);
        let mut ended = Vec::new();
        for step in steps {
            call(&breaker, &clock, step);
            ended.push((bucket(clock.now().into()), step));
            clock.advance(Duration::from_millis(step.2));
            let now = bucket(clock.now().into());
            let counted = ended.iter().filter(|(at, _)| now - at < 10).map(|(_, step)| step);
            prop_assert_eq!(seen(&breaker), expected(counted));
        }
    }

    /// Another size keeps the newest calls.
    #[test]
    fn resized(first in 1_u32..300, second in 1_u32..300, before in steps(3), after in steps(3)) {
        let clock = ManualClock::new();
        let breaker = watched(&clock, Config { window_size: first, ..Config::default() });
        for step in &before {
            call(&breaker, &clock, *step);
        }
        breaker.reconfigure(Config { window_size: second, ..breaker.config() }).unwrap();
        let mut kept = before[before.len().saturating_sub(first.min(second) as usize)..].to_vec();
        prop_assert_eq!(seen(&breaker), expected(kept.iter()));
        for step in after {
            call(&breaker, &clock, step);
            kept.push(step);
            let newest = kept.len().saturating_sub(second as usize);
            prop_assert_eq!(seen(&breaker), expected(kept[newest..].iter()));
        }
    }
}

/// Law 6: a ring slides, however long it has been running.
#[test]
fn a_million_successes_do_not_slow_the_next_opening() {
    for size in [10, 100, 100_000] {
        let breaker = breaker(&ManualClock::new(), |it| it.window_size(size).minimum_calls(1));
        for _ in 0..1_000_000 {
            crate::succeed(&breaker);
        }
        let mut failures = 0;
        while breaker.state() == State::Closed {
            crate::fail(&breaker);
            failures += 1;
        }
        assert_eq!(failures, size / 2);
    }
}

/// Law 7.
#[test]
fn extreme_thresholds_behave() {
    let clock = ManualClock::new();
    let all = breaker(&clock, |it| it.window_size(4).failure_rate_threshold(100.0));
    crate::calls(&all, "SFFF");
    assert_eq!(all.state(), State::Closed);
    crate::fail(&all);
    assert_eq!(all.state(), State::Open);

    let any = breaker(&clock, |it| it.window_size(100_000).minimum_calls(100).failure_rate_threshold(1e-9));
    crate::calls(&any, &"S".repeat(99));
    crate::fail(&any);
    assert_eq!(any.state(), State::Open);

    let one = breaker(&clock, |it| it.window_size(1));
    crate::calls(&one, "SSS");
    assert_eq!(one.state(), State::Closed);
    crate::fail(&one);
    assert_eq!(one.state(), State::Open);
}

#[test]
fn slow_calls_open_at_their_own_threshold() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| {
        it.window_size(4).slow_call_duration(SECOND).slow_call_rate_threshold(50.0).failure_rate_threshold(100.0)
    });
    call(&breaker, &clock, (false, 1_000, 0));
    call(&breaker, &clock, (false, 1_001, 0));
    call(&breaker, &clock, (false, 0, 0));
    assert_eq!(breaker.state(), State::Closed, "as long as the limit is not slow");
    call(&breaker, &clock, (false, 5_000, 0));
    assert_eq!(breaker.state(), State::Open);
    assert_eq!(breaker.snapshot().slow_call_rate, Some(50.0));
}

/// Calls of all threads are counted, each once.
#[test]
fn threads_lose_no_call_and_count_none_twice() {
    for window_type in [WindowType::Count, WindowType::Time] {
        let set = |it: resilience_breaker::Builder| it.window_type(window_type).window_size(100_000);
        let breaker = breaker(&ManualClock::new(), set);
        breaker.metrics_only();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let breaker = &breaker;
                scope.spawn(move || {
                    for n in 0..10_000 {
                        _ = breaker.execute(|| if (n + thread) % 3 == 0 { Err(()) } else { Ok(()) });
                    }
                });
            }
        });
        let failed = (0..4).map(|thread| (0..10_000).filter(|n| (n + thread) % 3 == 0).count() as u64).sum::<u64>();
        assert_eq!(seen(&breaker), (40_000, failed, 0));
    }
}
