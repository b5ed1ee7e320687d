//! What went wrong once, or could: foreign code that panics, wakes or clears at the worst moment, policies that never
//! give up, clocks that jump.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, panic_any},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use resilience_core::{
    Admission, Call, CallOptions, Clock, Code, Cx, Error, Id, Interrupt, ManualClock, Nanos, Outcome, Pipeline, Policy,
    Queued, Registry, Verdict, Was, at, event::Event, testing::Ledger,
};

use crate::policies::{Again, Gate};

const MS: Duration = Duration::from_millis(1);

fn noop() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

fn world() -> (ManualClock, Registry) {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).seed(1).build();
    (clock, registry)
}

/// Tries everything again, for ever, at once or after a while.
struct Stubborn(Duration);

impl Policy for Stubborn {
    type At = at::Retry;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("stubborn")
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        Admission::Go(())
    }

    fn settle(&self, (): (), outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<()> {
        match outcome {
            Outcome::Success => Verdict::Return,
            _ => Verdict::Again((), cx.now().after(self.0)),
        }
    }
}

/// Lets everybody in at one moment.
struct Opens(Nanos);

impl Policy for Opens {
    type At = at::RateLimiter;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("opens")
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        Admission::GoAt((), self.0)
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        Verdict::Return
    }
}

fn code<T, E>(result: Result<T, Error<E>>) -> Option<Code> {
    result.err().and_then(|error| error.code())
}

#[test]
fn a_call_past_its_own_deadline_is_not_tried_again_whatever_the_policy_says() {
    let (clock, registry) = world();
    let ledger = Arc::new(Ledger::new(Stubborn(Duration::ZERO)));
    let pipeline = Pipeline::ordered(&registry, "p", (Arc::clone(&ledger), Call)).unwrap();
    let options = || CallOptions::new().timeout(10 * MS);
    let calls = Cell::new(0);
    let work = || {
        calls.set(calls.get() + 1);
        clock.advance(4 * MS);
        Err::<(), _>("down")
    };
    assert_eq!(code(pipeline.execute_with(options(), work)), Some(Code::TimedOut));
    assert_eq!(calls.get(), 3);
    let future = pipeline.execute_async_with(options(), || std::future::ready(work()));
    assert_eq!(code(futures_lite::future::block_on(future)), Some(Code::TimedOut));
    assert_eq!((calls.get(), ledger.outstanding()), (6, 0));
}

#[test]
fn an_interrupted_call_is_not_tried_again_whatever_the_policy_says() {
    let (_, registry) = world();
    for delay in [Duration::ZERO, MS] {
        let ledger = Arc::new(Ledger::new(Stubborn(delay)));
        let pipeline = Pipeline::ordered(&registry, "p", (Arc::clone(&ledger), Call)).unwrap();
        let interrupt = Interrupt::new();
        let result = pipeline.execute_with(CallOptions::new().interrupt(&interrupt), || {
            interrupt.trigger();
            Err::<(), _>("down")
        });
        assert_eq!(code(result), Some(Code::Interrupted));
        assert_eq!((ledger.outstanding(), ledger.abandoned()), (0, vec![Was::Inside]));
    }
}

#[test]
fn a_wait_that_would_end_after_the_deadline_is_refused_at_once() {
    let (clock, registry) = world();
    let ledger = Arc::new(Ledger::new(Opens(Nanos::new(1_000))));
    let pipeline = Pipeline::ordered(&registry, "p", (Arc::clone(&ledger), Call)).unwrap();
    let options = CallOptions::new().deadline(Nanos::new(999));
    assert_eq!(code(pipeline.execute_with(options, || Ok::<_, ()>(()))), Some(Code::TimedOut));
    assert_eq!((clock.now(), ledger.outstanding()), (Nanos::ZERO, 0));
    let retrying = Pipeline::ordered(&registry, "p", (Again { attempts: 2, delay: 20 * MS }, Call)).unwrap();
    let result = retrying.execute_with(CallOptions::new().timeout(10 * MS), || Err::<(), _>("down"));
    assert_eq!((code(result), clock.now()), (Some(Code::TimedOut), Nanos::ZERO));
}

#[test]
fn a_call_that_overslept_its_deadline_does_not_start() {
    let (clock, registry) = world();
    let pipeline = Pipeline::ordered(&registry, "p", (Opens(Nanos::new(100)), Call)).unwrap();
    let options = CallOptions::new().deadline(Nanos::new(200));
    let call = || async { panic!("it starts after its deadline") };
    let mut future = pin!(pipeline.execute_async_with::<(), (), _, _>(options, call));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    clock.advance_to(Nanos::new(1_000));
    let Poll::Ready(result) = future.as_mut().poll(&mut noop()) else { panic!("refused") };
    assert_eq!(code(result), Some(Code::TimedOut));
    assert_eq!(clock.pending_tasks(), 0);
}

#[test]
fn a_trigger_that_is_cleared_at_once_ends_the_waits_under_way_and_no_later_ones() {
    let (clock, registry) = world();
    let pipeline = Pipeline::ordered(&registry, "p", (Opens(Nanos::new(100)), Call)).unwrap();
    let interrupt = Interrupt::new();
    let options = || CallOptions::new().interrupt(&interrupt);
    let mut future = pin!(pipeline.execute_async_with(options(), || async { Ok::<_, ()>(()) }));
    assert!(future.as_mut().poll(&mut noop()).is_pending());
    interrupt.trigger();
    interrupt.clear();
    let Poll::Ready(result) = future.as_mut().poll(&mut noop()) else { panic!("it was interrupted") };
    assert_eq!(code(result), Some(Code::Interrupted));
    assert_eq!(pipeline.execute_with(options(), || Ok::<_, ()>(7)), Ok(7));
    assert_eq!(clock.now(), Nanos::new(100));
}

#[test]
fn a_thread_is_woken_by_every_trigger() {
    let pipeline = Pipeline::ordered(&Registry::new(), "p", (Stubborn(Duration::from_secs(3_600)), Call)).unwrap();
    let interrupt = Interrupt::new();
    for _ in 0..3 {
        thread::scope(|scope| {
            let options = CallOptions::new().interrupt(&interrupt);
            let call = scope.spawn(|| pipeline.execute_with(options, || Err::<(), _>("down")));
            while !call.is_finished() {
                interrupt.trigger();
                interrupt.clear();
                thread::yield_now();
            }
            assert_eq!(code(call.join().unwrap()), Some(Code::Interrupted));
        });
    }
}

#[test]
fn the_clock_runs_no_foreign_code_under_its_lock() {
    struct Looks(ManualClock);
    impl Wake for Looks {
        fn wake(self: Arc<Self>) {}
    }
    impl Drop for Looks {
        fn drop(&mut self) {
            _ = self.0.pending_tasks();
        }
    }
    let (clock, registry) = world();
    let pipeline = Pipeline::ordered(&registry, "p", (Opens(Nanos::new(100)), Call)).unwrap();
    let mut future = pin!(pipeline.execute_async(|| async { Ok::<_, ()>(7) }));
    for _ in 0..3 {
        let waker = Waker::from(Arc::new(Looks(clock.clone())));
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    clock.advance_to(Nanos::new(100));
    assert_eq!(future.as_mut().poll(&mut noop()), Poll::Ready(Ok(7)));
}

/// Panics when woken, or counts.
struct Counts(AtomicU32, bool);

impl Wake for Counts {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
        assert!(!self.1, "a bad waker");
    }
}

#[test]
fn a_waker_that_panics_costs_nobody_else_a_wake_up() {
    let (clock, registry) = world();
    let pipeline = Pipeline::ordered(&registry, "p", (Opens(Nanos::new(100)), Call)).unwrap();
    let interrupt = Interrupt::new();
    let wakers = [true, false].map(|bad| Arc::new(Counts(AtomicU32::new(0), bad)));
    let mut futures = wakers.each_ref().map(|waker| {
        let options = CallOptions::new().interrupt(&interrupt);
        let mut future = Box::pin(pipeline.execute_async_with(options, || async { Ok::<_, ()>(()) }));
        let waker = Waker::from(Arc::clone(waker));
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        future
    });
    assert!(catch_unwind(AssertUnwindSafe(|| clock.advance_to(Nanos::new(100)))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| interrupt.trigger())).is_err());
    assert_eq!(wakers.each_ref().map(|waker| waker.0.load(Ordering::Relaxed)), [2, 2]);
    assert!(futures.iter_mut().all(|future| future.as_mut().poll(&mut noop()).is_ready()));
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        if !thread::panicking() {
            panic_any("dropped");
        }
    }
}

#[test]
fn an_error_that_panics_when_it_is_dropped_before_the_next_attempt_costs_no_permit() {
    let (_, registry) = world();
    let ledger = Arc::new(Ledger::new(Again { attempts: 2, delay: Duration::ZERO }));
    let pipeline = Pipeline::ordered(&registry, "p", (Arc::clone(&ledger), Call)).unwrap();
    let sync = || drop(pipeline.execute(|| Err::<(), _>(PanicsWhenDropped)));
    assert!(catch_unwind(AssertUnwindSafe(sync)).is_err());
    let mut future = Box::pin(pipeline.execute_async(|| async { Err::<(), _>(PanicsWhenDropped) }));
    let poll = || drop(future.as_mut().poll(&mut noop()));
    assert!(catch_unwind(AssertUnwindSafe(poll)).is_err());
    drop(future);
    assert_eq!(ledger.outstanding(), 0);
}

#[test]
fn a_listener_whose_end_panics_hurts_no_call() {
    let (_, registry) = world();
    let own = Arc::new(std::sync::Mutex::new(None));
    let (slot, bomb) = (Arc::clone(&own), PanicsWhenDropped);
    let subscription = registry.events().subscribe(move |_: &Event<'_>| {
        let _bomb = &bomb;
        drop(slot.lock().unwrap().take());
        panic_any(PanicsWhenDropped);
    });
    *own.lock().unwrap() = Some(subscription);
    let pipeline = Pipeline::builder(&registry, "p").fallback_value(7).build().unwrap();
    assert_eq!(pipeline.execute(|| Err("down")), Ok(7));
    assert_eq!(registry.events().listener_count(), 0);
}

#[test]
fn a_panic_after_the_deadline_is_told_as_a_panic() {
    let (clock, registry) = world();
    let ledger = Arc::new(Ledger::new(Gate::new(Duration::ZERO)));
    let pipeline = Pipeline::ordered(&registry, "p", (Arc::clone(&ledger), Call)).unwrap();
    let options = || CallOptions::new().timeout(10 * MS);
    let fail = || -> Result<(), ()> {
        clock.advance(20 * MS);
        panic_any("late")
    };
    assert!(catch_unwind(AssertUnwindSafe(|| pipeline.execute_with(options(), fail))).is_err());
    let mut future = Box::pin(pipeline.execute_async_with(options(), || async { fail() }));
    assert!(catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut noop()))).is_err());
    let mut slow = Box::pin(pipeline.execute_async_with(options(), || async {
        futures_lite::future::yield_now().await;
        fail()
    }));
    assert!(slow.as_mut().poll(&mut noop()).is_pending());
    assert!(catch_unwind(AssertUnwindSafe(|| slow.as_mut().poll(&mut noop()))).is_err());
    assert_eq!(ledger.outcomes(), [Outcome::PANICKED; 3]);
}

#[test]
fn what_panics_is_dropped_before_its_place_is_free() {
    struct Fails(Arc<Gate>);
    impl Future for Fails {
        type Output = Result<(), ()>;
        fn poll(self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
            panic_any("poll")
        }
    }
    impl Drop for Fails {
        fn drop(&mut self) {
            assert!(!self.0.is_free(), "its place was free while it still lived");
        }
    }
    let (_, registry) = world();
    let gate = Arc::new(Gate::new(Duration::ZERO));
    let pipeline = Pipeline::ordered(&registry, "p", (Arc::clone(&gate), Call)).unwrap();
    let mut future = Box::pin(pipeline.execute_async(|| Fails(Arc::clone(&gate))));
    let run = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut noop())));
    assert_eq!(run.unwrap_err().downcast_ref(), Some(&"poll"));
    assert!(gate.is_free());
}

#[test]
fn on_an_advancing_clock_a_deadline_is_no_wait() {
    let clock = ManualClock::advancing();
    let registry = Registry::builder().clock(&clock).build();
    let pipeline = Pipeline::ordered(&registry, "p", (Opens(Nanos::new(100)), Call)).unwrap();
    let slow = || async {
        futures_lite::future::yield_now().await;
        Ok::<_, ()>(7)
    };
    let future = pipeline.execute_async_with(CallOptions::new().timeout(5_000 * MS), slow);
    assert_eq!(futures_lite::future::block_on(future), Ok(7));
    assert_eq!(clock.now(), Nanos::new(100));
}

#[test]
fn a_timer_that_never_fires_is_none() {
    let clock = ManualClock::new();
    let mut sleep = Box::pin(clock.clock().sleep_until(Nanos::NEVER));
    assert!(sleep.as_mut().poll(&mut noop()).is_pending());
    assert_eq!((clock.pending_tasks(), clock.advance_to_next()), (0, false));
    clock.advance(Duration::MAX);
    assert!(sleep.as_mut().poll(&mut noop()).is_pending());
}

/// Queues every call, and lets it in as soon as it is asked.
struct Lobby;

impl Policy for Lobby {
    type At = at::Bulkhead;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("lobby")
    }

    fn admit(&self, cx: &mut Cx<'_>) -> Admission<()> {
        Admission::Queue((), cx.now().after(MS))
    }

    fn poll_queued(&self, (): &mut (), _: &mut Cx<'_>) -> Queued {
        Queued::Go
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        Verdict::Return
    }
}

#[test]
fn a_queue_entered_at_the_very_deadline_is_asked_once_more() {
    let (clock, registry) = world();
    let stack = (Opens(Nanos::new(100)), (Lobby, Call));
    let pipeline = Pipeline::ordered(&registry, "p", stack).unwrap();
    let options = || CallOptions::new().deadline(Nanos::new(100));
    assert_eq!(pipeline.execute_with(options(), || Ok::<_, ()>(7)), Ok(7));
    assert_eq!(clock.now(), Nanos::new(100));
}

/// Remembers what time it was told it is.
struct Reads<At>(std::sync::Mutex<Vec<Nanos>>, std::marker::PhantomData<fn(At)>);

impl<At: at::Place> Policy for Reads<At> {
    type At = At;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("reads")
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        Admission::Go(())
    }

    fn settle(&self, (): (), _: &Outcome, cx: &mut Cx<'_>) -> Verdict<()> {
        self.0.lock().unwrap().push(cx.now());
        Verdict::Return
    }
}

#[test]
fn all_layers_of_one_pass_see_the_same_time_also_when_it_is_refused() {
    let ticks = AtomicU32::new(0);
    let clock = Clock::custom(move || Duration::from_nanos(ticks.fetch_add(1, Ordering::Relaxed).into()));
    let registry = Registry::builder().clock(clock).build();
    let outer = Arc::new(Reads::<at::Retry>(std::sync::Mutex::default(), std::marker::PhantomData));
    let inner = Arc::new(Reads::<at::CircuitBreaker>(std::sync::Mutex::default(), std::marker::PhantomData));
    let gate = Arc::new(Gate::new(Duration::ZERO));
    let stack = (Arc::clone(&outer), (Arc::clone(&inner), (Arc::clone(&gate), Call)));
    let pipeline = Pipeline::ordered(&registry, "p", stack).unwrap();
    let hold = Pipeline::ordered(&registry, "hold", (gate, Call)).unwrap();
    assert!(hold.execute(|| pipeline.execute(|| Ok::<_, ()>(()))).is_err());
    assert_eq!(outer.0.lock().unwrap().len(), 1);
    assert_eq!(*outer.0.lock().unwrap(), *inner.0.lock().unwrap());
}

#[test]
fn a_policy_that_tries_again_at_once_for_ever_lets_other_tasks_run() {
    let (_, registry) = world();
    let pipeline = Pipeline::ordered(&registry, "p", (Stubborn(Duration::ZERO), Call)).unwrap();
    let attempts = Cell::new(0);
    let mut future = pin!(pipeline.execute_async(|| {
        attempts.set(attempts.get() + 1);
        std::future::ready(if attempts.get() < 1_000 { Err(()) } else { Ok(attempts.get()) })
    }));
    let counts = Arc::new(Counts(AtomicU32::new(0), false));
    let waker = Waker::from(Arc::clone(&counts));
    let result = loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            break result;
        }
    };
    assert_eq!(result, Ok(1_000));
    assert!(counts.0.load(Ordering::Relaxed) >= 10, "it woke itself and let go in between");
}
