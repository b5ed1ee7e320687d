use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use resilience_core::{
    Events, Id, Nanos,
    event::{Event, Payload, Subscription},
};

#[derive(Clone, Debug)]
pub(crate) struct Happened(pub(crate) u64);

impl Payload for Happened {
    fn name(&self) -> &'static str {
        "happened"
    }
}

impl std::fmt::Display for Happened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "happened {}", self.0)
    }
}

pub(crate) fn publish(events: &Events, n: u64) {
    events.publish("test", Id::new("a"), Nanos::new(n), &Happened(n));
}

#[test]
fn an_event_says_what_happened_to_whom() {
    let events = Events::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    let subscription = events.subscribe(move |event: &Event<'_>| {
        let n = event.payload::<Happened>().expect("its own type").0;
        assert!(event.payload::<OtherPayload>().is_none());
        list.lock().unwrap().push((n, event.payload.name(), event.to_string()));
    });
    assert!(events.is_heard());
    publish(&events, 7);
    drop(subscription);
    assert!(!events.is_heard());
    publish(&events, 8);
    assert_eq!(*heard.lock().unwrap(), [(7, "happened", "[7ns] test `a`: happened 7".to_string())]);
}

#[derive(Clone, Debug)]
struct OtherPayload;

impl Payload for OtherPayload {
    fn name(&self) -> &'static str {
        "other"
    }
}

impl std::fmt::Display for OtherPayload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("other")
    }
}

/// B61
#[test]
fn a_listener_that_is_present_throughout_hears_every_event_exactly_once() {
    let events = Events::new();
    let heard = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&heard);
    let _present = events.subscribe(move |_: &Event<'_>| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let publishers: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..100_000).for_each(|n| publish(&events, n)))).collect();
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                drop(events.subscribe(|_: &Event<'_>| {}));
            }
        });
        for publisher in publishers {
            publisher.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(heard.load(Ordering::Relaxed), 400_000);
    assert_eq!(events.listener_count(), 1);
}

/// B61
#[test]
fn a_closure_subscribed_twice_is_called_twice_and_nothing_is_left_of_10_000_subscriptions() {
    let events = Events::new();
    let heard = Arc::new(AtomicU64::new(0));
    let listener = {
        let heard = Arc::clone(&heard);
        move |_: &Event<'_>| {
            heard.fetch_add(1, Ordering::Relaxed);
        }
    };
    let both = (events.subscribe(listener.clone()), events.subscribe(listener));
    publish(&events, 1);
    assert_eq!(heard.load(Ordering::Relaxed), 2);
    drop(both);
    for _ in 0..10_000 {
        drop(events.subscribe(|_: &Event<'_>| {}));
    }
    assert_eq!(events.listener_count(), 0);
    assert_eq!(Arc::strong_count(&heard), 1, "the listeners themselves are gone");
}

/// B61
#[test]
fn a_listener_that_removes_itself_during_its_own_call_is_not_called_again() {
    let events = Events::new();
    let own: Arc<OnceLock<Mutex<Option<Subscription>>>> = Arc::default();
    let heard = Arc::new(AtomicU64::new(0));
    let subscription = events.subscribe({
        let (own, heard, events) = (Arc::clone(&own), Arc::clone(&heard), events.clone());
        move |_: &Event<'_>| {
            heard.fetch_add(1, Ordering::Relaxed);
            drop(own.get().unwrap().lock().unwrap().take());
            publish(&events, 2); // it may also publish: nobody is there to hear it
        }
    });
    own.set(Mutex::new(Some(subscription))).unwrap();
    publish(&events, 1);
    publish(&events, 3);
    assert_eq!(heard.load(Ordering::Relaxed), 1);
    assert_eq!(events.listener_count(), 0);
}

#[test]
fn an_id_is_shown_escaped() {
    let events = Events::new();
    let recent = events.recent(1);
    events.publish("test", Id::new("a\"b\\c\nd`e"), Nanos::ZERO, &Happened(1));
    assert_eq!(recent.list()[0].to_string(), r#"[0ns] test `a\"b\\c\nd`e`: happened 1"#);
}

#[test]
fn a_bus_takes_its_listeners_with_it_and_a_subscription_keeps_none_alive() {
    let held = Arc::new(());
    let events = Events::new();
    let subscription = events.subscribe({
        let held = Arc::clone(&held);
        move |_: &Event<'_>| _ = &held
    });
    drop(events);
    assert_eq!(Arc::strong_count(&held), 1);
    drop(subscription);
}

#[test]
fn a_panicking_listener_hurts_nobody_is_counted_and_told_once() {
    let events = Events::new();
    let names = Arc::new(Mutex::new(Vec::new()));
    let _bad = events.subscribe(|_: &Event<'_>| std::panic::resume_unwind(Box::new("bad")));
    let _good = events.subscribe({
        let names = Arc::clone(&names);
        move |event: &Event<'_>| names.lock().unwrap().push(event.payload.name())
    });
    let run = catch_unwind(AssertUnwindSafe(|| (0..3).for_each(|n| publish(&events, n))));
    assert!(run.is_ok());
    assert_eq!(*names.lock().unwrap(), ["listener_panicked", "happened", "happened", "happened"]);
    assert_eq!(events.listener_panics(), 4, "three events, and the news of the first panic");
}
