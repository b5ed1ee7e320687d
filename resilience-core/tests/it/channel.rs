//! Channels and rings: what was told, for whoever takes its time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use futures_lite::{StreamExt, future::block_on, stream};
use resilience_core::{
    Events, Id, Nanos,
    event::{Filter, Level, OwnedEvent, RecvError},
};

use crate::events::{Happened, publish};

fn number(event: &OwnedEvent) -> u64 {
    event.payload::<Happened>().expect("its own type").0
}

#[test]
fn a_channel_gives_the_events_in_their_order_with_all_they_say() {
    let events = Events::new();
    let mut receiver = events.subscribe_channel(10);
    assert_eq!(receiver.try_recv().unwrap_err(), RecvError::Empty);
    publish(&events, 7);
    publish(&events, 8);
    assert_eq!(receiver.len(), 2);
    let first = receiver.recv().expect("it was told");
    assert_eq!((first.at, first.policy, first.instance), (Nanos::new(7), "test", Id::new("a")));
    assert_eq!((first.payload.name(), first.to_string().as_str()), ("happened", "[7ns] test `a`: happened 7"));
    assert_eq!(receiver.recv_timeout(Duration::from_secs(60)).map(|it| number(&it)), Ok(8));
    assert_eq!(receiver.recv_timeout(Duration::from_millis(1)).unwrap_err(), RecvError::Empty);
    assert!(receiver.is_empty());
}

#[test]
fn a_full_channel_keeps_what_it_has_and_counts_what_it_dropped() {
    let events = Events::new();
    let (mut two, mut one) = (events.subscribe_channel(2), events.subscribe_channel(0));
    (0..5).for_each(|n| publish(&events, n));
    assert_eq!((two.dropped(), one.dropped()), (3, 4), "a channel has room for one at least");
    assert_eq!(two.try_recv().map(|it| number(&it)), Ok(0));
    publish(&events, 5);
    assert_eq!([two.try_recv(), two.try_recv()].map(|it| it.map(|it| number(&it))), [Ok(1), Ok(5)]);
    assert_eq!(one.try_recv().map(|it| number(&it)), Ok(0));
    assert_eq!((two.dropped(), one.dropped()), (3, 5));
}

#[test]
fn a_receiver_that_is_dropped_leaves_nothing() {
    let events = Events::new();
    for _ in 0..1_000 {
        let receiver = events.subscribe_channel(1);
        let recent = events.recent(1);
        let filtered = events.filtered(Filter::new().instance("a")).subscribe(|_| {});
        drop((receiver, recent, filtered));
    }
    assert_eq!(events.listener_count(), 0);
    assert!(!events.is_heard());
}

#[test]
fn a_channel_ends_when_the_bus_is_gone_and_all_it_told_is_received() {
    let events = Events::new();
    let mut receiver = events.subscribe_channel(4);
    publish(&events, 1);
    publish(&events, 2);
    drop(events);
    assert_eq!(receiver.by_ref().map(|it| number(&it)).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(receiver.try_recv().unwrap_err(), RecvError::Closed);
    assert_eq!(receiver.recv_timeout(Duration::MAX).unwrap_err(), RecvError::Closed);
    assert!(block_on(receiver.recv_async()).is_none());
}

#[test]
fn a_thread_that_waits_is_woken_by_an_event_and_by_the_end() {
    let events = Events::new();
    let mut receiver = events.subscribe_channel(4);
    let waits = thread::spawn(move || [receiver.recv(), receiver.recv()].map(|it| it.map(|it| number(&it))));
    publish(&events, 1);
    drop(events);
    assert_eq!(waits.join().unwrap(), [Some(1), None]);
}

#[test]
fn a_task_that_waits_is_woken_by_an_event_and_by_the_end() {
    let events = Events::new();
    let mut receiver = events.subscribe_channel(4);
    let waits = thread::spawn(move || {
        let numbers = stream::poll_fn(|cx| receiver.poll_recv(cx)).map(|it| number(&it));
        block_on(numbers.collect::<Vec<_>>())
    });
    publish(&events, 1);
    publish(&events, 2);
    drop(events);
    assert_eq!(waits.join().unwrap(), [1, 2]);
}

/// Counts how often it was woken, and what holds it.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_wait_that_is_given_up_loses_no_event_and_its_waker_is_not_kept() {
    let events = Events::new();
    let mut receiver = events.subscribe_channel(4);
    let (first, second) = (Arc::new(Count::default()), Arc::new(Count::default()));
    for count in [&first, &second] {
        assert!(receiver.poll_recv(&mut Context::from_waker(&Waker::from(Arc::clone(count)))).is_pending());
    }
    assert_eq!(Arc::strong_count(&first), 1, "the one who came last is woken");
    publish(&events, 1);
    publish(&events, 2);
    assert_eq!((first.0.load(Ordering::Relaxed), second.0.load(Ordering::Relaxed)), (0, 1));
    assert_eq!(Arc::strong_count(&second), 1);
    let waker = Waker::from(second);
    let polled = receiver.poll_recv(&mut Context::from_waker(&waker));
    assert!(matches!(polled, Poll::Ready(Some(event)) if number(&event) == 1));
}

#[test]
fn a_waker_that_panics_hurts_no_publisher() {
    struct Bad;
    impl Wake for Bad {
        fn wake(self: Arc<Self>) {
            std::panic::resume_unwind(Box::new("bad"));
        }
    }
    let events = Events::new();
    let mut receiver = events.subscribe_channel(4);
    let waker = Waker::from(Arc::new(Bad));
    for end in [false, true] {
        assert!(receiver.poll_recv(&mut Context::from_waker(&waker)).is_pending());
        if !end {
            publish(&events, 1);
            assert_eq!(receiver.try_recv().map(|it| number(&it)), Ok(1));
        }
    }
    drop(events);
    assert_eq!(receiver.try_recv().unwrap_err(), RecvError::Closed);
}

#[test]
fn a_filter_lets_through_what_it_names_and_nothing_else() {
    let events = Events::new();
    let tell = |policy, instance: &str| events.publish(policy, Id::new(instance), Nanos::ZERO, &Happened(0));
    let filters = [
        Filter::new(),
        Filter::new().policy("retry"),
        Filter::new().instance("a"),
        Filter::new().policy("retry").policy("timeout").instance("a").instance("b"),
        Filter::new().policy("no such kind"),
    ];
    let receivers = filters.map(|filter| events.filtered(filter).subscribe_channel(10));
    for instance in ["a", "b", "c"] {
        for policy in ["retry", "timeout", "bulkhead"] {
            tell(policy, instance);
        }
    }
    assert_eq!(receivers.map(|it| it.len()), [9, 3, 3, 4, 0]);
}

#[test]
fn what_no_listener_wants_is_not_asked_for() {
    let events = Events::new();
    let wanted = || [Level::Warn, Level::Info, Level::Debug, Level::Trace].map(|level| events.is_heard_at(level));
    assert_eq!(wanted(), [false; 4]);
    let rare = events.filtered(Filter::new().level(Level::Info)).subscribe_channel(10);
    assert_eq!(wanted(), [true, true, false, false]);
    let all = events.subscribe_channel(10);
    assert_eq!(wanted(), [true; 4]);
    events.publish("test", Id::new("a"), Nanos::ZERO, &Happened(0)); // of level debug
    assert_eq!([rare.len(), all.len()], [0, 1]);
    drop(all);
    assert_eq!(wanted(), [true, true, false, false]);
}

#[test]
fn a_ring_keeps_the_last_events_and_no_more() {
    let events = Events::new();
    let recent = events.recent(3);
    (0..5).for_each(|n| publish(&events, n));
    assert_eq!(recent.list().iter().map(number).collect::<Vec<_>>(), [2, 3, 4]);
    assert!(format!("{recent:?}").contains("[4ns] test `a`: happened 4"));
}

/// Publishers never wait for a consumer that does not receive, nor for one that holds what it received.
#[test]
fn many_publishers_and_a_slow_consumer_lose_no_count() {
    let events = Events::new();
    let mut receiver = events.subscribe_channel(16);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10_000).for_each(|n| publish(&events, n)));
        }
    });
    drop(events);
    let dropped = receiver.dropped();
    assert_eq!(receiver.by_ref().count() as u64 + dropped, 40_000);
    assert_eq!(dropped, 40_000 - 16);
}
