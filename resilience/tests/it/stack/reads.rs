//! How often a call of the full stack reads the clock.

use std::{
    future::{pending, ready},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Waker},
    time::Duration,
};

use resilience::{Clock, TimeSource};

use super::{Set, Stack};
use crate::SECOND;

#[derive(Clone, Default)]
struct Counting(Arc<AtomicU64>);

impl TimeSource for Counting {
    fn now(&self) -> Duration {
        self.0.fetch_add(1, Ordering::Relaxed);
        SECOND
    }
}

/// The readings that `call` takes, once one call has gone through. Nobody listens.
fn reads(set: Set, call: impl Fn(&Stack)) -> u64 {
    let counting = Counting::default();
    let stack = Stack::new(Clock::custom(counting.clone()), set).unheard();
    assert!(stack.pipeline.execute(|| Ok::<_, ()>(())).is_ok());
    let before = counting.0.load(Ordering::Relaxed);
    call(&stack);
    counting.0.load(Ordering::Relaxed) - before
}

fn sync(stack: &Stack) {
    assert!(stack.pipeline.execute(|| Ok::<_, ()>(())).is_ok());
}

fn ready_at_once(stack: &Stack) {
    let mut future = pin!(stack.pipeline.execute_async(|| ready(Ok::<_, ()>(()))));
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
}

#[test]
fn one_for_a_future_that_is_ready_at_once() {
    assert_eq!(reads(Set::default(), ready_at_once), 1);
}

/// The second one tells whether the thread came back in time.
#[test]
fn two_for_a_thread_and_one_without_a_limit() {
    assert_eq!(reads(Set::default(), sync), 2);
    assert_eq!(reads(Set { timeout: |it| it.enabled(false), ..Set::default() }, sync), 1);
    assert_eq!(reads(Set { timeout: |it| it.timeout(Duration::MAX), ..Set::default() }, sync), 1);
}

#[test]
fn one_more_for_slow_calls_and_time_windows_each_at_most() {
    let slow = Set { breaker: |it| it.slow_call_duration(SECOND), ..Set::default() };
    assert_eq!(reads(slow, ready_at_once), 2);
    let by_time = Set { breaker: |it| it.window_type(resilience::breaker::WindowType::Time), ..Set::default() };
    assert_eq!(reads(by_time, ready_at_once), 2);
    assert_eq!(reads(slow, sync), 2, "one reading serves all layers of a pass");
}

#[test]
fn one_for_a_rejection_by_the_limiter_and_one_by_an_open_breaker() {
    let once = Set { retry: |it| it.max_attempts(1), limiter: |it| it.permits(1), ..Set::default() };
    let refused = |stack: &Stack| assert!(stack.pipeline.execute(|| Ok::<_, ()>(())).is_err());
    assert_eq!(reads(once, refused), 1);
    let opened = |stack: &Stack| {
        stack.breaker.force_open();
        refused(stack);
    };
    assert_eq!(reads(once, opened), 1, "the one that forces it open");
}

#[test]
fn a_call_that_is_pending_reads_once_more_for_its_timer_at_most() {
    let hangs = |stack: &Stack| {
        let mut future = pin!(stack.pipeline.execute_async(pending::<Result<(), ()>>));
        assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    };
    assert!(reads(Set::default(), hangs) <= 2);
}
