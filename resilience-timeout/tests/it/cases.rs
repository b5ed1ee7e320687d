//! Cases from the field.

use std::{
    future::pending,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Poll, Waker},
    time::Duration,
};

use resilience_core::{
    Admission, CallOptions, Clock, Code, Cx, Id, Kind, Layer, ManualClock, Nanos, Outcome, Pipeline, Policy, Queued,
    Registry, Rejection, Verdict, Was, at, stack::Stack,
};
use resilience_timeout::{Event, PipelineExt, RegistryExt, Timeout, remaining};

use crate::{MS, SECOND, listen, noop, on, ready_at, rejection, timeout};

const LONG: [Duration; 4] =
    [Duration::MAX, Duration::from_secs(u64::MAX), Duration::from_secs(u64::MAX / 10), Duration::from_nanos(u64::MAX)];

/// B35
#[test]
fn a_very_long_timeout_never_passes_and_never_panics() {
    for limit in LONG {
        for late_in_life in [Nanos::ZERO, Nanos::new(1), Nanos::new(Nanos::LAST.as_u64() - 2_000_000_000)] {
            let clock = ManualClock::new();
            clock.advance_to(late_in_life);
            let timeout = timeout(&clock, limit);
            let sync = timeout.execute(|| {
                clock.advance(SECOND);
                Ok::<_, ()>(7)
            });
            assert_eq!(sync, Ok(7));
            let at = clock.now().after(SECOND);
            let mut future = pin!(timeout.execute_async(|| ready_at(&clock, at, 7)));
            assert!(future.as_mut().poll(&mut noop()).is_pending());
            assert_eq!(clock.pending_tasks(), 0);
            clock.advance(SECOND);
            assert_eq!(future.as_mut().poll(&mut noop()), Poll::Ready(Ok(7)));
            let own = CallOptions::new().attempt_timeout(limit).timeout(limit);
            assert_eq!(timeout.execute_with(own, || Ok::<_, ()>(7)), Ok(7));
        }
        let real = timeout(Clock::system(), limit);
        assert_eq!(real.execute(|| Ok::<_, ()>(7)), Ok(7));
        let yields = real.execute_async(|| async {
            futures_lite::future::yield_now().await;
            Ok::<_, ()>(7)
        });
        assert_eq!(futures_lite::future::block_on(yields), Ok(7));
    }
}

/// B35, the longest that passes at all.
#[test]
fn a_long_timeout_that_a_clock_can_still_show_passes() {
    let clock = ManualClock::new();
    let timeout = timeout(&clock, 100 * 365 * 24 * 3_600 * SECOND);
    let mut future = pin!(timeout.execute_async(pending::<Result<(), ()>>));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    clock.advance_to(Nanos::LAST);
    assert!(future.as_mut().poll(&mut noop()).is_ready());
}

/// B15
#[test]
fn a_clock_at_its_origin_is_an_ordinary_clock() {
    let clock = ManualClock::new();
    assert_eq!(timeout(&clock, 3_600 * SECOND).execute(|| Ok::<_, ()>(7)), Ok(7));
    let still = Clock::custom(|| Duration::ZERO);
    let timeout = timeout(&still, 3_600 * SECOND);
    assert_eq!(timeout.execute(|| Ok::<_, ()>(remaining())), Ok(Some(3_600 * SECOND)));
    let future = timeout.execute_async(|| async { Ok::<_, ()>(7) });
    assert_eq!(futures_lite::future::block_on(future), Ok(7));
}

/// B53
#[test]
fn a_timeout_of_nothing_is_an_error_that_shows_the_value_and_the_range() {
    let error = Timeout::builder().timeout(Duration::ZERO).build().unwrap_err();
    assert_eq!((error.code(), error.problems().len()), (Code::InvalidConfig, 1));
    let problem = &error.problems()[0];
    assert_eq!((problem.code, problem.path.as_str(), &*problem.value), (Code::ZeroDuration, "timeout", "0"));
    assert_eq!(&*problem.allowed, "more than 0");
    for limit in [Duration::from_nanos(1), Duration::MAX] {
        assert_eq!(Timeout::builder().timeout(limit).build().unwrap().config().timeout, limit);
    }
}

/// One place, which queues; the least that a bulkhead can be.
#[derive(Default)]
struct Place(Mutex<(bool, Vec<Waker>)>);

impl Place {
    fn is_free(&self) -> bool {
        !self.0.lock().unwrap().0
    }

    fn leave(&self) {
        let mut place = self.0.lock().unwrap();
        place.0 = false;
        for waker in place.1.drain(..) {
            waker.wake();
        }
    }
}

impl Policy for Place {
    type At = at::Bulkhead;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("place")
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        let taken = std::mem::replace(&mut self.0.lock().unwrap().0, true);
        if taken { Admission::Queue((), Nanos::ZERO.after(60 * SECOND)) } else { Admission::Go(()) }
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        self.leave();
        Verdict::Return
    }

    fn abandon(&self, (): (), was: Was) {
        if was == Was::Inside {
            self.leave();
        }
    }

    fn poll_queued(&self, (): &mut (), cx: &mut Cx<'_>) -> Queued {
        let until = Nanos::ZERO.after(60 * SECOND);
        if cx.now() >= until {
            let full = Rejection::new(Code::BulkheadFull, Kind::BULKHEAD_FULL, self.id(), Self::LAYER);
            return Queued::Reject(full);
        }
        let mut place = self.0.lock().unwrap();
        if std::mem::replace(&mut place.0, true) {
            place.1.extend(cx.waker().cloned());
            return Queued::Wait(until);
        }
        Queued::Go
    }
}

fn guarded(registry: &Registry, limit: Duration, place: &Arc<Place>) -> Pipeline<impl Stack + use<>> {
    let limited = Pipeline::builder(registry, "search").timeout(|it| it.timeout(limit));
    limited.policy(Arc::clone(place)).build().unwrap()
}

/// B37, the part of the pipeline.
#[test]
fn a_sync_call_that_comes_back_late_is_told_so_and_keeps_its_place_until_it_ends() {
    let clock = ManualClock::new();
    let registry = on(&clock);
    let (heard, _listening) = listen(registry.events());
    let place = Arc::<Place>::default();
    let pipeline = guarded(&registry, 100 * MS, &place);
    let mut left = None;
    let result = pipeline.execute(|| {
        left = remaining();
        clock.advance(300 * MS);
        assert!(!place.is_free(), "taken until the work really ends");
        Ok::<_, ()>("results")
    });
    let rejection = rejection(result);
    assert_eq!((rejection.code(), rejection.layer(), rejection.is_late()), (Code::TimedOut, Layer::TIMEOUT, true));
    assert_eq!(left, Some(100 * MS));
    assert!(place.is_free());
    let limit = 100 * MS;
    assert_eq!(*heard.lock().unwrap(), [Event::TimedOut { limit, late: true, elapsed: 300 * MS }]);
}

#[test]
fn the_time_in_a_queue_inside_counts() {
    let clock = ManualClock::new();
    let registry = on(&clock);
    let pipeline = guarded(&registry, 100 * MS, &Arc::default());
    let holds = CallOptions::new().attempt_timeout(SECOND);
    let mut holder = pin!(pipeline.execute_async_with(holds, pending::<Result<(), ()>>));
    assert!(holder.as_mut().poll(&mut noop()).is_pending());

    let mut queued = pin!(pipeline.execute_async(|| async { Ok::<_, ()>(()) }));
    assert!(queued.as_mut().poll(&mut noop()).is_pending());
    clock.advance(100 * MS);
    let Poll::Ready(result) = queued.as_mut().poll(&mut noop()) else { panic!("its time is up") };
    let by_task = rejection(result);
    // A thread in the queue is woken at its deadline too, and has not run.
    let by_thread = rejection(pipeline.execute(|| -> Result<(), ()> { panic!("it runs") }));
    assert_eq!(by_thread, by_task);
    assert_eq!((by_task.layer(), by_task.is_late()), (Layer::TIMEOUT, false));
    assert_eq!(clock.now(), 200 * MS);
    assert_eq!(registry.timeout("search").unwrap().snapshot().timed_out, 2);
}

/// Lets calls in 30 ms after they came.
struct Later;

impl Policy for Later {
    type At = at::RateLimiter;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("later")
    }

    fn admit(&self, cx: &mut Cx<'_>) -> Admission<()> {
        Admission::GoAt((), cx.now().after(30 * MS))
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        Verdict::Return
    }
}

#[test]
fn the_time_that_a_limiter_outside_makes_it_wait_does_not_count() {
    let clock = ManualClock::new();
    let pipeline = Pipeline::builder(&on(&clock), "p").timeout(|it| it.timeout(20 * MS)).policy(Later);
    let pipeline = pipeline.build().unwrap();
    assert_eq!(pipeline.execute(|| Ok::<_, ()>(remaining())), Ok(Some(20 * MS)));
    let mut future = pin!(pipeline.execute_async(|| async { Ok::<_, ()>(remaining()) }));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    clock.advance(30 * MS);
    assert_eq!(future.as_mut().poll(&mut noop()), Poll::Ready(Ok(Some(20 * MS))));
}

#[test]
fn what_a_layer_inside_rejects_keeps_its_signature() {
    let clock = ManualClock::new();
    let registry = on(&clock);
    let pipeline = guarded(&registry, 3_600 * SECOND, &Arc::default());
    let mut holder = pin!(pipeline.execute_async(pending::<Result<(), ()>>));
    assert!(holder.as_mut().poll(&mut noop()).is_pending());
    let rejection = rejection(pipeline.execute(|| Ok::<_, ()>(())));
    assert_eq!((rejection.code(), rejection.instance().as_str()), (Code::BulkheadFull, "place"));
    assert_eq!(registry.timeout("search").unwrap().snapshot().timed_out, 0);
}
