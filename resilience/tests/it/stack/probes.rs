//! A probe of a half-open breaker, on its way through the real layers inside.

use std::{
    future::pending,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll, Waker},
};

use resilience::{ManualClock, breaker::State, prelude::*};

use super::{Set, Stack};
use crate::SECOND;

/// One attempt, one probe; a permit and a slot may be waited for.
fn set() -> Set {
    Set {
        retry: |it| it.max_attempts(1),
        breaker: |it| it.window_size(1).wait_in_open(SECOND).permitted_in_half_open(1),
        limiter: |it| it.permits(1).period(10 * SECOND).max_wait(60 * SECOND),
        timeout: |it| it.timeout(20 * SECOND),
        bulkhead: |it| it.max_concurrent(1).max_wait(60 * SECOND),
    }
}

/// Whose breaker waits for its first probe.
fn ready(clock: &ManualClock, set: Set) -> Stack {
    let stack = Stack::new(clock, set);
    stack.breaker.try_acquire().unwrap().failure();
    assert_eq!(stack.breaker.state(), State::Open);
    clock.advance(SECOND);
    stack
}

type Probe<'a> = Pin<Box<dyn Future<Output = Result<(), Error<()>>> + 'a>>;

fn poll(probe: &mut Probe<'_>) -> Poll<Result<(), Error<()>>> {
    probe.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// The place is free, nothing was counted, and the next probe decides.
fn its_place_is_free(stack: &Stack) {
    let seen = stack.breaker.snapshot();
    assert_eq!((seen.state, seen.probes_running, seen.probes.calls), (State::HalfOpen, 0, 0));
    assert!(stack.pipeline.execute(|| Ok::<_, ()>(())).is_ok());
    assert_eq!(stack.breaker.state(), State::Closed);
}

#[test]
fn dropped_while_it_waits_for_a_permit_it_frees_its_place_and_the_permit() {
    let clock = ManualClock::new();
    let stack = ready(&clock, set());
    stack.limiter.try_acquire().unwrap();
    let mut probe: Probe<'_> = Box::pin(stack.pipeline.execute_async(|| async { Ok(()) }));
    assert!(poll(&mut probe).is_pending());
    assert_eq!((stack.breaker.snapshot().probes_running, stack.limiter.snapshot().waiting), (1, 1));
    drop(probe);
    assert_eq!((stack.limiter.snapshot().waiting, clock.pending_tasks()), (0, 0));
    its_place_is_free(&stack);
}

#[test]
fn dropped_while_it_is_in_line_for_a_slot_it_frees_its_place_there_too() {
    let clock = ManualClock::new();
    let stack = ready(&clock, set());
    let held = stack.bulkhead.try_enter().unwrap();
    let mut probe: Probe<'_> = Box::pin(stack.pipeline.execute_async(|| async { Ok(()) }));
    assert!(poll(&mut probe).is_pending());
    assert_eq!((stack.breaker.snapshot().probes_running, stack.bulkhead.snapshot().queued), (1, 1));
    drop(probe);
    assert_eq!((stack.bulkhead.snapshot().queued, clock.pending_tasks()), (0, 0));
    drop(held);
    its_place_is_free(&stack);
}

#[test]
fn dropped_inside_it_frees_its_place_and_its_slot() {
    let clock = ManualClock::new();
    let stack = ready(&clock, set());
    let mut probe: Probe<'_> = Box::pin(stack.pipeline.execute_async(pending));
    assert!(poll(&mut probe).is_pending());
    assert_eq!((stack.breaker.snapshot().probes_running, stack.bulkhead.snapshot().in_use), (1, 1));
    drop(probe);
    assert_eq!((stack.bulkhead.snapshot().in_use, clock.pending_tasks()), (0, 0));
    its_place_is_free(&stack);
}

/// Rejected by the limiter, by the bulkhead, cut off by the timeout, or by a panic: it counts as a failed one.
#[test]
fn every_other_end_counts() {
    let clock = ManualClock::new();
    let ended = |stack: &Stack, code| {
        let seen = stack.breaker.snapshot();
        assert_eq!((seen.state, seen.open_for, seen.probes_running), (State::Open, Some(SECOND), 0), "{code:?}");
    };
    let rejected = |stack: &Stack, code| {
        assert_eq!(stack.pipeline.execute(|| Ok::<_, ()>(())).unwrap_err().code(), Some(code));
        ended(stack, code);
    };
    let limited = ready(&clock, Set { limiter: |it| it.permits(1), ..set() });
    limited.limiter.try_acquire().unwrap();
    rejected(&limited, Code::RateLimitExceeded);

    let full = ready(&clock, Set { bulkhead: |it| it.max_concurrent(1), ..set() });
    let _held = full.bulkhead.try_enter().unwrap();
    rejected(&full, Code::BulkheadFull);

    let hangs = ready(&clock, set());
    let mut probe: Probe<'_> = Box::pin(hangs.pipeline.execute_async(pending));
    assert!(poll(&mut probe).is_pending());
    clock.advance(20 * SECOND);
    assert_eq!(poll(&mut probe).map(|it| it.unwrap_err().code()), Poll::Ready(Some(Code::TimedOut)));
    ended(&hangs, Code::TimedOut);

    let panics = ready(&clock, set());
    let call = || -> Result<(), ()> { std::panic::resume_unwind(Box::new("inside")) };
    assert!(catch_unwind(AssertUnwindSafe(|| panics.pipeline.execute(call))).is_err());
    ended(&panics, Code::CallNotPermitted);
    assert_eq!(panics.bulkhead.snapshot().in_use, 0);
}
