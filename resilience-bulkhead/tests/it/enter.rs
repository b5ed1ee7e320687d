//! Slots without a call.

use std::{sync::Arc, task::Poll, thread, time::Duration};

use resilience_bulkhead::{Bulkhead, Config, Enter, OwnedPermit, Permit};
use resilience_core::{CallOptions, Code, Interrupt, ManualClock, Nanos};

use crate::{MS, SECOND, bulkhead, counts, passing, poll, staying};

#[test]
fn a_permit_is_a_slot_until_it_is_dropped() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 2, Duration::ZERO);
    let (one, two) = (bulkhead.try_enter().unwrap(), bulkhead.enter().unwrap());
    assert_eq!(counts(&bulkhead), [2, 0, 0]);
    for refused in [bulkhead.try_enter(), bulkhead.enter(), futures_lite::future::block_on(bulkhead.enter_async())] {
        let rejection = refused.unwrap_err();
        assert_eq!((rejection.code(), rejection.retry_after()), (Code::BulkheadFull, None));
        assert!(!rejection.is_late());
    }
    drop(one);
    let three = futures_lite::future::block_on(bulkhead.enter_async()).unwrap();
    assert_eq!(counts(&bulkhead), [2, 0, 0]);
    drop((two, three));
    assert_eq!((counts(&bulkhead), clock.now()), ([0, 2, 0], Nanos::ZERO));
}

#[test]
fn a_permit_that_waits_comes_in_its_turn_and_stays() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = bulkhead.try_enter().unwrap();
    let mut first = Box::pin(bulkhead.enter_async());
    assert!(poll(&mut first).is_pending());
    let mut second = passing(&bulkhead);
    drop(inside);
    assert!(bulkhead.try_enter().is_err(), "the slot is promised");
    let Poll::Ready(Ok(permit)) = poll(&mut first) else { panic!("its turn") };
    drop(first);
    assert!(poll(&mut second).is_pending());
    assert_eq!(counts(&bulkhead), [1, 0, 1]);
    drop(permit);
    assert_eq!(poll(&mut second), Poll::Ready(Ok(())));
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
}

#[test]
fn a_wait_for_a_permit_that_is_dropped_was_never_there() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = staying(&bulkhead);
    drop(bulkhead.enter_async());
    let mut waiting = Box::pin(bulkhead.enter_async());
    assert!(poll(&mut waiting).is_pending());
    drop(waiting);
    let mut called = Box::pin(bulkhead.enter_async());
    assert!(poll(&mut called).is_pending());
    drop(inside);
    assert_eq!(counts(&bulkhead), [1, 0, 0], "the slot is handed over");
    drop(called);
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
}

#[test]
fn the_options_end_a_wait_for_a_permit() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let _inside = bulkhead.try_enter().unwrap();
    let limited = bulkhead.enter_with(CallOptions::new().timeout(10 * MS)).unwrap_err();
    assert_eq!((limited.code(), Duration::from(clock.now())), (Code::TimedOut, 10 * MS));

    let interrupt = Interrupt::new();
    let mut waiting = Box::pin(bulkhead.enter_async_with(CallOptions::new().interrupt(&interrupt)));
    assert!(poll(&mut waiting).is_pending());
    interrupt.trigger();
    let Poll::Ready(Err(rejection)) = poll(&mut waiting) else { panic!("interrupted") };
    assert_eq!(rejection.code(), Code::Interrupted);
    assert_eq!(counts(&bulkhead), [1, 0, 0]);
}

#[test]
fn an_owned_permit_goes_to_another_thread() {
    let bulkhead = Arc::new(bulkhead(&ManualClock::new(), 3, Duration::ZERO));
    let enter = || Arc::clone(&bulkhead);
    let permits = [
        enter().try_enter_owned().unwrap(),
        enter().enter_owned().unwrap(),
        futures_lite::future::block_on(enter().enter_owned_async()).unwrap(),
    ];
    assert!(enter().try_enter_owned().is_err() && enter().enter_owned().is_err());
    assert_eq!(counts(&bulkhead), [3, 0, 0]);
    thread::spawn(move || drop(permits)).join().unwrap();
    assert_eq!((counts(&bulkhead), Arc::strong_count(&bulkhead)), ([0, 3, 0], 1));
}

#[test]
fn permits_of_a_bulkhead_that_is_switched_off_are_of_no_slot() {
    let bulkhead = Arc::new(bulkhead(&ManualClock::new(), 1, SECOND));
    let off = Config { enabled: false, ..bulkhead.config() };
    let counted = bulkhead.try_enter().unwrap();
    let mut waiting = Box::pin(bulkhead.enter_async());
    assert!(poll(&mut waiting).is_pending());
    bulkhead.reconfigure(off).unwrap();
    let Poll::Ready(Ok(waited)) = poll(&mut waiting) else { panic!("switched off, all go") };
    let more: [Permit<'_>; 3] = [
        bulkhead.try_enter().unwrap(),
        bulkhead.enter().unwrap(),
        futures_lite::future::block_on(bulkhead.enter_async()).unwrap(),
    ];
    let owned: OwnedPermit = Arc::clone(&bulkhead).try_enter_owned().unwrap();
    assert_eq!(counts(&bulkhead), [1, 0, 0], "only the first is counted");

    bulkhead.reconfigure(Config { enabled: true, ..off }).unwrap();
    drop((waited, more, owned));
    assert_eq!(counts(&bulkhead), [1, 0, 0]);
    assert!(bulkhead.try_enter().is_err());
    drop(counted);
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
}

#[test]
fn permits_and_waits_can_be_named_sent_and_shown() {
    fn is_send<T: Send>(_: &T) {}
    let bulkhead = Arc::new(Bulkhead::builder().name("db").build().unwrap());
    let enter: Enter<'_> = bulkhead.enter_async();
    let (permit, owned) = (bulkhead.try_enter().unwrap(), Arc::clone(&bulkhead).try_enter_owned().unwrap());
    is_send(&enter);
    is_send(&Arc::clone(&bulkhead).enter_owned_async());
    is_send(&owned);
    let shown = format!("{enter:?} {permit:?} {owned:?}");
    assert_eq!(shown, r#"Enter("db") Permit("db") OwnedPermit("db")"#);
}
