//! The error that reaches the caller keeps who, which code and when to come back, through all layers.

use resilience::{Layer, ManualClock, breaker::State, prelude::*};

use super::{Set, Stack};
use crate::{MS, SECOND};

fn rejection(stack: &Stack) -> Rejection {
    let error = stack.pipeline.execute(|| Ok::<_, ()>(())).unwrap_err();
    *error.rejection().expect("it is rejected")
}

/// One attempt; a named instance in each layer.
fn set() -> Set {
    Set {
        retry: |it| it.max_attempts(1),
        breaker: |it| it.name("the-breaker"),
        limiter: |it| it.name("the-limiter").permits(3).period(300 * MS),
        timeout: |it| it.name("the-timeout").timeout(MS),
        bulkhead: |it| it.name("the-bulkhead").max_concurrent(1),
    }
}

#[test]
fn of_the_limiter() {
    let stack = Stack::new(ManualClock::new(), set());
    stack.limiter.try_acquire_n(3).unwrap();
    let it = rejection(&stack);
    assert_eq!(
        (it.instance().as_str(), it.layer(), it.code()),
        ("the-limiter", Layer::RATE_LIMITER, Code::RateLimitExceeded)
    );
    assert_eq!(it.retry_after(), Some(100 * MS));
}

#[test]
fn of_the_breaker() {
    let stack = Stack::new(
        ManualClock::new(),
        Set { breaker: |it| it.name("the-breaker").window_size(1).wait_in_open(SECOND), ..set() },
    );
    _ = stack.pipeline.execute(|| Err::<(), _>(()));
    assert_eq!(stack.breaker.state(), State::Open);
    let it = rejection(&stack);
    assert_eq!(
        (it.instance().as_str(), it.layer(), it.code()),
        ("the-breaker", Layer::CIRCUIT_BREAKER, Code::CallNotPermitted)
    );
    assert_eq!(it.retry_after(), Some(SECOND));
}

#[test]
fn of_the_bulkhead() {
    let stack = Stack::new(ManualClock::new(), set());
    let _held = stack.bulkhead.try_enter().unwrap();
    let it = rejection(&stack);
    assert_eq!((it.instance().as_str(), it.layer(), it.code()), ("the-bulkhead", Layer::BULKHEAD, Code::BulkheadFull));
}

#[test]
fn of_the_timeout() {
    let clock = ManualClock::new();
    let stack = Stack::new(&clock, set());
    let late = || {
        clock.advance(SECOND);
        Ok::<_, ()>(())
    };
    let error = stack.pipeline.execute(late).unwrap_err();
    let it = *error.rejection().unwrap();
    assert_eq!((it.instance().as_str(), it.layer(), it.code()), ("the-timeout", Layer::TIMEOUT, Code::TimedOut));
}

/// The limiter says when to come back, and the retry does so: not earlier, though its own delay is shorter.
#[test]
fn a_retry_comes_back_when_the_limiter_says() {
    let clock = ManualClock::new();
    let set = Set { retry: |it| it.max_attempts(2).delay(MS).jitter(resilience::retry::Jitter::None), ..set() };
    let stack = Stack::new(&clock, set);
    stack.limiter.try_acquire_n(3).unwrap();
    assert_eq!(stack.pipeline.execute(|| Ok::<_, ()>(7)), Ok(7));
    assert_eq!(clock.now(), 100 * MS);
}
