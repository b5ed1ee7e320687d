//! A future is dropped at its deadline.

use std::{
    future::pending,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::Poll,
    time::Duration,
};

use resilience_core::{
    CallOptions, Code, Error, Events, Layer, ManualClock, Nanos, Pipeline, Random, Registry, event::Event as Heard,
};
use resilience_timeout::{PipelineExt, RegistryExt, Timeout, remaining};

use crate::{MS, NS, SECOND, noop, on, ready_at, rejection, timeout};

#[test]
fn what_hangs_is_dropped_at_the_deadline_and_not_before() {
    let clock = ManualClock::new();
    let timeout = timeout(&clock, 100 * MS);
    clock.advance(7 * MS);
    let mut future = pin!(timeout.execute_async(pending::<Result<(), ()>>));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    assert_eq!(clock.pending_tasks(), 1);
    clock.advance(100 * MS - NS);
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    clock.advance(NS);
    let Poll::Ready(result) = future.as_mut().poll(&mut noop()) else { panic!("cut off") };
    let rejection = rejection(result);
    assert_eq!((rejection.code(), rejection.layer(), rejection.is_late()), (Code::TimedOut, Layer::TIMEOUT, false));
    assert_eq!((timeout.snapshot().timed_out, timeout.snapshot().late), (1, 0));
    assert_eq!(clock.pending_tasks(), 0);
}

#[test]
fn at_the_very_deadline_the_value_wins_and_after_it_it_is_late() {
    for (polled, ok) in [(100 * MS, true), (100 * MS + NS, false)] {
        let clock = ManualClock::new();
        let timeout = timeout(&clock, 100 * MS);
        let mut future = pin!(timeout.execute_async(|| ready_at(&clock, Nanos::ZERO.after(100 * MS), 7)));
        assert!(future.as_mut().poll(&mut noop()).is_pending());
        clock.advance(polled);
        let Poll::Ready(result) = future.as_mut().poll(&mut noop()) else { panic!("it has ended") };
        assert_eq!(result.is_ok(), ok);
        if !ok {
            assert!(rejection(result).is_late(), "it ran to its end");
        }
        assert_eq!(clock.pending_tasks(), 0);
    }
}

/// What never yields cannot be interrupted. In its first poll nobody looks at the clock; in a later one it is late.
#[test]
fn a_body_that_keeps_the_thread_is_seen_only_when_it_has_yielded_before() {
    let clock = ManualClock::new();
    let timeout = timeout(&clock, 100 * MS);
    let busy = |yields: usize| {
        let clock = &clock;
        timeout.execute_async(move || async move {
            for _ in 0..yields {
                futures_lite::future::yield_now().await;
            }
            clock.advance(SECOND);
            Ok::<_, ()>(7)
        })
    };
    let mut at_once = pin!(busy(0));
    assert_eq!(at_once.as_mut().poll(&mut noop()), Poll::Ready(Ok(7)));
    let mut later = pin!(busy(1));
    assert!(later.as_mut().poll(&mut noop()).is_pending());
    let Poll::Ready(result) = later.as_mut().poll(&mut noop()) else { panic!("it has ended") };
    assert!(rejection(result).is_late());
}

#[test]
fn the_inside_is_dropped_before_the_timeout_is_told() {
    struct Looks(Arc<AtomicU32>, Arc<AtomicU32>);
    impl Drop for Looks {
        fn drop(&mut self) {
            assert_eq!(self.0.load(Ordering::Relaxed), 0, "told while it still lived");
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }
    let (clock, events) = (ManualClock::new(), Events::new());
    let timeout = Timeout::builder().timeout(MS).clock(&clock).events(&events).build().unwrap();
    let (told, dropped) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let count = Arc::clone(&told);
    let _listening = events.subscribe(move |_: &Heard<'_>| _ = count.fetch_add(1, Ordering::Relaxed));
    let mut future = pin!(timeout.execute_async(|| {
        let looks = Looks(Arc::clone(&told), Arc::clone(&dropped));
        async move {
            let _looks = looks;
            pending::<Result<(), ()>>().await
        }
    }));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    clock.advance(MS);
    assert!(future.as_mut().poll(&mut noop()).is_ready());
    assert_eq!((told.load(Ordering::Relaxed), dropped.load(Ordering::Relaxed)), (1, 1));
}

#[test]
fn a_call_dropped_at_any_point_leaves_no_timer() {
    let clock = ManualClock::new();
    let timeout = timeout(&clock, 100 * MS);
    for polls in 0..3 {
        let mut future = Box::pin(timeout.execute_async(pending::<Result<(), ()>>));
        for _ in 0..polls {
            assert!(future.as_mut().poll(&mut noop()).is_pending());
        }
        assert_eq!(clock.pending_tasks(), usize::from(polls > 0));
        drop(future);
        assert_eq!(clock.pending_tasks(), 0);
    }
    assert_eq!(timeout.snapshot().timed_out, 0, "dropping is no timeout");
}

#[test]
fn a_panic_after_the_deadline_goes_on_and_is_no_timeout() {
    let clock = ManualClock::new();
    let timeout = timeout(&clock, MS);
    let mut future = Box::pin(timeout.execute_async(|| async {
        futures_lite::future::yield_now().await;
        clock.advance(SECOND);
        std::panic::panic_any("late");
        #[expect(unreachable_code, reason = "it says what the future would be")]
        Ok::<(), ()>(())
    }));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    let run = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut noop())));
    assert_eq!(run.unwrap_err().downcast_ref(), Some(&"late"));
    assert_eq!((timeout.snapshot().timed_out, clock.pending_tasks()), (0, 0));
}

#[test]
fn a_call_may_bring_its_own_limit() {
    let clock = ManualClock::new();
    let registry = on(&clock);
    let pipeline = Pipeline::builder(&registry, "p").timeout(|it| it.timeout(100 * MS)).build().unwrap();
    for limit in [30 * MS, 300 * MS] {
        let (begin, options) = (clock.now(), CallOptions::new().attempt_timeout(limit));
        let mut future = pin!(pipeline.execute_async_with(options, pending::<Result<(), ()>>));
        assert!(future.as_mut().poll(&mut noop()).is_pending());
        assert!(clock.advance_to_next());
        assert!(future.as_mut().poll(&mut noop()).is_ready());
        assert_eq!(clock.now().since(begin), limit);
    }
    let options = CallOptions::new().attempt_timeout(Duration::MAX);
    let mut future = pin!(pipeline.execute_async_with(options, || ready_at(&clock, Nanos::LAST, remaining())));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    assert_eq!(clock.pending_tasks(), 0, "there is nothing to wait for");
    clock.advance_to(Nanos::LAST);
    assert_eq!(future.as_mut().poll(&mut noop()), Poll::Ready(Ok(None)));
    assert_eq!(registry.timeout("p").unwrap().snapshot().timed_out, 2);
}

#[test]
fn the_deadline_of_the_call_rules_when_it_is_earlier() {
    let clock = ManualClock::new();
    let pipeline = Pipeline::builder(&on(&clock), "p").timeout(|it| it.name("t").timeout(100 * MS)).build().unwrap();
    for (own, layer) in [(50 * MS, Layer::CALL), (500 * MS, Layer::TIMEOUT)] {
        let options = CallOptions::new().timeout(own);
        let mut future = pin!(pipeline.execute_async_with(options, pending::<Result<(), ()>>));
        assert!(future.as_mut().poll(&mut noop()).is_pending());
        assert!(clock.advance_to_next());
        let Poll::Ready(Err(Error::Rejected(rejection))) = future.as_mut().poll(&mut noop()) else { panic!("cut off") };
        assert_eq!((rejection.layer(), rejection.is_late()), (layer, false));
    }
}

/// Law 3, ten thousand times.
#[test]
fn ten_thousand_calls_that_come_and_go_leave_no_timer() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let pipeline = Pipeline::builder(&registry, "p").timeout(|it| it.timeout(20 * MS)).build().unwrap();
    let random = Random::seeded(7);
    let mut calls = Vec::new();
    let mut timed_out = 0;
    for _ in 0..10_000 {
        match random.next_u64() % 4 {
            0 | 1 => {
                let takes = Duration::from_millis(random.next_u64() % 40);
                let at = clock.now().after(takes);
                calls.push(Box::pin(pipeline.execute_async({
                    let clock = &clock;
                    move || ready_at(clock, at, ())
                })));
            }
            2 if !calls.is_empty() => drop(calls.swap_remove(random.next_u64() as usize % calls.len())),
            _ => clock.advance(MS),
        }
        calls.retain_mut(|call| match call.as_mut().poll(&mut noop()) {
            Poll::Ready(result) => {
                timed_out += u64::from(result.is_err());
                false
            }
            Poll::Pending => true,
        });
        assert_eq!(clock.pending_tasks(), calls.len());
    }
    drop(calls);
    assert_eq!(clock.pending_tasks(), 0);
    assert_eq!(registry.timeout("p").unwrap().snapshot().timed_out, timed_out);
    assert!(timed_out > 100, "{timed_out}");
}
