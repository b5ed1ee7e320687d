//! How long the call that runs on this thread may still take, and the limit that a call sets for its attempts.

use std::{
    cell::Cell,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use resilience_core::{
    Admission, Call, CallOptions, Clock, Code, Cx, Id, Interrupt, ManualClock, Nanos, Outcome, Pipeline, Policy,
    Registry, Verdict, at, remaining, testing::Ledger,
};

use crate::policies::{Again, Limit};

const MS: Duration = Duration::from_millis(1);

fn limited(clock: impl Into<Clock>, limit: Duration) -> Pipeline<(Limit, Call)> {
    let registry = Registry::builder().clock(clock).build();
    Pipeline::ordered(&registry, "p", (Limit(limit), Call)).unwrap()
}

fn noop() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

fn ask(pipeline: &Pipeline<(Limit, Call)>, options: CallOptions) -> Duration {
    let left = pipeline.execute_with(options.clone(), || Ok::<_, ()>(remaining())).unwrap().expect("it has a limit");
    let mut future = pin!(pipeline.execute_async_with(options, || async { Ok::<_, ()>(remaining()) }));
    let Poll::Ready(Ok(Some(by_task))) = future.as_mut().poll(&mut noop()) else { panic!("ready, with a limit") };
    assert_eq!(by_task, left);
    assert_eq!(remaining(), None);
    left
}

#[test]
fn the_earlier_of_a_layers_deadline_and_the_calls_own_is_told() {
    let clock = ManualClock::new();
    let pipeline = limited(&clock, 100 * MS);
    clock.advance(7 * MS);
    assert_eq!(ask(&pipeline, CallOptions::new()), 100 * MS);
    assert_eq!(ask(&pipeline, CallOptions::new().timeout(30 * MS)), 30 * MS);
    assert_eq!(ask(&pipeline, CallOptions::new().timeout(300 * MS)), 100 * MS);
    assert_eq!(ask(&pipeline, CallOptions::new().deadline(Nanos::ZERO.after(9 * MS))), 2 * MS);
}

#[test]
fn without_a_deadline_nothing_is_told() {
    let pipeline = Pipeline::builder(&Registry::new(), "p").build().unwrap();
    assert_eq!(pipeline.execute(|| Ok::<_, ()>(remaining())), Ok(None));
    let never = limited(Clock::system(), Duration::MAX);
    assert_eq!(never.execute(|| Ok::<_, ()>(remaining())), Ok(None));
    assert_eq!(remaining(), None);
}

#[test]
fn once_it_has_passed_nothing_remains() {
    let clock = ManualClock::new();
    let options = CallOptions::new().timeout(10 * MS);
    let mut left = Vec::new();
    _ = limited(&clock, Duration::MAX).execute_with(options, || {
        for _ in 0..3 {
            left.push(remaining().unwrap());
            clock.advance(6 * MS);
        }
        Ok::<_, ()>(())
    });
    assert_eq!(left, [10 * MS, 4 * MS, Duration::ZERO]);
}

#[test]
fn a_pipeline_further_in_makes_it_shorter_and_never_longer() {
    let manual = ManualClock::new();
    for clock in [manual.clock(), Clock::system()] {
        for (outer, inner) in [(10_000 * MS, 20_000 * MS), (20_000 * MS, 10_000 * MS)] {
            let (outer, inner) = (limited(&clock, outer), limited(&clock, inner));
            let before = Cell::new(None);
            let seen = outer.execute(|| {
                before.set(remaining());
                let inside = inner.execute(|| Ok::<_, ()>(remaining()));
                let less = |left: Option<Duration>, than| left <= than;
                assert!(less(remaining(), before.get()), "restored");
                inside
            });
            let seen = seen.unwrap().unwrap();
            assert!(seen <= 10_000 * MS && seen > 9_000 * MS, "{seen:?}");
            assert_eq!(remaining(), None);
        }
    }
}

#[test]
fn on_two_clocks_the_one_with_less_time_left_is_told() {
    let (one, two) = (ManualClock::new(), ManualClock::new());
    two.advance(3_600_000 * MS);
    for clocks in [[one.clock(), two.clock()], [one.clock(), Clock::system()], [Clock::system(), one.clock()]] {
        for limits in [[10_000 * MS, 90_000 * MS], [90_000 * MS, 10_000 * MS]] {
            let [outer, inner] = [limited(&clocks[0], limits[0]), limited(&clocks[1], limits[1])];
            let seen = outer.execute(|| {
                let seen = inner.execute(|| Ok::<_, ()>(remaining())).unwrap();
                let after = remaining().unwrap();
                assert!(after <= limits[0] && after > limits[0] - 1_000 * MS, "restored");
                Ok::<_, ()>(seen)
            });
            let seen = seen.unwrap().unwrap();
            assert!(seen <= 10_000 * MS && seen > 9_000 * MS, "{seen:?}");
        }
    }
    assert_eq!(remaining(), None);
}

/// Looks, then lets others run, so many times.
async fn looks(times: usize) -> Result<Vec<Duration>, ()> {
    let mut seen = Vec::new();
    poll_fn(|cx| {
        seen.push(remaining().expect("it has a limit"));
        cx.waker().wake_by_ref();
        if seen.len() < times { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    Ok(seen)
}

#[test]
fn tasks_that_take_turns_on_a_thread_never_see_one_anothers() {
    let clock = ManualClock::new();
    let (short, long) = (limited(&clock, 10 * MS), limited(&clock, 1_000 * MS));
    let own = CallOptions::new().timeout(100 * MS);
    let mut one = pin!(short.execute_async(|| looks(3)));
    let mut two = pin!(long.execute_async(|| looks(3)));
    let mut three = pin!(long.execute_async_with(own, || looks(3)));
    for _ in 0..2 {
        assert!(one.as_mut().poll(&mut noop()).is_pending());
        assert!(two.as_mut().poll(&mut noop()).is_pending());
        assert!(three.as_mut().poll(&mut noop()).is_pending());
        assert_eq!(remaining(), None);
        clock.advance(MS);
    }
    assert_eq!(two.as_mut().poll(&mut noop()), Poll::Ready(Ok(vec![1_000 * MS, 999 * MS, 998 * MS])));
    assert_eq!(one.as_mut().poll(&mut noop()), Poll::Ready(Ok(vec![10 * MS, 9 * MS, 8 * MS])));
    assert_eq!(three.as_mut().poll(&mut noop()), Poll::Ready(Ok(vec![100 * MS, 99 * MS, 98 * MS])));
    assert_eq!(remaining(), None);
}

#[test]
fn a_panic_and_a_drop_leave_nothing_behind() {
    let manual = ManualClock::new();
    for clock in [manual.clock(), Clock::system()] {
        let (outer, inner) = (limited(&clock, 90_000 * MS), limited(&clock, 10_000 * MS));
        let fail = || -> Result<(), ()> { std::panic::resume_unwind(Box::new("expected")) };
        outer
            .execute(|| {
                assert!(catch_unwind(AssertUnwindSafe(|| inner.execute(fail))).is_err());
                assert!(remaining().unwrap() > 10_000 * MS);
                for turns in 0..2 {
                    let body = || async {
                        for _ in 0..turns {
                            futures_lite::future::yield_now().await;
                        }
                        fail()
                    };
                    let mut future = Box::pin(inner.execute_async(body));
                    let mut poll = || future.as_mut().poll(&mut noop());
                    for _ in 0..turns {
                        assert!(poll().is_pending());
                    }
                    assert!(catch_unwind(AssertUnwindSafe(poll)).is_err());
                    assert!(remaining().unwrap() > 10_000 * MS);
                }
                let mut dropped = Box::pin(inner.execute_async(|| looks(2)));
                assert!(dropped.as_mut().poll(&mut noop()).is_pending());
                drop(dropped);
                assert!(remaining().unwrap() > 10_000 * MS);
                Ok::<_, ()>(())
            })
            .unwrap();
        assert_eq!(remaining(), None);
    }
}

#[test]
fn the_closure_that_makes_a_future_may_ask_too() {
    let clock = ManualClock::new();
    let pipeline = limited(&clock, 10 * MS);
    let mut future = pin!(pipeline.execute_async(|| std::future::ready(Ok::<_, ()>(remaining()))));
    assert_eq!(future.as_mut().poll(&mut noop()), Poll::Ready(Ok(Some(10 * MS))));
}

#[test]
fn every_attempt_has_its_own_time_within_that_of_the_call() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let retry = Again { attempts: 3, delay: 50 * MS };
    let pipeline = Pipeline::ordered(&registry, "p", (retry, (Limit(10 * MS), Call))).unwrap();
    let options = CallOptions::new().timeout(105 * MS);
    let mut seen = Vec::new();
    let result = pipeline.execute_with(options.clone(), || {
        seen.push(remaining().unwrap());
        Err::<(), _>("down")
    });
    assert!(result.is_err());
    assert_eq!(seen, [10 * MS, 10 * MS, 5 * MS]);

    seen.clear();
    let mut future = pin!(pipeline.execute_async_with(options, || {
        seen.push(remaining().unwrap());
        async { Err::<(), _>("down") }
    }));
    while future.as_mut().poll(&mut noop()).is_pending() {
        assert!(clock.advance_to_next());
    }
    assert_eq!(seen, [10 * MS, 10 * MS, 5 * MS]);
}

/// Says what the call asks for.
struct Sees;

impl Policy for Sees {
    type At = at::Timeout;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("sees")
    }

    fn admit(&self, cx: &mut Cx<'_>) -> Admission<()> {
        assert_eq!(cx.attempt_timeout(), Some(7 * MS));
        assert!(!cx.is_at_once());
        Admission::Go(())
    }

    fn settle(&self, (): (), outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<()> {
        assert_eq!(cx.attempt_timeout(), Some(7 * MS));
        assert_eq!(cx.is_at_once(), *outcome == Outcome::Ignored);
        Verdict::Return
    }
}

#[test]
fn policies_see_the_limit_that_a_call_sets_and_whether_it_was_ready_at_once() {
    let pipeline = Pipeline::ordered(&Registry::new(), "p", (Sees, Call)).unwrap();
    let pipeline = pipeline.with_classifier(|result: &Result<bool, ()>| match result {
        Ok(true) => resilience_core::Class::Ignored,
        _ => resilience_core::Class::Success,
    });
    let options = CallOptions::new().attempt_timeout(7 * MS);
    assert_eq!(pipeline.execute_with(options.clone(), || Ok(false)), Ok(false));
    let at_once = pipeline.execute_async_with(options.clone(), || async { Ok(true) });
    assert_eq!(futures_lite::future::block_on(at_once), Ok(true));
    let later = pipeline.execute_async_with(options, || async {
        futures_lite::future::yield_now().await;
        Ok(false)
    });
    assert_eq!(futures_lite::future::block_on(later), Ok(false));
    let clock = Clock::system();
    let longest = Cx::new(&clock).with_attempt_timeout(Duration::MAX).attempt_timeout();
    assert!(longest.is_some_and(|it| Nanos::ZERO.after(it) == Nanos::LAST), "set, and longer than any clock");
}

#[test]
fn a_call_that_begins_after_its_own_deadline_touches_no_layer() {
    let clock = ManualClock::new();
    clock.advance(10 * MS);
    let registry = Registry::builder().clock(&clock).build();
    let ledger = Arc::new(Ledger::new(Limit(MS)));
    let pipeline = Pipeline::ordered(&registry, "p", (Arc::clone(&ledger), Call)).unwrap();
    let options = CallOptions::new().deadline(Nanos::ZERO.after(9 * MS));
    let sync = pipeline.execute_with(options.clone(), || Ok::<_, ()>(())).unwrap_err();
    let mut future = pin!(pipeline.execute_async_with(options, || async { Ok::<_, ()>(()) }));
    assert_eq!(future.as_mut().poll(&mut noop()), Poll::Ready(Err(sync)));
    assert_eq!(sync.code(), Some(Code::TimedOut));
    assert!(ledger.outcomes().is_empty() && ledger.abandoned().is_empty());
}

#[test]
fn a_call_with_a_deadline_of_its_own_that_need_not_wait_is_not_interrupted() {
    let pipeline = limited(ManualClock::new(), 10 * MS);
    let interrupt = Interrupt::new();
    interrupt.trigger();
    let options = CallOptions::new().timeout(5 * MS).interrupt(&interrupt);
    assert_eq!(pipeline.execute_with(options.clone(), || Ok::<_, ()>(7)), Ok(7));
    let mut future = pin!(pipeline.execute_async_with(options, || async { Ok::<_, ()>(7) }));
    assert_eq!(future.as_mut().poll(&mut noop()), Poll::Ready(Ok(7)));
}

#[test]
fn a_call_with_a_deadline_of_its_own_reads_the_clock_when_it_begins_and_when_it_ends() {
    let reads = Arc::new(AtomicU32::new(0));
    let counting = Arc::clone(&reads);
    let clock = Clock::custom(move || {
        counting.fetch_add(1, Ordering::Relaxed);
        Duration::ZERO
    });
    let pipeline = limited(&clock, 10 * MS);
    let options = CallOptions::new().timeout(5 * MS);
    pipeline.execute_with(options.clone(), || Ok::<_, ()>(())).unwrap();
    assert_eq!(reads.swap(0, Ordering::Relaxed), 2);
    let mut future = pin!(pipeline.execute_async_with(options, || async { Ok::<_, ()>(()) }));
    assert!(future.as_mut().poll(&mut noop()).is_ready());
    assert_eq!(reads.load(Ordering::Relaxed), 2);
}
