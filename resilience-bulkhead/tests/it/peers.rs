//! Faults of other libraries, each reproduced there: here they are tests.

use std::{task::Poll, thread, time::Duration};

use resilience_bulkhead::{Bulkhead, Config};
use resilience_core::{CallOptions, Code, Events, Interrupt, ManualClock, event};

use crate::{MS, SECOND, Task, bulkhead, counts, passing, poll, staying};

/// The thread that makes a bulkhead smaller waits for running calls to end.
#[test]
fn a_thread_that_shrinks_a_full_bulkhead_is_not_blocked() {
    let bulkhead = Bulkhead::builder().max_concurrent(5).max_wait(Duration::MAX).build().unwrap();
    let inside: Vec<_> = (0..5).map(|_| bulkhead.try_enter().unwrap()).collect();
    let smaller = Config { max_concurrent: 1, ..bulkhead.config() };
    thread::scope(|scope| scope.spawn(|| bulkhead.reconfigure(smaller).unwrap()).join().unwrap());
    assert_eq!(counts(&bulkhead), [5, 0, 0]);
    drop(inside);
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
}

/// Permits leak when listeners throw: at a rejection, when a wait begins, ends or is given up, and at a live change.
#[test]
fn a_listener_that_panics_costs_no_slot_and_no_place_in_line() {
    let (clock, events) = (ManualClock::new(), Events::new());
    let _angry = events.subscribe(|_: &event::Event<'_>| std::panic::resume_unwind(Box::new("a listener panics")));
    let builder = Bulkhead::builder().max_concurrent(1).max_wait(10 * MS).max_queue(3).clock(&clock).events(&events);
    let bulkhead = builder.build().unwrap();
    for round in 0..100 {
        let inside = staying(&bulkhead);
        let (gives_up, mut first, mut second) = (passing(&bulkhead), passing(&bulkhead), passing(&bulkhead));
        assert_eq!(bulkhead.execute(|| Ok::<_, ()>(())).unwrap_err().code(), Some(Code::BulkheadFull));
        assert_eq!(counts(&bulkhead), [1, 0, 3], "round {round}");
        drop(gives_up);
        drop(inside);
        assert_eq!([poll(&mut first), poll(&mut second)], [Poll::Ready(Ok(())); 2]);

        let inside = staying(&bulkhead);
        let mut late = passing(&bulkhead);
        clock.advance(11 * MS);
        assert!(matches!(poll(&mut late), Poll::Ready(Err(_))));
        for max_concurrent in [2, 1] {
            bulkhead.reconfigure(Config { max_concurrent, ..bulkhead.config() }).unwrap();
        }
        drop(inside);
        assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0), "round {round}");
    }
    assert!(events.listener_panics() > 700, "{}", events.listener_panics());
}

/// A waiter that is interrupted keeps what it had reserved.
#[test]
fn an_interrupted_waiter_keeps_neither_its_place_nor_its_slot() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    for handed_over in [false, true] {
        let inside = staying(&bulkhead);
        let interrupt = Interrupt::new();
        let options = CallOptions::new().interrupt(&interrupt);
        let mut waits: Task<'_> = Box::pin(bulkhead.execute_async_with(options, || async { Ok(()) }));
        assert!(poll(&mut waits).is_pending());
        if handed_over {
            drop(inside);
            interrupt.trigger();
        } else {
            interrupt.trigger();
            drop(inside);
        }
        assert_eq!(poll(&mut waits).map(|it| it.unwrap_err().code()), Poll::Ready(Some(Code::Interrupted)));
        assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
    }
}
