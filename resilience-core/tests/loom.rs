//! Every schedule of a few threads on what is shared: the bus, the interrupt, the registry, the manual clock, the
//! custom clock. Run with `cargo xtask loom`.
#![cfg(loom)]

use std::{
    pin::pin,
    sync::Arc as StdArc,
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use loom::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};
use resilience_core::{
    Admission, Call, Clock, ConfigError, Cx, Env, Events, Id, Interrupt, Managed, ManualClock, Nanos, Outcome,
    Pipeline, Policy, Problem, Registry, Settings, Verdict, at,
    event::{Event, Payload},
    sync::Counter,
};

#[derive(Clone, Debug)]
struct Happened;

impl Payload for Happened {
    fn name(&self) -> &'static str {
        "happened"
    }
}

impl std::fmt::Display for Happened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("happened")
    }
}

fn publish(events: &Events) {
    events.publish("test", Id::new("a"), Nanos::ZERO, &Happened);
}

/// A waker that counts.
#[derive(Default)]
struct Count(std::sync::atomic::AtomicUsize);

impl Count {
    fn get(&self) -> usize {
        self.0.load(std::sync::atomic::Ordering::SeqCst)
    }
}

impl Wake for Count {
    fn wake(self: StdArc<Self>) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    }
}

#[test]
fn whatever_is_added_to_a_counter_is_taken_once() {
    loom::model(|| {
        let counter = Arc::new(Counter::default());
        let adders = [(); 2].map(|()| {
            let counter = counter.clone();
            thread::spawn(move || counter.add_one())
        });
        let taken = counter.take();
        let before = adders.map(|adder| adder.join().unwrap());
        assert!(before.iter().all(|before| *before < 2));
        assert_eq!(taken + counter.take(), 2);
    });
}

#[test]
fn a_listener_present_throughout_hears_all_and_one_that_left_hears_nothing_more() {
    loom::model(|| {
        let events = Events::new();
        let heard = Arc::new(AtomicUsize::new(0));
        let present = {
            let heard = Arc::clone(&heard);
            events.subscribe(move |_: &Event<'_>| {
                heard.fetch_add(1, Ordering::SeqCst);
            })
        };
        let left = Arc::new(AtomicBool::new(false));
        let other = {
            let left = Arc::clone(&left);
            events.subscribe(move |_: &Event<'_>| assert!(!left.load(Ordering::SeqCst), "it has left"))
        };
        let publisher = {
            let events = events.clone();
            thread::spawn(move || publish(&events))
        };
        publisher.join().unwrap();
        let publisher = {
            let events = events.clone();
            thread::spawn(move || publish(&events))
        };
        drop(other);
        publisher.join().unwrap();
        left.store(true, Ordering::SeqCst);
        publish(&events);
        assert_eq!(heard.load(Ordering::SeqCst), 3);
        drop(present);
        assert_eq!(events.listener_count(), 0);
        assert!(!events.is_heard());
    });
}

#[test]
fn subscriptions_beside_one_another_are_both_kept() {
    loom::model(|| {
        let events = Events::new();
        let other = {
            let events = events.clone();
            thread::spawn(move || events.subscribe(|_: &Event<'_>| {}))
        };
        let own = events.subscribe(|_: &Event<'_>| {});
        let other = other.join().unwrap();
        assert_eq!(events.listener_count(), 2);
        drop((own, other));
        assert!(!events.is_heard());
    });
}

#[test]
fn a_thread_that_receives_gets_all_that_fits_and_then_the_end() {
    loom::model(|| {
        let events = Events::new();
        let mut receiver = events.subscribe_channel(2);
        let publisher = thread::spawn(move || {
            publish(&events);
            publish(&events);
        });
        assert!(receiver.recv().is_some());
        assert!(receiver.recv().is_some());
        assert!(receiver.recv().is_none());
        publisher.join().unwrap();
    });
}

#[test]
fn a_task_that_waits_for_an_event_is_woken_or_sees_it() {
    loom::model(|| {
        let events = Events::new();
        let mut receiver = events.subscribe_channel(1);
        let publisher = thread::spawn(move || publish(&events));
        let count = StdArc::new(Count::default());
        let waker = Waker::from(StdArc::clone(&count));
        let seen = receiver.poll_recv(&mut Context::from_waker(&waker)).is_ready();
        publisher.join().unwrap();
        assert!(seen || count.get() == 1);
        assert!(seen || receiver.try_recv().is_ok());
        assert_eq!(receiver.dropped(), 0);
    });
}

#[test]
fn a_receiver_that_is_dropped_beside_an_event_leaves_nothing() {
    loom::model(|| {
        let events = Events::new();
        let receiver = events.subscribe_channel(1);
        let publisher = {
            let events = events.clone();
            thread::spawn(move || publish(&events))
        };
        drop(receiver);
        publisher.join().unwrap();
        assert!(!events.is_heard());
    });
}

#[test]
fn who_watches_an_interrupt_is_woken() {
    loom::model(|| {
        let interrupt = Interrupt::new();
        let trigger = {
            let interrupt = interrupt.clone();
            thread::spawn(move || {
                interrupt.trigger();
                interrupt.clear();
            })
        };
        let seen = interrupt.triggers();
        let count = StdArc::new(Count::default());
        let watch = interrupt.watch(&Waker::from(StdArc::clone(&count)));
        trigger.join().unwrap();
        assert_eq!(interrupt.triggers(), 1);
        assert!(!interrupt.is_triggered());
        assert!(count.get() == 1 || seen == 1 || interrupt.triggers() != seen, "woken, or seen");
        drop(watch);
    });
}

#[test]
fn a_watch_that_ends_beside_a_trigger_leaves_nothing() {
    loom::model(|| {
        let interrupt = Interrupt::new();
        let count = StdArc::new(Count::default());
        let watch = interrupt.watch(&Waker::from(StdArc::clone(&count)));
        let trigger = {
            let interrupt = interrupt.clone();
            thread::spawn(move || interrupt.trigger())
        };
        drop(watch);
        trigger.join().unwrap();
        assert!(count.get() <= 1);
        assert_eq!(StdArc::strong_count(&count), 1, "its waker is gone");
    });
}

#[derive(Clone, Debug, PartialEq)]
struct Nothing;

impl Settings for Nothing {
    fn entries(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn problems(&self) -> Vec<Problem> {
        Vec::new()
    }
}

/// A policy that counts how often it is created, and fails the first time if it is told to.
struct Made(Id);

loom::lazy_static! {
    static ref CREATED: Mutex<(usize, bool)> = Mutex::new((0, false));
}

impl Policy for Made {
    type At = at::Retry;
    type Permit = ();

    fn id(&self) -> Id {
        self.0
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        Admission::Go(())
    }

    fn settle(&self, (): (), outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<()> {
        match outcome {
            Outcome::Failure(_) => Verdict::Again((), cx.now().after(Duration::from_secs(1))),
            _ => Verdict::Return,
        }
    }
}

impl Managed for Made {
    const KIND: &'static str = "made";
    type Config = Nothing;
    type Snapshot = Id;

    fn create(id: Id, _: Nothing, _: &Env) -> Result<Self, ConfigError> {
        let mut created = CREATED.lock().unwrap();
        created.0 += 1;
        if created.1 && created.0 == 1 {
            let problem = Problem::new(resilience_core::Code::InvalidConfig, "create", "", "nothing, this once");
            ConfigError::check(id.as_str(), vec![problem])?;
        }
        Ok(Self(id))
    }

    fn config(&self) -> Nothing {
        Nothing
    }

    fn snapshot(&self) -> Id {
        self.0
    }

    fn reconfigure(&self, _: Nothing) -> Result<(), ConfigError> {
        Ok(())
    }
}

fn registry() -> Registry {
    Registry::builder().clock(ManualClock::new()).seed(1).build()
}

#[test]
fn an_instance_is_created_once() {
    loom::model(|| {
        let registry = registry();
        let other = {
            let registry = registry.clone();
            thread::spawn(move || registry.get_or_create::<Made>("a", &Nothing).unwrap())
        };
        let own = registry.get_or_create::<Made>("a", &Nothing).unwrap();
        assert!(StdArc::ptr_eq(&own, &other.join().unwrap()));
        assert_eq!(CREATED.lock().unwrap().0, 1);
    });
}

#[test]
fn after_a_failed_creation_the_next_one_really_creates() {
    loom::model(|| {
        CREATED.lock().unwrap().1 = true;
        let registry = registry();
        let create = |registry: &Registry| registry.get_or_create::<Made>("a", &Nothing).is_ok();
        let other = {
            let registry = registry.clone();
            thread::spawn(move || create(&registry))
        };
        let own = create(&registry);
        assert_eq!(usize::from(own) + usize::from(other.join().unwrap()), 1);
        assert!(registry.get::<Made>("a").is_ok());
    });
}

#[test]
fn a_wait_beside_an_advancing_clock_ends_and_leaves_no_timer() {
    loom::model(|| {
        let clock = ManualClock::new();
        let registry = Registry::builder().clock(&clock).seed(1).build();
        let pipeline = Pipeline::ordered(&registry, "p", (Made(Id::new("a")), Call)).unwrap();
        let hand = {
            let clock = clock.clone();
            thread::spawn(move || clock.advance(Duration::from_secs(1)))
        };
        let mut attempts = 0;
        let mut future = pin!(pipeline.execute_async(|| {
            attempts += 1;
            std::future::ready(if attempts == 1 { Err(()) } else { Ok(attempts) })
        }));
        let count = StdArc::new(Count::default());
        let waker = Waker::from(StdArc::clone(&count));
        let first = future.as_mut().poll(&mut Context::from_waker(&waker));
        hand.join().unwrap();
        if first.is_pending() {
            // Either the advance woke it, or it registered after the advance, for a second after that.
            if count.get() == 0 {
                assert_eq!(clock.pending_tasks(), 1);
                clock.advance(Duration::from_secs(1));
                assert_eq!(count.get(), 1);
            }
            let second = future.as_mut().poll(&mut Context::from_waker(&waker));
            assert_eq!(second, Poll::Ready(Ok(2)));
        }
        assert_eq!(clock.pending_tasks(), 0);
    });
}

#[test]
fn a_custom_clock_never_goes_back_for_anybody() {
    loom::model(|| {
        let readings = Mutex::new(vec![2_u64, 5, 3]);
        let clock =
            Arc::new(Clock::custom(move || Duration::from_nanos(readings.lock().unwrap().pop().unwrap_or_default())));
        let other = {
            let clock = Arc::clone(&clock);
            thread::spawn(move || clock.now())
        };
        let first = clock.now();
        let second = clock.now();
        assert!(second >= first);
        let other = other.join().unwrap();
        assert!(clock.now() >= other);
    });
}
