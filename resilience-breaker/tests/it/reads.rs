//! How often a call reads the clock.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use resilience_breaker::{Builder, CircuitBreaker, WindowType};
use resilience_core::{Clock, TimeSource};

use crate::{MS, cb0};

#[derive(Clone, Default)]
struct Counting(Arc<AtomicU64>);

impl TimeSource for Counting {
    fn now(&self) -> Duration {
        self.0.fetch_add(1, Ordering::Relaxed);
        Duration::ZERO
    }
}

/// The readings of one more call that succeeds or fails.
fn reads(set: fn(Builder) -> Builder, before: fn(&CircuitBreaker), succeeds: bool) -> u64 {
    let counting = Counting::default();
    let breaker = set(cb0(CircuitBreaker::builder())).clock(Clock::custom(counting.clone())).build().unwrap();
    before(&breaker);
    let first = counting.0.load(Ordering::Relaxed);
    _ = breaker.execute(|| if succeeds { Ok(()) } else { Err(()) });
    counting.0.load(Ordering::Relaxed) - first
}

fn fresh(_: &CircuitBreaker) {}

fn failures(breaker: &CircuitBreaker, count: usize) {
    for _ in 0..count {
        breaker.try_acquire().unwrap().failure();
    }
}

#[test]
fn none_while_closed_by_count() {
    assert_eq!(reads(|it| it, fresh, true), 0);
    assert_eq!(reads(|it| it, fresh, false), 0);
}

#[test]
fn one_when_it_opens_and_one_when_it_rejects() {
    assert_eq!(reads(|it| it, |it| failures(it, 4), false), 1);
    assert_eq!(reads(|it| it, |it| failures(it, 5), true), 1);
    assert_eq!(reads(|it| it, CircuitBreaker::force_open, true), 0);
}

#[test]
fn one_for_a_time_window_and_two_for_slow_calls() {
    assert_eq!(reads(|it| it.window_type(WindowType::Time), fresh, true), 1);
    assert_eq!(reads(|it| it.slow_call_duration(MS), fresh, true), 2);
    assert_eq!(reads(|it| it.slow_call_duration(MS).window_type(WindowType::Time), fresh, true), 2);
}

#[test]
fn none_when_disabled() {
    assert_eq!(reads(|it| it.slow_call_duration(MS).enabled(false), fresh, false), 0);
}

#[test]
fn none_in_metrics_only_though_the_rates_have_reached_their_threshold() {
    let failing = |breaker: &CircuitBreaker| {
        breaker.metrics_only();
        failures(breaker, 10);
    };
    assert_eq!((reads(|it| it, failing, false), reads(|it| it, failing, true)), (0, 0));
}
