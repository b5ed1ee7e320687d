//! One deadline through all layers.

use std::{
    cell::Cell,
    future::pending,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use resilience::{Layer, ManualClock, Nanos, prelude::*, remaining, retry::Jitter};

use super::{Set, Stack};
use crate::{MS, SECOND};

fn set() -> Set {
    Set {
        retry: |it| it.max_attempts(3).delay(10 * MS).jitter(Jitter::None),
        timeout: |it| it.timeout(100 * MS),
        bulkhead: |it| it.max_concurrent(1),
        ..Set::default()
    }
}

fn noop() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

/// B37
#[test]
fn a_blocking_call_that_ends_late_says_so_and_keeps_its_slot_until_then() {
    let clock = ManualClock::new();
    let stack = Stack::new(&clock, Set { retry: |it| it.max_attempts(1), ..set() });
    let in_use = Cell::new(0);
    let result: Result<(), Error<()>> = stack.pipeline.execute(|| {
        assert_eq!(remaining(), Some(100 * MS));
        clock.advance(299 * MS);
        in_use.set(stack.bulkhead.snapshot().in_use);
        assert_eq!(remaining(), Some(Duration::ZERO));
        clock.advance(MS);
        Ok(())
    });
    let rejection = *result.unwrap_err().rejection().unwrap();
    assert_eq!((rejection.code(), rejection.is_late()), (Code::TimedOut, true));
    assert_eq!((in_use.get(), stack.bulkhead.snapshot().in_use), (1, 0));
    let told: Vec<_> = stack.events().into_iter().filter(|it| it.starts_with("timeout")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn a_future_that_hangs_is_dropped_at_the_deadline_and_tried_again() {
    let clock = ManualClock::new();
    let stack = Stack::new(&clock, set());
    let mut future = pin!(stack.pipeline.execute_async(pending::<Result<(), ()>>));
    for attempt in 0..3 {
        assert!(future.as_mut().poll(&mut noop()).is_pending());
        assert_eq!(stack.bulkhead.snapshot().in_use, 1, "attempt {attempt}");
        clock.advance(100 * MS);
        if attempt < 2 {
            assert!(future.as_mut().poll(&mut noop()).is_pending());
            assert_eq!(stack.bulkhead.snapshot().in_use, 0);
            clock.advance(10 * MS * (attempt + 1));
        }
    }
    let Poll::Ready(Err(Error::Rejected(rejection))) = future.as_mut().poll(&mut noop()) else { panic!("it hangs") };
    assert_eq!((rejection.code(), rejection.layer(), rejection.is_late()), (Code::TimedOut, Layer::TIMEOUT, false));
    assert_eq!((stack.bulkhead.snapshot().in_use, clock.pending_tasks()), (0, 0));
    assert_eq!(stack.breaker.snapshot().window.failed, 3);
}

/// The timeout includes the wait for a slot, and not the one for a permit.
#[test]
fn the_timeout_begins_after_the_permit_and_before_the_slot() {
    let clock = ManualClock::new();
    let set = Set {
        retry: |it| it.max_attempts(1),
        limiter: |it| it.permits(1).period(SECOND).max_wait(SECOND),
        bulkhead: |it| it.max_concurrent(1).max_wait(SECOND),
        ..set()
    };
    let stack = Stack::new(&clock, set);
    assert!(stack.pipeline.execute(|| Ok::<_, ()>(())).is_ok());
    assert_eq!(stack.pipeline.execute(|| Ok::<_, ()>(remaining())), Ok(Some(100 * MS)));
    assert_eq!(clock.now(), Nanos::ZERO.after(SECOND));

    let _held = stack.bulkhead.try_enter().unwrap();
    let result = stack.pipeline.execute(|| Ok::<_, ()>(()));
    assert_eq!(result.unwrap_err().rejection().map(Rejection::layer), Some(Layer::TIMEOUT));
    assert_eq!(clock.now(), Nanos::ZERO.after(2 * SECOND + 100 * MS));
    assert_eq!(stack.bulkhead.snapshot().queued, 0);
}

#[test]
fn the_earliest_deadline_rules() {
    let clock = ManualClock::new();
    let (outer, inner) = (Stack::new(&clock, set()), Stack::new(&clock, set()));
    let left = |options: CallOptions| {
        outer.pipeline.execute(|| inner.pipeline.execute_with(options.clone(), || Ok::<_, ()>(remaining())))
    };
    assert_eq!(left(CallOptions::new()), Ok(Some(100 * MS)));
    assert_eq!(left(CallOptions::new().timeout(30 * MS)), Ok(Some(30 * MS)));
    assert_eq!(left(CallOptions::new().attempt_timeout(40 * MS)), Ok(Some(40 * MS)));
    assert_eq!(left(CallOptions::new().attempt_timeout(SECOND)), Ok(Some(100 * MS)), "the outer one holds");
    assert_eq!(remaining(), None);
}

/// A busy runtime polls it late, and by then a slot has come too.
#[test]
fn a_call_whose_deadline_passed_in_line_never_runs_though_it_was_handed_a_slot() {
    let clock = ManualClock::new();
    let stack = Stack::new(
        &clock,
        Set { retry: |it| it.max_attempts(1), bulkhead: |it| it.max_concurrent(1).max_wait(SECOND), ..set() },
    );
    let inside = stack.bulkhead.try_enter().unwrap();
    let call = || -> std::future::Ready<Result<(), ()>> { panic!("it starts after its deadline") };
    let mut future = pin!(stack.pipeline.execute_async(call));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    clock.advance(100 * MS + Duration::from_nanos(1));
    drop(inside);
    let Poll::Ready(Err(error)) = future.as_mut().poll(&mut noop()) else { panic!("cut off") };
    let rejection = error.rejection().unwrap();
    assert_eq!((rejection.layer(), rejection.is_late()), (Layer::TIMEOUT, false));
    assert_eq!((stack.bulkhead.available(), clock.pending_tasks()), (1, 0));
}
