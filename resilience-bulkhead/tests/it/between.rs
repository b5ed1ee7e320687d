//! What others can do between two steps of one call. Who gives a slot back reads the clock before it hands the slot on,
//! and the clock is the test's: it runs whatever the test wants in that moment.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use resilience_bulkhead::Bulkhead;
use resilience_core::{Admission, CallOptions, Clock, Code, Cx, Nanos, Outcome, Policy, Queued};

use crate::{SECOND, counts};

type Meanwhile = Box<dyn FnOnce() + Send>;

/// A bulkhead of one slot on a clock that stands still, and what happens the next time it is read.
fn on_a_clock_with_a_hook() -> (Arc<Bulkhead>, Arc<Mutex<Option<Meanwhile>>>) {
    let hook = Arc::new(Mutex::new(None::<Meanwhile>));
    let clock = Clock::custom({
        let hook = Arc::clone(&hook);
        move || {
            let meanwhile = hook.lock().unwrap().take();
            if let Some(meanwhile) = meanwhile {
                meanwhile();
            }
            Duration::ZERO
        }
    });
    let builder = Bulkhead::builder().max_concurrent(1).max_wait(SECOND).clock(clock);
    (Arc::new(builder.build().unwrap()), hook)
}

fn go_in_line(bulkhead: &Bulkhead) -> u64 {
    match bulkhead.admit(&mut Cx::new(bulkhead.clock())) {
        Admission::Queue(permit, _) => permit,
        other => panic!("{other:?}"),
    }
}

// Law 2
#[test]
fn a_newcomer_does_not_take_a_slot_that_is_about_to_be_handed_over() {
    let (bulkhead, hook) = on_a_clock_with_a_hook();
    let inside = bulkhead.try_enter().unwrap();
    let mut first = go_in_line(&bulkhead);
    let seen = Arc::new(Mutex::new(None));
    let (handle, result) = (Arc::clone(&bulkhead), Arc::clone(&seen));
    *hook.lock().unwrap() = Some(Box::new(move || {
        *result.lock().unwrap() = Some((counts(&handle), handle.try_enter().is_ok()));
    }));
    drop(inside);
    assert_eq!(*seen.lock().unwrap(), Some(([0, 1, 1], false)), "the slot is free, and somebody is in line");
    assert!(matches!(bulkhead.poll_queued(&mut first, &mut Cx::new(Bulkhead::clock(&bulkhead))), Queued::Go));
    assert_eq!(counts(&bulkhead), [1, 0, 0]);
}

#[test]
fn who_asks_at_its_limit_finds_a_slot_that_is_about_to_be_handed_over() {
    let (bulkhead, hook) = on_a_clock_with_a_hook();
    let inside = bulkhead.try_enter().unwrap();
    let mut first = go_in_line(&bulkhead);
    let got_in = Arc::new(Mutex::new(false));
    let (handle, result) = (Arc::clone(&bulkhead), Arc::clone(&got_in));
    *hook.lock().unwrap() = Some(Box::new(move || {
        let mut cx = Cx::new(Bulkhead::clock(&handle)).with_now(Nanos::ZERO.after(SECOND));
        *result.lock().unwrap() = matches!(handle.poll_queued(&mut first, &mut cx), Queued::Go);
        _ = handle.settle(first, &Outcome::Success, &mut cx);
    }));
    drop(inside);
    assert!(*got_in.lock().unwrap());
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
}

/// The deadline passes after the slot was taken, and before the permit is made.
#[test]
fn a_way_in_that_ends_after_its_deadline_keeps_no_slot() {
    let readings = Mutex::new(0);
    let clock = Clock::custom(move || {
        let mut readings = readings.lock().unwrap();
        *readings += 1;
        *readings * SECOND
    });
    let bulkhead = Bulkhead::builder().max_concurrent(1).clock(clock).build().unwrap();
    let limited = CallOptions::new().timeout(SECOND / 2);
    let late = bulkhead.enter_with(limited).unwrap_err();
    assert_eq!((late.code(), late.is_late()), (Code::TimedOut, true));
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
}
