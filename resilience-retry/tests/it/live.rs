//! Changes of the live retry.

use std::{cell::Cell, sync::Arc, time::Duration};

use resilience_core::{Error, Events, ManualClock};
use resilience_retry::{Config, Event, Retry};

use crate::{Failing, Heard, MS, SECOND, builder, delays};

#[test]
fn a_change_holds_from_the_next_call_on() {
    let clock = ManualClock::new();
    let events = Events::new();
    let retry = builder(&clock).delay(MS).multiplier(1.0).events(&events).build().unwrap();
    let before = retry.config();
    let after = Config { max_attempts: 5, delay: 7 * MS, max_duration: Some(SECOND), ..before };
    let heard = Heard::on(&events);
    let failing = Failing::default();
    let result = retry.execute(|| {
        retry.reconfigure(after).unwrap();
        failing.call(&clock)
    });
    assert_eq!(result, Err(Error::Failed(3)));
    assert_eq!(failing.delays(), [MS, MS]);
    let changes = heard.take().into_iter().filter(|event| matches!(event, Event::Reconfigured { .. }));
    assert_eq!(changes.collect::<Vec<_>>(), [Event::Reconfigured { from: before, to: after }], "once: equal then");
    assert_eq!(delays(&clock, &retry), [7 * MS; 4]);
}

#[test]
fn a_call_that_outlives_many_changes_goes_by_one_it_could_have_begun_under() {
    let clock = ManualClock::new();
    let retry = builder(&clock).delay(MS).build().unwrap();
    let calls = Cell::new(0);
    let result = retry.execute(|| {
        calls.set(calls.get() + 1);
        for n in 0..100 {
            retry.reconfigure(Config { max_attempts: 100 + n, max_duration: Some(MS), ..retry.config() }).unwrap();
        }
        Err::<(), _>("down")
    });
    assert_eq!(result, Err(Error::Failed("down")));
    assert!((3..=200).contains(&calls.get()), "{calls:?}");
}

#[test]
fn a_disabled_retry_calls_once_and_counts_nothing() {
    let clock = ManualClock::new();
    let retry = builder(&clock).budget_percent(50.0).enabled(false).build().unwrap();
    let before = retry.snapshot();
    let failing = Failing::default();
    assert_eq!(retry.execute(|| failing.call(&clock)), Err(Error::Failed(1)));
    assert_eq!(retry.snapshot(), before);
    retry.reconfigure(Config { enabled: true, ..retry.config() }).unwrap();
    assert_eq!(retry.execute(|| failing.call(&clock)), Err(Error::Failed(4)));
    retry.reconfigure(Config { enabled: false, ..retry.config() }).unwrap();
    assert_eq!(retry.execute(|| failing.call(&clock)), Err(Error::Failed(5)));
}

/// No lock is held while a listener runs.
#[test]
fn a_listener_may_look_at_the_retry_and_change_it() {
    let clock = ManualClock::new();
    let events = Events::new();
    let retry = Arc::new(builder(&clock).budget_percent(50.0).events(&events).build().unwrap());
    let changed = Arc::clone(&retry);
    let _listening = events.subscribe(move |_| {
        let max_attempts = changed.snapshot().max_attempts + 1;
        changed.reconfigure(Config { max_attempts: max_attempts.min(9), ..changed.config() }).unwrap();
    });
    assert_eq!(retry.execute(|| Err::<(), _>("down")), Err(Error::Failed("down")));
    assert_eq!(retry.config().max_attempts, 9);
}

#[test]
fn what_is_invalid_or_equal_changes_nothing() {
    let clock = ManualClock::new();
    let events = Events::new();
    let retry = builder(&clock).budget_percent(50.0).budget_min_per_second(0).events(&events).build().unwrap();
    for _ in 0..4 {
        retry.execute(|| Ok::<_, ()>(())).unwrap();
    }
    let heard = Heard::on(&events);
    let before = (retry.config(), retry.snapshot());
    assert_eq!(before.1.budget_left, Some(2));
    retry.reconfigure(before.0).unwrap();
    let error = retry.reconfigure(Config { max_attempts: 0, multiplier: 0.5, ..before.0 }).unwrap_err();
    assert_eq!(error.problems().len(), 2);
    assert_eq!((retry.config(), retry.snapshot()), before);
    assert_eq!(heard.take(), []);
}

#[test]
fn a_change_of_the_budget_keeps_what_was_counted() {
    let clock = ManualClock::new();
    let retry = builder(&clock).delay(Duration::ZERO).budget_percent(50.0).budget_min_per_second(0).build().unwrap();
    for _ in 0..9 {
        retry.execute(|| Ok::<_, ()>(())).unwrap();
    }
    assert!(retry.execute(|| Err::<(), _>("down")).is_err());
    let left = |retry: &Retry| retry.snapshot().budget_left;
    assert_eq!(left(&retry), Some(3), "half of ten, less two");
    let change = |set: fn(&mut Config)| {
        let mut config = retry.config();
        set(&mut config);
        retry.reconfigure(config).unwrap();
    };
    change(|it| it.budget_percent = Some(30.0));
    assert_eq!(left(&retry), Some(1));
    change(|it| it.budget_window = SECOND);
    assert_eq!(left(&retry), Some(1));
    change(|it| it.budget_min_per_second = 4);
    assert_eq!(left(&retry), Some(5));
    change(|it| it.budget_percent = None);
    assert_eq!(left(&retry), None);
    change(|it| it.budget_percent = Some(30.0));
    assert_eq!(left(&retry), Some(4), "a new budget begins empty");
}
