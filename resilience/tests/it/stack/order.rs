//! The layers nest in the documented order whatever the order of the builder's calls, and what an outer one rejects
//! leaves the inner ones as they were.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
use resilience::{ManualClock, prelude::*};

use super::{Five, Set, Stack};
use crate::SECOND;

/// Builds with the calls in each of these orders; the type says the documented one.
macro_rules! built {
    ($($($method:ident)+;)+) => {$({
        let registry = Registry::builder().clock(ManualClock::new()).build();
        let pipeline: Pipeline<Five> = Pipeline::builder(&registry, "p")$(.$method(|it| it))+.build().unwrap();
        assert_eq!(pipeline.execute(|| Ok::<_, ()>(7)), Ok(7));
    })+};
}

#[test]
fn the_order_of_the_calls_does_not_matter() {
    built! {
        retry circuit_breaker rate_limiter timeout bulkhead;
        bulkhead timeout rate_limiter circuit_breaker retry;
        timeout retry bulkhead circuit_breaker rate_limiter;
        rate_limiter bulkhead retry timeout circuit_breaker;
        circuit_breaker timeout bulkhead retry rate_limiter;
    }
}

/// What each layer says of itself, from the outside to the inside.
fn states(stack: &Stack) -> [String; 5] {
    [
        format!("{:?}", stack.retry),
        format!("{:?}", stack.breaker),
        format!("{:?}", stack.limiter),
        format!("{:?}", stack.timeout),
        format!("{:?}", stack.bulkhead),
    ]
}

#[test]
fn a_rejection_leaves_all_inner_layers_as_they_were() {
    let set = Set { retry: |it| it.max_attempts(1), limiter: |it| it.permits(3).period(SECOND), ..Set::default() };
    let rejected = |stack: &Stack, inside: usize| {
        let before = states(stack);
        for _ in 0..10 {
            assert!(stack.pipeline.execute(|| -> Result<(), ()> { panic!("it runs") }).is_err());
        }
        assert_eq!(states(stack)[inside..], before[inside..]);
    };
    let open = Stack::new(ManualClock::new(), set);
    open.breaker.force_open();
    rejected(&open, 1);
    let limited = Stack::new(ManualClock::new(), set);
    limited.limiter.try_acquire_n(3).unwrap();
    rejected(&limited, 2);
}

proptest! {
    /// Law 1, whatever happened before: an outer rejection leaves every inner state bit for bit unchanged.
    #[test]
    fn a_rejection_leaves_all_inner_layers_as_they_were_whatever_happened_before(
        calls in prop::collection::vec((any::<bool>(), 0_u64..400), 0..30), outer in 0..3_usize, sync in any::<bool>(),
    ) {
        let clock = ManualClock::new();
        let set = Set {
            retry: |it| it.max_attempts(1),
            breaker: |it| it.window_size(10).minimum_calls(5).wait_in_open(SECOND),
            limiter: |it| it.permits(3).period(SECOND).max_wait(SECOND),
            bulkhead: |it| it.max_concurrent(2),
            ..Set::default()
        };
        let stack = Stack::new(&clock, set);
        for (works, pause) in calls {
            _ = stack.pipeline.execute(|| if works { Ok(()) } else { Err(()) });
            clock.advance(Duration::from_millis(pause));
        }
        let mut reserved = Vec::new();
        match outer {
            0 => stack.breaker.force_open(),
            1 => {
                stack.breaker.reset();
                (0..5).for_each(|_| stack.breaker.try_acquire().unwrap().failure());
            }
            _ => {
                stack.breaker.reset();
                stack.breaker.disable();
                reserved.extend(std::iter::from_fn(|| stack.limiter.reserve(1).ok()));
            }
        }
        let inside = if outer < 2 { 1 } else { 2 };
        let before = states(&stack);
        for _ in 0..3 {
            let call = || -> Result<(), ()> { panic!("it runs") };
            let result = if sync {
                stack.pipeline.execute(call)
            } else {
                let mut future = pin!(stack.pipeline.execute_async(|| async { call() }));
                let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
                    panic!("it waits")
                };
                result
            };
            prop_assert!(result.is_err());
        }
        prop_assert_eq!(&states(&stack)[inside..], &before[inside..]);
        prop_assert_eq!(clock.pending_tasks(), 0);
    }
}

/// A rejected call inside a limiter keeps the limiter's permit spent.
#[test]
fn a_rejection_further_in_costs_what_was_taken_further_out() {
    let set = Set { retry: |it| it.max_attempts(1), bulkhead: |it| it.max_concurrent(1), ..Set::default() };
    let stack = Stack::new(ManualClock::new(), set);
    let _held = stack.bulkhead.try_enter().unwrap();
    let before = stack.limiter.available_permits();
    assert_eq!(stack.pipeline.execute(|| Ok::<_, ()>(())).unwrap_err().code(), Some(Code::BulkheadFull));
    assert_eq!(stack.limiter.available_permits(), before - 1);
    assert_eq!(stack.breaker.snapshot().window.failed, 1);
}

/// Law 4: with every policy disabled the pipeline is the call itself.
#[test]
fn a_stack_that_is_switched_off_is_the_call_itself() {
    let off = Set {
        retry: |it| it.enabled(false),
        breaker: |it| it.window_size(1).enabled(false),
        limiter: |it| it.permits(1).enabled(false),
        timeout: |it| it.timeout(crate::MS).enabled(false),
        bulkhead: |it| it.max_concurrent(1).enabled(false),
    };
    let clock = ManualClock::new();
    let stack = Stack::new(&clock, off);
    let before = states(&stack);
    for n in 0..100_u32 {
        let result = if n % 2 == 0 { Ok(n) } else { Err(n) };
        let call = || {
            clock.advance(SECOND);
            stack.pipeline.execute(|| result).map_err(|error| *error.failure().expect("not rejected"))
        };
        assert_eq!(stack.pipeline.execute(call), result.map_err(Error::Failed));
    }
    assert_eq!(states(&stack), before);
    assert!(stack.events().is_empty());
}
