//! Cases from the field that need more than one policy.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use resilience::{Clock, Kind, Layer, ManualClock, Nanos, breaker::State, prelude::*, retry::Jitter};

use super::{Set, Stack};
use crate::{MS, SECOND};

fn down<T>() -> Result<T, &'static str> {
    Err("down")
}

/// Retries as they come, without a delay.
fn at_once(it: resilience::retry::Builder) -> resilience::retry::Builder {
    it.max_attempts(3).delay(Duration::ZERO).abort_on(Kind::CALL_NOT_PERMITTED)
}

fn cb0(it: resilience::breaker::Builder) -> resilience::breaker::Builder {
    it.window_size(10).minimum_calls(5).failure_rate_threshold(50.0).wait_in_open(SECOND).permitted_in_half_open(1)
}

/// B15
#[test]
fn the_first_call_at_the_origin_of_the_clock_works() {
    const HOUR: Duration = Duration::from_secs(3_600);
    let set = Set {
        retry: |it| it.max_duration(HOUR),
        breaker: |it| it.wait_in_open(HOUR),
        limiter: |it| it.permits(10).period(48 * HOUR),
        timeout: |it| it.timeout(HOUR),
        bulkhead: |it| it.max_wait(HOUR),
    };
    for clock in [ManualClock::new().clock(), Clock::custom(|| Duration::ZERO)] {
        let stack = Stack::new(clock, set);
        assert_eq!(stack.limiter.available_permits(), 10);
        for n in 0..10 {
            assert_eq!(stack.pipeline.execute(|| Ok::<_, ()>(n)), Ok(n));
        }
        let none_left = stack.pipeline.execute(|| Ok::<_, ()>(10)).unwrap_err();
        assert_eq!(none_left.code(), Some(Code::RateLimitExceeded));
    }
}

/// B26
#[test]
fn a_call_may_go_through_the_same_stack_again() {
    let set =
        Set { limiter: |it| it.permits(10).period(SECOND), bulkhead: |it| it.max_concurrent(3), ..Set::default() };
    let stack = Stack::new(ManualClock::new(), set);
    let (pipeline, depth) = (&stack.pipeline, |n: u8| Ok::<_, Error<()>>(n));
    let result = pipeline.execute(|| pipeline.execute(|| pipeline.execute(|| depth(3))));
    assert!(result.is_ok());
    assert_eq!((stack.breaker.snapshot().window.calls, stack.breaker.snapshot().window.failed), (3, 0));
    assert_eq!((stack.limiter.available_permits(), stack.bulkhead.snapshot().available), (7, 3));
}

/// B28, for a breaker that has tripped and for one that is forced open, whether somebody listens or not.
#[test]
fn an_open_breaker_touches_nothing_inside() {
    let set = Set {
        breaker: cb0,
        limiter: |it| it.permits(1).period(10 * SECOND).max_wait(60 * SECOND),
        bulkhead: |it| it.max_concurrent(1).max_wait(60 * SECOND),
        ..Set::default()
    };
    for (trips, heard) in [(true, true), (true, false), (false, true), (false, false)] {
        let clock = ManualClock::new();
        let stack = Stack::new(&clock, set);
        let stack = if heard { stack } else { stack.unheard() };
        stack.limiter.try_acquire().unwrap();
        let _held = stack.bulkhead.try_enter().unwrap();
        if trips {
            (0..5).for_each(|_| stack.breaker.try_acquire().unwrap().failure());
        } else {
            stack.breaker.force_open();
        }
        let state = stack.breaker.state();
        assert_eq!(state, if trips { State::Open } else { State::ForcedOpen });
        let before = [format!("{:?}", stack.limiter), format!("{:?}", stack.bulkhead)];
        stack.events();
        let call = || -> Result<(), ()> { panic!("it runs") };
        assert_eq!(stack.pipeline.execute(call).unwrap_err().code(), Some(Code::CallNotPermitted));
        let mut future = Box::pin(stack.pipeline.execute_async(|| async { call() }));
        let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("waits")
        };
        assert_eq!(result.unwrap_err().code(), Some(Code::CallNotPermitted));
        assert_eq!((clock.now(), clock.pending_tasks()), (Nanos::ZERO, 0));
        assert_eq!([format!("{:?}", stack.limiter), format!("{:?}", stack.bulkhead)], before);
        assert_eq!(stack.bulkhead.snapshot().queued, 0);
        let events = stack.events();
        assert!(!events.iter().any(|it| it.starts_with("rate_limiter") || it.starts_with("bulkhead")), "{events:?}");
        assert_eq!(stack.limiter.reserve(1).unwrap().wait(), 10 * SECOND, "its next slot is where it was");
    }
}

/// B33
#[test]
fn an_open_breaker_is_never_retried_whatever_the_lists_say() {
    let breaker = |it: resilience::breaker::Builder| {
        it.window_size(2).minimum_calls(2).failure_rate_threshold(50.0).wait_in_open(SECOND)
    };
    let retries: [fn(resilience::retry::Builder) -> resilience::retry::Builder; 3] = [
        |it| it,
        |it| it.retry_on([Kind::FAILED, Kind::CALL_NOT_PERMITTED]),
        |it| it.abort_on([Kind::TIMED_OUT, Kind::PANICKED]),
    ];
    for set in retries {
        let (clock, inside) = (ManualClock::new(), Cell::new(0));
        let registry = Registry::builder().clock(&clock).build();
        let retry = |it: resilience::retry::Builder| set(it.max_attempts(5).delay(10 * MS).jitter(Jitter::None));
        let fixed = |it| retry(it).backoff(resilience::retry::Backoff::Fixed);
        let pipeline = Pipeline::builder(&registry, "p").circuit_breaker(breaker).retry(fixed).build().unwrap();
        let result: Result<(), _> = pipeline.execute(|| {
            inside.set(inside.get() + 1);
            down()
        });
        assert_eq!(result.unwrap_err().code(), Some(Code::CallNotPermitted));
        assert_eq!((inside.get(), clock.now()), (2, Nanos::ZERO.after(20 * MS)));
    }
}

/// B45
#[test]
fn the_fallback_is_asked_once_after_everything_else() {
    let (inside, fallbacks) = (Cell::new(0), std::sync::Mutex::new(Vec::new()));
    let registry = Registry::builder().clock(ManualClock::new()).build();
    let build = |id: &str| Pipeline::builder(&registry, id).retry(at_once).circuit_breaker(cb0);
    let calls = || {
        inside.set(inside.get() + 1);
        Err::<&str, _>(inside.get())
    };

    let fallback = |error: &Error<i32>| {
        fallbacks.lock().unwrap().push(*error);
        Ok::<_, i32>("fallback")
    };
    let pipeline = build("value").fallback(fallback).build().unwrap();
    assert_eq!(pipeline.execute(calls), Ok("fallback"));
    assert_eq!((inside.get(), fallbacks.lock().unwrap().as_slice()), (3, [Error::Failed(3)].as_slice()));

    inside.set(0);
    let pipeline = build("error").fallback(|_: &Error<i32>| Err::<&str, _>(77)).build().unwrap();
    assert_eq!(pipeline.execute(calls), Err(Error::Failed(77)));
    assert_eq!((inside.get(), registry.circuit_breaker("error").unwrap().snapshot().window.calls), (3, 3));
}

/// B45
#[test]
fn a_panic_of_the_fallback_comes_out_unchanged_and_is_neither_tried_again_nor_recorded() {
    let (inside, fallbacks) = (Cell::new(0), Arc::new(AtomicU32::new(0)));
    let asked = Arc::clone(&fallbacks);
    let registry = Registry::builder().clock(ManualClock::new()).build();
    let fallback = move |_: &Error<&str>| -> Result<(), &str> {
        asked.fetch_add(1, Ordering::Relaxed);
        std::panic::resume_unwind(Box::new("of the fallback"))
    };
    let builder = Pipeline::builder(&registry, "p").retry(at_once).circuit_breaker(cb0).bulkhead(|it| it);
    let pipeline = builder.fallback(fallback).build().unwrap();
    let run = catch_unwind(AssertUnwindSafe(|| {
        pipeline.execute(|| {
            inside.set(inside.get() + 1);
            down()
        })
    }));
    assert_eq!(run.unwrap_err().downcast_ref(), Some(&"of the fallback"));
    assert_eq!((inside.get(), fallbacks.load(Ordering::Relaxed)), (3, 1));
    assert_eq!(registry.circuit_breaker("p").unwrap().snapshot().window.calls, 3);
    assert_eq!(registry.bulkhead("p").unwrap().snapshot().in_use, 0);
}

/// B45
#[test]
fn rejections_of_every_kind_reach_the_fallback_as_they_are() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let kinds = std::sync::Mutex::new(Vec::new());
    let seen = |error: &Error<()>| {
        kinds.lock().unwrap().push(error.rejection().map(|it| (it.layer(), it.kind(), it.code())));
        Ok::<_, ()>(())
    };
    let open = Pipeline::builder(&registry, "open").circuit_breaker(|it| it).fallback(seen).build().unwrap();
    registry.circuit_breaker("open").unwrap().force_open();
    let limited =
        Pipeline::builder(&registry, "limited").rate_limiter(|it| it.permits(1)).fallback(seen).build().unwrap();
    registry.rate_limiter("limited").unwrap().try_acquire().unwrap();
    let full = Pipeline::builder(&registry, "full").bulkhead(|it| it.max_concurrent(1)).fallback(seen).build().unwrap();
    let bulkhead = registry.bulkhead("full").unwrap();
    let _held = bulkhead.try_enter().unwrap();
    let late = Pipeline::builder(&registry, "late").timeout(|it| it.timeout(MS)).fallback(seen).build().unwrap();

    let call = || {
        clock.advance(2 * MS);
        Ok(())
    };
    assert_eq!([open.execute(call), limited.execute(call), full.execute(call), late.execute(call)], [Ok(()); 4]);
    let expected = [
        (Layer::CIRCUIT_BREAKER, Kind::CALL_NOT_PERMITTED, Code::CallNotPermitted),
        (Layer::RATE_LIMITER, Kind::RATE_LIMIT_EXCEEDED, Code::RateLimitExceeded),
        (Layer::BULKHEAD, Kind::BULKHEAD_FULL, Code::BulkheadFull),
        (Layer::TIMEOUT, Kind::TIMED_OUT, Code::TimedOut),
    ];
    assert_eq!(*kinds.lock().unwrap(), expected.map(Some));
}

/// B48
#[test]
fn each_attempt_counts_in_the_breaker() {
    let inside = Cell::new(0);
    let registry = Registry::builder().clock(ManualClock::new()).build();
    let pipeline = Pipeline::builder(&registry, "p").circuit_breaker(cb0).retry(at_once).build().unwrap();
    let call = || {
        inside.set(inside.get() + 1);
        down::<()>()
    };
    assert_eq!(pipeline.execute(call), Err(Error::Failed("down")));
    assert_eq!(inside.get(), 3);
    assert_eq!(pipeline.execute(call).unwrap_err().code(), Some(Code::CallNotPermitted));
    assert_eq!(inside.get(), 5, "it opens on the second attempt");
}

/// B48
#[test]
fn our_own_rejections_open_the_breaker_unless_they_are_ignored() {
    type Breaker = fn(resilience::breaker::Builder) -> resilience::breaker::Builder;
    let sets: [(Breaker, State, u64); 2] =
        [(cb0, State::Open, 5), (|it| cb0(it).ignore_on(Kind::BULKHEAD_FULL), State::Closed, 0)];
    for (breaker, state, calls) in sets {
        let registry = Registry::builder().clock(ManualClock::new()).build();
        let builder = Pipeline::builder(&registry, "p").circuit_breaker(breaker);
        let pipeline = builder.bulkhead(|it| it.max_concurrent(1)).build().unwrap();
        let bulkhead = registry.bulkhead("p").unwrap();
        let _held = bulkhead.try_enter().unwrap();
        for _ in 0..5 {
            assert_eq!(pipeline.execute(|| Ok::<_, ()>(())).unwrap_err().code(), Some(Code::BulkheadFull));
        }
        let breaker = registry.circuit_breaker("p").unwrap();
        assert_eq!((breaker.state(), breaker.snapshot().window.calls), (state, calls));
    }
}
