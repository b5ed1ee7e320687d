//! A probe gives its place back on every path.

use std::{
    future::pending,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::pin,
    task::{Context, Waker},
};

use resilience_breaker::{CircuitBreaker, OnDropped, State};
use resilience_core::{Call, Clock, Code, Kind, Layer, ManualClock, Outcome, Pipeline, Policy, Registry, Rejection};

use crate::{SECOND, breaker, cb0, fail, refused, succeed, trip};

fn half_open(clock: &ManualClock) -> CircuitBreaker {
    half_open_with(clock, OnDropped::Ignore)
}

fn half_open_with(clock: &ManualClock, on_dropped: OnDropped) -> CircuitBreaker {
    let breaker = breaker(clock, |it| cb0(it).on_dropped(on_dropped));
    trip(&breaker);
    clock.advance(SECOND);
    breaker
}

fn noop() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

#[test]
fn dropped_before_the_first_poll_it_never_was_one() {
    let clock = ManualClock::new();
    let breaker = half_open(&clock);
    drop(breaker.execute_async(|| async { Ok::<_, ()>(()) }));
    assert_eq!(breaker.state(), State::Open);
    succeed(&breaker);
}

#[test]
fn dropped_inside_it_frees_its_place_a_thousand_times_over() {
    let clock = ManualClock::new();
    let breaker = half_open(&clock);
    for _ in 0..1_000 {
        let mut probe = Box::pin(breaker.execute_async(pending::<Result<(), ()>>));
        assert!(probe.as_mut().poll(&mut noop()).is_pending());
        refused(&breaker);
        drop(probe);
        assert_eq!(breaker.snapshot().probes_running, 0);
    }
    succeed(&breaker);
    assert_eq!(breaker.state(), State::Closed);
}

#[tokio::test]
async fn aborted_with_its_task_it_frees_its_place() {
    let builder = cb0(CircuitBreaker::builder()).wait_in_open(crate::NS).clock(Clock::system());
    let breaker = std::sync::Arc::new(builder.build().unwrap());
    trip(&breaker);
    let task = tokio::spawn({
        let breaker = std::sync::Arc::clone(&breaker);
        async move { breaker.execute_async(pending::<Result<(), ()>>).await }
    });
    while breaker.snapshot().probes_running == 0 {
        tokio::task::yield_now().await;
    }
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert_eq!(breaker.snapshot().probes_running, 0);
    succeed(&breaker);
}

/// The policies inside may make it wait.
#[derive(Debug)]
struct Waits;

impl Policy for Waits {
    type At = resilience_core::at::RateLimiter;
    type Permit = ();

    fn id(&self) -> resilience_core::Id {
        resilience_core::Id::new("waits")
    }

    fn admit(&self, cx: &mut resilience_core::Cx<'_>) -> resilience_core::Admission<()> {
        resilience_core::Admission::GoAt((), cx.now().after(SECOND))
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut resilience_core::Cx<'_>) -> resilience_core::Verdict<()> {
        resilience_core::Verdict::Return
    }
}

#[test]
fn dropped_while_it_waits_for_a_permit_inside_it_frees_its_place() {
    let clock = ManualClock::new();
    let breaker = half_open(&clock);
    let registry = Registry::builder().clock(&clock).build();
    let pipeline = Pipeline::ordered(&registry, "p", (&breaker, (Waits, Call))).unwrap();
    let mut probe = Box::pin(pipeline.execute_async(|| async { Ok::<_, ()>(()) }));
    assert!(probe.as_mut().poll(&mut noop()).is_pending());
    assert_eq!(breaker.snapshot().probes_running, 1);
    drop(probe);
    let snapshot = breaker.snapshot();
    assert_eq!((snapshot.probes_running, snapshot.probes.calls, clock.pending_tasks()), (0, 0, 0));
    succeed(&breaker);
}

#[test]
fn a_panic_counts_as_a_failed_probe() {
    let clock = ManualClock::new();
    let breaker = half_open(&clock);
    let call = || -> Result<(), ()> { resume_unwind(Box::new("inside")) };
    let panic = catch_unwind(AssertUnwindSafe(|| breaker.execute(call)));
    assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"inside"));
    assert_eq!(breaker.state(), State::Open);
    assert_eq!(breaker.snapshot().open_for, Some(SECOND));
}

#[test]
fn a_panic_in_an_async_probe_counts_too() {
    let clock = ManualClock::new();
    let breaker = half_open(&clock);
    let mut probe = pin!(breaker.execute_async(async || -> Result<(), ()> { resume_unwind(Box::new("inside")) }));
    assert!(catch_unwind(AssertUnwindSafe(|| probe.as_mut().poll(&mut noop()))).is_err());
    assert_eq!(breaker.state(), State::Open);
}

#[test]
fn a_rejection_further_in_counts_as_a_failed_probe() {
    let clock = ManualClock::new();
    let breaker = half_open(&clock);
    let full = Rejection::new(Code::BulkheadFull, Kind::BULKHEAD_FULL, breaker.id(), Layer::BULKHEAD);
    breaker.try_acquire().unwrap().settle(&Outcome::Rejected(full));
    assert_eq!(breaker.state(), State::Open);
}

#[test]
fn a_dependency_that_hangs_under_a_dropping_caller_opens_the_breaker_if_drops_are_failures() {
    let clock = ManualClock::new();
    for (on_dropped, state) in [(OnDropped::Failure, State::Open), (OnDropped::Ignore, State::Closed)] {
        let breaker = breaker(&clock, |it| cb0(it).on_dropped(on_dropped));
        for _ in 0..5 {
            let mut call = Box::pin(breaker.execute_async(pending::<Result<(), ()>>));
            assert!(call.as_mut().poll(&mut noop()).is_pending());
        }
        assert_eq!(breaker.state(), state);
    }
}

#[test]
fn a_dropped_probe_is_a_failed_one_if_drops_are_failures() {
    let clock = ManualClock::new();
    let breaker = half_open_with(&clock, OnDropped::Failure);
    drop(breaker.try_acquire().unwrap());
    assert_eq!(breaker.state(), State::Open);
}

/// Law 3: no path leaves it half-open for ever.
#[test]
fn probes_that_never_end_have_their_time() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| cb0(it).max_wait_in_half_open(10 * SECOND));
    trip(&breaker);
    clock.advance(SECOND);
    let hung = breaker.try_acquire().unwrap();
    clock.advance(10 * SECOND - crate::NS);
    refused(&breaker);
    assert_eq!(breaker.state(), State::HalfOpen);
    clock.advance(crate::NS);
    let rejected = breaker.try_acquire().unwrap_err();
    assert_eq!((breaker.state(), rejected.retry_after()), (State::Open, Some(SECOND)));
    clock.advance(SECOND);
    succeed(&breaker);
    drop(hung);
    assert_eq!(breaker.state(), State::Closed);
}

/// However long nobody asked: the breaker opened when the time of the probes was over, and not when somebody looked.
#[test]
fn an_open_phase_that_nobody_saw_is_over_when_its_time_is() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| cb0(it).max_wait_in_half_open(10 * SECOND));
    trip(&breaker);
    clock.advance(SECOND);
    let hung = breaker.try_acquire().unwrap();
    clock.advance(11 * SECOND);
    succeed(&breaker);
    assert_eq!(breaker.state(), State::Closed);
    hung.failure();
    assert_eq!(breaker.snapshot().window.calls, 0);
}

#[test]
fn without_a_limit_probes_take_as_long_as_they_take() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| cb0(it).max_wait_in_half_open(std::time::Duration::ZERO));
    trip(&breaker);
    clock.advance(SECOND);
    let slow = breaker.try_acquire().unwrap();
    clock.advance(crate::YEAR);
    refused(&breaker);
    slow.success();
    fail(&breaker);
    assert_eq!(breaker.state(), State::Closed);
}
