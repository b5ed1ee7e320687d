//! Changes of a live bulkhead.

use std::{task::Poll, time::Duration};

use resilience_bulkhead::{Bulkhead, Config};
use resilience_core::ManualClock;

use crate::{MS, SECOND, Task, bulkhead, counts, passing, poll, staying};

fn resize(bulkhead: &Bulkhead, max_concurrent: u32) {
    bulkhead.reconfigure(Config { max_concurrent, ..bulkhead.config() }).unwrap();
}

#[test]
fn growing_lets_as_many_in_as_there_are_new_slots_in_order() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let _inside = staying(&bulkhead);
    let mut waiting: Vec<_> = (0..4).map(|_| Box::pin(bulkhead.enter_async())).collect();
    assert!(waiting.iter_mut().all(|it| poll(it).is_pending()));
    resize(&bulkhead, 3);
    assert_eq!(counts(&bulkhead), [3, 0, 2]);
    let permits: Vec<_> = waiting.iter_mut().map(poll).collect();
    assert_eq!(permits.iter().map(Poll::is_ready).collect::<Vec<_>>(), [true, true, false, false]);
}

#[test]
fn shrinking_returns_at_once_lets_running_calls_finish_and_nobody_in_until_fewer_run() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 4, SECOND);
    let mut inside: Vec<_> = (0..4).map(|_| staying(&bulkhead)).collect();
    let mut waiting = passing(&bulkhead);
    resize(&bulkhead, 2);
    assert_eq!(counts(&bulkhead), [4, 0, 1]);
    for left in [3, 2] {
        inside.pop();
        assert!(poll(&mut waiting).is_pending());
        assert_eq!(counts(&bulkhead), [left, 0, 1]);
        assert!(bulkhead.try_enter().is_err());
    }
    inside.pop();
    assert_eq!(counts(&bulkhead), [2, 0, 0], "the next one that leaves makes room");
    assert_eq!(poll(&mut waiting), Poll::Ready(Ok(())));
    drop(inside);
    assert_eq!(counts(&bulkhead), [0, 2, 0]);
}

// B08
#[test]
fn equal_values_change_nothing_and_calls_inside_are_counted_on() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 2, SECOND);
    let inside = [staying(&bulkhead), staying(&bulkhead)];
    let mut waiting = passing(&bulkhead);
    let shown = format!("{bulkhead:?}");
    for _ in 0..100 {
        bulkhead.reconfigure(bulkhead.config()).unwrap();
        assert_eq!(format!("{bulkhead:?}"), shown);
    }
    bulkhead.reconfigure(Config { max_wait: 2 * SECOND, max_queue: Some(7), ..bulkhead.config() }).unwrap();
    assert_eq!(counts(&bulkhead), [2, 0, 1]);
    assert!(poll(&mut waiting).is_pending());
    drop(inside);
    assert_eq!(poll(&mut waiting), Poll::Ready(Ok(())));
}

#[test]
fn what_is_invalid_changes_nothing() {
    let bulkhead = bulkhead(&ManualClock::new(), 2, SECOND);
    let before = format!("{bulkhead:?}");
    for max_concurrent in [0, 1 << 31] {
        let config = Config { max_concurrent, max_wait: 2 * SECOND, ..bulkhead.config() };
        assert!(bulkhead.reconfigure(config).is_err());
        assert_eq!(format!("{bulkhead:?}"), before);
    }
}

#[test]
fn who_waits_keeps_its_limit_and_newcomers_have_the_new_one() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, 10 * MS);
    let _inside = staying(&bulkhead);
    let mut old = passing(&bulkhead);
    bulkhead.reconfigure(Config { max_wait: MS, max_queue: Some(1), ..bulkhead.config() }).unwrap();
    assert!(bulkhead.enter().is_err(), "as many wait as may");
    bulkhead.reconfigure(Config { max_queue: Some(2), ..bulkhead.config() }).unwrap();
    let mut new = passing(&bulkhead);
    clock.advance(MS);
    assert!(poll(&mut old).is_pending() && poll(&mut new).is_ready());
    bulkhead.reconfigure(Config { max_wait: Duration::ZERO, ..bulkhead.config() }).unwrap();
    assert!(bulkhead.enter().is_err() && poll(&mut old).is_pending());
    clock.advance(9 * MS);
    assert!(poll(&mut old).is_ready());
}

#[test]
fn switching_off_lets_all_who_wait_go_and_switching_on_counts_those_who_stayed() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let on = bulkhead.config();
    let off = Config { enabled: false, ..on };
    let counted = staying(&bulkhead);
    let mut waiting: Vec<Task<'_>> = (0..3).map(|_| passing(&bulkhead)).collect();
    bulkhead.reconfigure(off).unwrap();
    assert_eq!(counts(&bulkhead), [1, 0, 0]);
    let uncounted: Vec<_> = (0..5).map(|_| staying(&bulkhead)).collect();
    assert_eq!(poll(&mut waiting[2]), Poll::Ready(Ok(())));
    assert_eq!(counts(&bulkhead), [1, 0, 0]);

    bulkhead.reconfigure(on).unwrap();
    // Who was let go while it was off goes, whatever it is by now; and what was not taken is not given back.
    assert_eq!(poll(&mut waiting[1]), Poll::Ready(Ok(())));
    drop(waiting);
    drop(uncounted);
    assert_eq!(counts(&bulkhead), [1, 0, 0]);
    assert!(bulkhead.try_enter().is_err());
    drop(counted);
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
}

#[test]
fn a_call_that_took_a_slot_gives_it_back_once_also_when_it_ends_while_switched_off() {
    let bulkhead = bulkhead(&ManualClock::new(), 2, Duration::ZERO);
    let on = bulkhead.config();
    let counted = [staying(&bulkhead), staying(&bulkhead)];
    bulkhead.reconfigure(Config { enabled: false, ..on }).unwrap();
    drop(counted);
    assert_eq!(counts(&bulkhead), [0, 2, 0]);
    bulkhead.reconfigure(on).unwrap();
    assert_eq!(counts(&bulkhead), [0, 2, 0]);
}
