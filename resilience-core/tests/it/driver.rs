//! Waiting, queueing, deadlines and further attempts, sync and async.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use resilience_core::{
    Call, CallOptions, Clock, Code, Error, Interrupt, Kind, Layer, ManualClock, Nanos, Outcome, Pipeline, Policy,
    Registry, Rejection, Was, testing::Ledger,
};

use crate::policies::{Again, EveryThird, Fragile, Gate, Limit};

const MS: Duration = Duration::from_millis(1);

fn on(clock: &ManualClock) -> Registry {
    Registry::builder().clock(clock).seed(1).build()
}

fn noop() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

fn again(attempts: u64, delay: Duration) -> Arc<Ledger<Again>> {
    Arc::new(Ledger::new(Again { attempts, delay }))
}

#[test]
fn an_empty_pipeline_is_the_call_itself() {
    let pipeline = Pipeline::builder(&Registry::new(), "p").build().unwrap();
    assert_eq!(pipeline.execute(|| Ok::<_, ()>(7)), Ok(7));
    assert_eq!(pipeline.execute(|| Err::<(), _>(8)), Err(Error::Failed(8)));
    assert_eq!(pipeline.execute_once(|| Ok::<_, ()>(9)), Ok(9));
    assert_eq!(size_of_val(pipeline.stack()), 0);
}

#[test]
fn another_attempt_runs_after_its_delay_sync_and_async() {
    let clock = ManualClock::new();
    let retry = again(3, 10 * MS);
    let pipeline = Pipeline::ordered(&on(&clock), "p", (Arc::clone(&retry), Call)).unwrap();
    let mut starts = Vec::new();
    let result: Result<(), _> = pipeline.execute(|| {
        starts.push(Duration::from(clock.now()));
        Err(starts.len())
    });
    assert_eq!(result, Err(Error::Failed(3)), "the last error, unchanged");
    assert_eq!(starts, [Duration::ZERO, 10 * MS, 20 * MS]);

    let attempts = Cell::new(0);
    let mut future = pin!(pipeline.execute_async(|| {
        attempts.set(attempts.get() + 1);
        let attempt = attempts.get();
        async move { if attempt < 3 { Err(attempt) } else { Ok(attempt) } }
    }));
    for expected in 1..3 {
        assert!(future.as_mut().poll(&mut noop()).is_pending());
        assert_eq!((attempts.get(), clock.pending_tasks()), (expected, 1));
        clock.advance(10 * MS - Duration::from_nanos(1));
        assert!(future.as_mut().poll(&mut noop()).is_pending());
        clock.advance(Duration::from_nanos(1));
    }
    assert_eq!(future.as_mut().poll(&mut noop()), Poll::Ready(Ok(3)));
    assert_eq!((clock.pending_tasks(), retry.outstanding()), (0, 0));
}

#[test]
fn every_attempt_passes_the_inner_layers_again() {
    let clock = ManualClock::new();
    let (retry, third) = (again(3, MS), Arc::new(Ledger::new(EveryThird::default())));
    let pipeline = Pipeline::builder(&on(&clock), "p").policy(Arc::clone(&third)).policy(Arc::clone(&retry));
    let pipeline = pipeline.build().unwrap();
    let mut runs = 0;
    let result: Result<(), _> = pipeline.execute(|| {
        runs += 1;
        Err("down")
    });
    let rejection = *result.unwrap_err().rejection().expect("the third attempt is the third call");
    assert_eq!((rejection.kind().name(), rejection.instance().as_str()), ("every_third", "every-third"));
    assert_eq!(runs, 2);
    assert_eq!(retry.outcomes().last(), Some(&Outcome::Rejected(rejection)));
    assert_eq!((retry.outstanding(), third.outstanding()), (0, 0));
}

#[test]
fn a_deadline_cuts_the_inside_off_and_outer_layers_see_the_rejection() {
    let clock = ManualClock::new();
    let outer = again(2, MS);
    let pipeline = Pipeline::builder(&on(&clock), "p").policy(Limit(10 * MS)).policy(Arc::clone(&outer));
    let pipeline = pipeline.build().unwrap();

    let dropped = Cell::new(0);
    let mut future = pin!(pipeline.execute_async(|| {
        let counts = OnDrop(&dropped);
        async move {
            let _counts = counts;
            std::future::pending::<Result<(), ()>>().await
        }
    }));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    clock.advance(10 * MS - Duration::from_nanos(1));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    assert_eq!(dropped.get(), 0);
    clock.advance(Duration::from_nanos(1));
    assert!(future.as_mut().poll(&mut noop()).is_pending(), "another attempt is due");
    assert_eq!((dropped.get(), clock.pending_tasks()), (1, 1));
    clock.advance(MS);
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    clock.advance(10 * MS);
    let Poll::Ready(Err(Error::Rejected(rejection))) = future.as_mut().poll(&mut noop()) else { panic!("cut off") };
    assert_eq!((rejection.code(), rejection.layer()), (Code::TimedOut, Layer::TIMEOUT));
    assert_eq!((dropped.get(), clock.pending_tasks(), outer.outstanding()), (2, 0, 0));
    assert_eq!(outer.outcomes(), [Outcome::Rejected(rejection); 2]);
}

struct OnDrop<'a>(&'a Cell<u32>);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn at_the_very_deadline_the_value_wins() {
    let clock = ManualClock::new();
    let pipeline = Pipeline::ordered(&on(&clock), "p", (Limit(10 * MS), Call)).unwrap();
    let at = Nanos::ZERO.after(10 * MS);
    let inside =
        || std::future::poll_fn(|_| if clock.now() >= at { Poll::Ready(Ok::<_, ()>(7)) } else { Poll::Pending });
    let mut future = pin!(pipeline.execute_async(inside));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    clock.advance_to(at);
    assert_eq!(future.as_mut().poll(&mut noop()), Poll::Ready(Ok(7)));
    assert_eq!(clock.pending_tasks(), 0);
}

#[test]
fn of_nested_deadlines_the_earliest_rules() {
    for (outer, inner) in [(10 * MS, 20 * MS), (20 * MS, 10 * MS)] {
        let clock = ManualClock::new();
        let limits = [Arc::new(Ledger::new(Limit(outer))), Arc::new(Ledger::new(Limit(inner)))];
        // A layer stands once in a pipeline: two are nested as pipelines.
        let inside = Pipeline::ordered(&on(&clock), "inner", (Arc::clone(&limits[1]), Call)).unwrap();
        let outside = Pipeline::ordered(&on(&clock), "outer", (Arc::clone(&limits[0]), Call)).unwrap();
        let hang = std::future::pending::<Result<(), ()>>;
        let mut future = pin!(outside.execute_async(|| inside.execute_async(hang)));
        assert!(future.as_mut().poll(&mut noop()).is_pending());
        clock.advance(10 * MS);
        let Poll::Ready(Err(error)) = future.as_mut().poll(&mut noop()) else { panic!("cut off") };
        assert_eq!(matches!(error, Error::Rejected(_)), outer < inner);
        assert_eq!(limits.iter().map(|limit| limit.outstanding()).sum::<usize>(), 0);
        assert_eq!(clock.pending_tasks(), 0);
    }
}

#[test]
fn a_custom_order_with_a_layer_twice_is_an_error() {
    let error = Pipeline::custom_order(&Registry::new(), "p", (Limit(MS), (Limit(MS), Call))).unwrap_err();
    assert_eq!(error.code(), Code::DuplicateLayer);
    assert_eq!(error.to_string(), "R4C-ORD-001: the layer timeout stands twice in the order of `p`");
    assert!(Pipeline::custom_order(&Registry::new(), "p", (Limit(MS), (again(1, MS), Call))).is_ok());
}

#[test]
fn the_deadline_of_a_call_cuts_it_off_and_marks_a_late_result() {
    let clock = ManualClock::new();
    let gate = Arc::new(Gate::new(Duration::ZERO));
    let pipeline = Pipeline::ordered(&on(&clock), "p", (Arc::clone(&gate), Call)).unwrap();
    let options = CallOptions::new().timeout(10 * MS);

    let late = pipeline.execute_with(options.clone(), || {
        clock.advance(11 * MS);
        Ok::<_, ()>(7)
    });
    let rejection = *late.unwrap_err().rejection().expect("never an Ok after the limit");
    assert_eq!((rejection.code(), rejection.layer(), rejection.is_late()), (Code::TimedOut, Layer::CALL, true));
    assert_eq!(rejection.instance().as_str(), "p");
    assert!(gate.is_free());

    let just = pipeline.execute_with(options.clone(), || {
        clock.advance(10 * MS);
        Ok::<_, ()>(7)
    });
    assert_eq!(just, Ok(7));

    let mut future = pin!(pipeline.execute_async_with(options, std::future::pending::<Result<(), ()>>));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    clock.advance(10 * MS);
    let Poll::Ready(Err(error)) = future.as_mut().poll(&mut noop()) else { panic!("cut off") };
    assert_eq!(error.rejection().map(Rejection::is_late), Some(false));
    assert!(gate.is_free());
    assert_eq!(clock.pending_tasks(), 0);

    let over = CallOptions::new().deadline(Nanos::ZERO);
    let refused = pipeline.execute_with(over, || -> Result<(), ()> { panic!("it runs") });
    assert_eq!(refused.unwrap_err().code(), Some(Code::TimedOut));
}

#[test]
fn a_queue_is_first_come_first_served_for_threads_and_tasks() {
    let registry = Registry::new();
    let gate = Arc::new(Gate::new(Duration::from_secs(60)));
    let pipeline = Pipeline::ordered(&registry, "p", (Arc::clone(&gate), Call)).unwrap();
    let inside = AtomicBool::new(false);
    let visit = || {
        assert!(!inside.swap(true, Ordering::SeqCst), "two at once");
        thread::yield_now();
        inside.store(false, Ordering::SeqCst);
        Ok::<_, ()>(())
    };
    thread::scope(|scope| {
        for n in 0..8 {
            let (pipeline, visit) = (&pipeline, &visit);
            scope.spawn(move || {
                for _ in 0..200 {
                    let result = if n % 2 == 0 {
                        pipeline.execute(visit)
                    } else {
                        futures_lite::future::block_on(pipeline.execute_async(|| async { visit() }))
                    };
                    assert_eq!(result, Ok(()));
                }
            });
        }
    });
    assert!(gate.is_free());
}

#[test]
fn who_gives_up_leaves_the_queue_and_the_next_one_is_woken() {
    let clock = ManualClock::new();
    let gate = Arc::new(Ledger::new(Gate::new(20 * MS)));
    let pipeline = Pipeline::ordered(&on(&clock), "p", (Arc::clone(&gate), Call)).unwrap();
    let mut holder = Box::pin(pipeline.execute_async(std::future::pending::<Result<(), ()>>));
    assert!(holder.as_mut().poll(&mut noop()).is_pending());

    let mut first = Box::pin(pipeline.execute_async(|| async { Ok::<_, ()>(1) }));
    let mut second = Box::pin(pipeline.execute_async(|| async { Ok::<_, ()>(2) }));
    let mut third = Box::pin(pipeline.execute_async(|| async { Ok::<_, ()>(3) }));
    assert!(first.as_mut().poll(&mut noop()).is_pending());
    clock.advance(MS);
    assert!(second.as_mut().poll(&mut noop()).is_pending());
    assert!(third.as_mut().poll(&mut noop()).is_pending());
    assert_eq!(clock.pending_tasks(), 3);
    drop(second);
    clock.advance(19 * MS);
    let Poll::Ready(Err(error)) = first.as_mut().poll(&mut noop()) else { panic!("its time is up") };
    assert_eq!(error.code(), Some(Code::BulkheadFull));
    drop(holder);
    assert_eq!(third.as_mut().poll(&mut noop()), Poll::Ready(Ok(3)));
    assert_eq!((gate.outstanding(), clock.pending_tasks()), (0, 0));
    assert!(gate.abandoned().contains(&Was::Queued));
}

#[test]
fn a_sync_waiter_in_a_queue_moves_a_manual_clock_to_its_own_limit() {
    let clock = ManualClock::new();
    let pipeline = Pipeline::ordered(&on(&clock), "p", (Gate::new(20 * MS), Call)).unwrap();
    let result = pipeline.execute(|| pipeline.execute(|| Ok::<_, ()>(())));
    let Err(Error::Failed(Error::Rejected(rejection))) = result else { panic!("nobody can free its place") };
    assert_eq!(rejection.kind(), Kind::BULKHEAD_FULL);
    assert_eq!(clock.now(), 20 * MS);
}

#[test]
fn a_deadline_includes_the_time_in_a_queue() {
    let clock = ManualClock::new();
    let gate = Arc::new(Gate::new(Duration::from_secs(60)));
    let pipeline =
        Pipeline::builder(&on(&clock), "p").policy(Arc::clone(&gate)).policy(Limit(10 * MS)).build().unwrap();
    let mut holder = Box::pin(pipeline.execute_async(|| std::future::ready(Ok::<_, ()>(()))));
    let other = Pipeline::ordered(&on(&clock), "hold", (Arc::clone(&gate), Call)).unwrap();
    let mut held = Box::pin(other.execute_async(std::future::pending::<Result<(), ()>>));
    assert!(held.as_mut().poll(&mut noop()).is_pending());
    assert!(holder.as_mut().poll(&mut noop()).is_pending());
    clock.advance(10 * MS);
    let Poll::Ready(Err(error)) = holder.as_mut().poll(&mut noop()) else { panic!("its time is up") };
    assert_eq!(error.code(), Some(Code::TimedOut));
    assert_eq!(gate.queued(), 0);
}

#[test]
fn a_place_that_is_free_at_the_very_deadline_is_taken() {
    let clock = ManualClock::new();
    let gate = Arc::new(Gate::new(Duration::from_secs(60)));
    let registry = on(&clock);
    let pipeline = Pipeline::builder(&registry, "p").policy(Arc::clone(&gate)).policy(Limit(10 * MS)).build().unwrap();
    let other = Pipeline::ordered(&registry, "hold", (Arc::clone(&gate), Call)).unwrap();
    let mut held = Box::pin(other.execute_async(std::future::pending::<Result<(), ()>>));
    assert!(held.as_mut().poll(&mut noop()).is_pending());
    let mut waiter = pin!(pipeline.execute_async(|| async { Ok::<_, ()>(7) }));
    assert!(waiter.as_mut().poll(&mut noop()).is_pending());
    clock.advance(10 * MS);
    drop(held);
    assert_eq!(waiter.as_mut().poll(&mut noop()), Poll::Ready(Ok(7)));
}

#[test]
fn an_interrupt_from_another_thread_ends_a_delay() {
    let pipeline = Pipeline::ordered(&Registry::new(), "p", (again(2, Duration::from_secs(3_600)), Call)).unwrap();
    let interrupt = Interrupt::new();
    let result = thread::scope(|scope| {
        let options = CallOptions::new().interrupt(&interrupt);
        let call = scope.spawn(|| pipeline.execute_with(options, || Err::<(), _>("down")));
        interrupt.trigger();
        call.join().unwrap()
    });
    let rejection = *result.unwrap_err().rejection().expect("interrupted");
    assert_eq!((rejection.code(), rejection.instance().as_str()), (Code::Interrupted, "again"));
    interrupt.clear();
    assert!(!interrupt.is_triggered());
}

#[test]
fn a_policy_that_panics_costs_the_outer_ones_nothing() {
    for (in_admit, in_settle) in [(true, false), (false, true)] {
        let clock = ManualClock::new();
        let outer = Arc::new(Ledger::new(Gate::new(Duration::ZERO)));
        let stack = (Arc::clone(&outer), (Fragile { in_admit, in_settle }, Call));
        let pipeline = Pipeline::ordered(&on(&clock), "p", stack).unwrap();
        for _ in 0..3 {
            let sync = catch_unwind(AssertUnwindSafe(|| pipeline.execute(|| Ok::<_, ()>(()))));
            assert!(sync.is_err());
            let mut future = Box::pin(pipeline.execute_async(|| async { Ok::<_, ()>(()) }));
            assert!(catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut noop()))).is_err());
            drop(future);
            let mut slow = Box::pin(pipeline.execute_async(|| async {
                futures_lite::future::yield_now().await;
                Ok::<_, ()>(())
            }));
            let run = catch_unwind(AssertUnwindSafe(|| while slow.as_mut().poll(&mut noop()).is_pending() {}));
            assert!(run.is_err());
            drop(slow);
            assert_eq!(outer.outstanding(), 0);
        }
    }
}

#[test]
fn a_panicking_classifier_or_closure_is_a_panic_inside() {
    let clock = ManualClock::new();
    let gate = Arc::new(Ledger::new(Gate::new(Duration::ZERO)));
    let pipeline = Pipeline::ordered(&on(&clock), "p", (Arc::clone(&gate), Call)).unwrap();
    let classified = pipeline.clone().with_classifier(|_: &Result<(), ()>| panic!("classifier"));
    assert!(catch_unwind(AssertUnwindSafe(|| classified.execute(|| Ok(())))).is_err());
    let mut future = Box::pin(classified.execute_async(|| async { Ok(()) }));
    assert!(catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut noop()))).is_err());
    assert_eq!(gate.outstanding(), 0, "before the future is dropped, too");

    let closure = || -> std::future::Ready<Result<(), ()>> { panic!("closure") };
    let mut future = Box::pin(pipeline.execute_async(closure));
    assert!(catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut noop()))).is_err());
    assert_eq!(gate.outcomes(), [Outcome::PANICKED; 3]);
    assert_eq!(gate.outstanding(), 0);
}

#[test]
fn polling_after_completion_panics_and_gives_nothing_back_twice() {
    let clock = ManualClock::new();
    let gate = Arc::new(Ledger::new(Gate::new(Duration::ZERO)));
    let pipeline = Pipeline::ordered(&on(&clock), "p", (Arc::clone(&gate), Call)).unwrap();
    let mut future = Box::pin(pipeline.execute_async(|| async { Ok::<_, ()>(()) }));
    assert!(future.as_mut().poll(&mut noop()).is_ready());
    let again = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut noop())));
    assert!(again.unwrap_err().downcast_ref::<&str>().is_some_and(|text| text.contains("after completion")));
    drop(future);

    let fail = || -> Result<(), ()> { std::panic::panic_any("once") };
    let mut panicked = Box::pin(pipeline.execute_async(|| async { fail() }));
    for text in ["once", "`Execute` polled after completion"] {
        let run = catch_unwind(AssertUnwindSafe(|| panicked.as_mut().poll(&mut noop())));
        assert_eq!(run.unwrap_err().downcast_ref(), Some(&text));
    }
    assert_eq!(gate.outstanding(), 0);
}

#[test]
fn a_finished_future_holds_nothing_while_it_lives_on() {
    let gate = Arc::new(Gate::new(Duration::ZERO));
    let pipeline = Pipeline::ordered(&Registry::new(), "p", (Arc::clone(&gate), Call)).unwrap();
    let mut future = Box::pin(pipeline.execute_async(|| async { Ok::<_, ()>(()) }));
    assert!(future.as_mut().poll(&mut noop()).is_ready());
    assert!(gate.is_free());
}

/// What is inside goes before what it holds is given back: the next call must not start beside it.
#[test]
fn the_inside_is_dropped_before_its_place_is_free() {
    struct Watches(Arc<Gate>);
    impl Drop for Watches {
        fn drop(&mut self) {
            assert!(!self.0.is_free(), "its place was free while it still lived");
        }
    }
    let clock = ManualClock::new();
    let gate = Arc::new(Gate::new(Duration::ZERO));
    let builder = Pipeline::builder(&on(&clock), "p").policy(Arc::clone(&gate)).policy(Limit(MS));
    let pipeline = builder.build().unwrap();
    for end in ["value", "dropped", "deadline"] {
        let mut future = Box::pin(pipeline.execute_async(|| {
            let watches = Watches(Arc::clone(&gate));
            std::future::poll_fn(move |_| {
                let _ = &watches;
                if end == "value" { Poll::Ready(Ok::<_, ()>(())) } else { Poll::Pending }
            })
        }));
        assert_eq!(future.as_mut().poll(&mut noop()).is_ready(), end == "value");
        if end == "deadline" {
            clock.advance(MS);
            assert!(future.as_mut().poll(&mut noop()).is_ready());
        }
        drop(future);
        assert!(gate.is_free());
    }
}

#[test]
fn a_wait_on_a_custom_clock_that_stands_still_ends() {
    let clock = Clock::custom(|| Duration::ZERO);
    let registry = Registry::builder().clock(&clock).build();
    let pipeline = Pipeline::ordered(&registry, "p", (again(2, MS), Call)).unwrap();
    assert_eq!(pipeline.execute(|| Err::<(), _>("down")), Err(Error::Failed("down")));
    let future = pipeline.execute_async(|| async { Err::<(), _>("down") });
    assert_eq!(futures_lite::future::block_on(future), Err(Error::Failed("down")));
}

#[test]
fn a_pipeline_shows_its_layers() {
    let pipeline = Pipeline::builder(&Registry::new(), "p").policy(Limit(MS)).policy(EveryThird::default());
    let text = format!("{:?}", pipeline.build().unwrap());
    assert!(
        text.starts_with(r#"Pipeline { id: "p", layers: [(rate_limiter (inside), "every-third"), (timeout, "#),
        "{text}"
    );
    assert_eq!(Limit::LAYER, Layer::TIMEOUT);
}
