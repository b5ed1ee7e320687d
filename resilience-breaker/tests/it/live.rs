//! The configuration of a live breaker changes; what goes on in it does not.

use std::time::Duration;

use resilience_breaker::{Config, OnDropped, State, WindowType};
use resilience_core::{Code, ManualClock};

use crate::{MS, SECOND, breaker, calls, cb0, fail, refused, succeed, trip};

/// B08
#[test]
fn equal_values_change_nothing() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, cb0);
    calls(&breaker, "SSFF");
    let running = breaker.try_acquire().unwrap();
    for _ in 0..100 {
        breaker.reconfigure(breaker.config()).unwrap();
    }
    assert_eq!((breaker.snapshot().window.calls, breaker.snapshot().window.failed), (4, 2));
    running.failure();
    assert_eq!(breaker.state(), State::Open);

    clock.advance(600 * MS);
    breaker.reconfigure(breaker.config()).unwrap();
    assert_eq!(breaker.snapshot().open_for, Some(400 * MS));
    clock.advance(400 * MS);
    let _probe = breaker.try_acquire().unwrap();
    breaker.reconfigure(breaker.config()).unwrap();
    refused(&breaker);
}

#[test]
fn the_state_and_the_time_left_in_it_stay() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, cb0);
    trip(&breaker);
    clock.advance(600 * MS);
    breaker.reconfigure(Config { wait_in_open: 100 * SECOND, ..breaker.config() }).unwrap();
    assert_eq!((breaker.state(), breaker.snapshot().open_for), (State::Open, Some(400 * MS)));
    clock.advance(400 * MS);
    fail(&breaker);
    assert_eq!(breaker.snapshot().open_for, Some(100 * SECOND), "the next time");
}

#[test]
fn new_thresholds_hold_from_the_next_result_on() {
    let breaker = breaker(&ManualClock::new(), cb0);
    calls(&breaker, "SSSSSFF");
    breaker.reconfigure(Config { failure_rate_threshold: 20.0, ..breaker.config() }).unwrap();
    assert_eq!(breaker.state(), State::Closed);
    succeed(&breaker);
    assert_eq!(breaker.state(), State::Open);
}

#[test]
fn fewer_probes_than_have_ended_decide_at_once() {
    for (ends, state) in [("SS", State::Closed), ("FF", State::Open)] {
        let clock = ManualClock::new();
        let breaker = breaker(&clock, |it| cb0(it).permitted_in_half_open(5));
        trip(&breaker);
        clock.advance(SECOND);
        calls(&breaker, ends);
        breaker.reconfigure(Config { permitted_in_half_open: 2, ..breaker.config() }).unwrap();
        assert_eq!(breaker.state(), state);
    }
}

#[test]
fn more_probes_let_more_in() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, cb0);
    trip(&breaker);
    clock.advance(SECOND);
    let _probe = breaker.try_acquire().unwrap();
    refused(&breaker);
    breaker.reconfigure(Config { permitted_in_half_open: 2, ..breaker.config() }).unwrap();
    assert!(breaker.try_acquire().is_ok());
}

#[test]
fn a_window_of_the_other_type_begins_empty() {
    let breaker = breaker(&ManualClock::new(), cb0);
    calls(&breaker, "FFFF");
    let running = breaker.try_acquire().unwrap();
    breaker.reconfigure(Config { window_type: WindowType::Time, ..breaker.config() }).unwrap();
    running.failure();
    assert_eq!(breaker.snapshot().window.calls, 0);
    calls(&breaker, "FFFF");
    assert_eq!(breaker.state(), State::Closed);
    fail(&breaker);
    assert_eq!(breaker.state(), State::Open);
}

#[test]
fn another_length_of_a_time_window_keeps_what_is_recent() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| it.window_type(WindowType::Time).window_duration(10 * SECOND).minimum_calls(50));
    for _ in 0..10 {
        fail(&breaker);
        clock.advance(SECOND);
    }
    let held = |duration| {
        breaker.reconfigure(Config { window_duration: duration, ..breaker.config() }).unwrap();
        breaker.snapshot().window.calls
    };
    assert_eq!(held(20 * SECOND), 9, "the first one was out already");
    assert_eq!(held(5 * SECOND), 4);
}

#[test]
fn switched_off_and_on_it_is_where_it_was() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, cb0);
    trip(&breaker);
    breaker.reconfigure(Config { enabled: false, ..breaker.config() }).unwrap();
    assert_eq!(breaker.state(), State::Disabled);
    succeed(&breaker);
    breaker.reconfigure(Config { enabled: true, ..breaker.config() }).unwrap();
    refused(&breaker);
}

#[test]
fn switched_off_it_decides_nothing_until_it_is_on_again() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| cb0(it).permitted_in_half_open(3));
    trip(&breaker);
    clock.advance(breaker.config().wait_in_open);
    succeed(&breaker);
    assert_eq!(breaker.state(), State::HalfOpen);
    let off = Config { enabled: false, permitted_in_half_open: 1, ..breaker.config() };
    breaker.reconfigure(off).unwrap();
    breaker.reconfigure(Config { enabled: true, permitted_in_half_open: 2, ..off }).unwrap();
    assert_eq!(breaker.state(), State::HalfOpen, "one probe is not two");
    breaker.reconfigure(off).unwrap();
    breaker.reconfigure(Config { enabled: true, ..off }).unwrap();
    assert_eq!(breaker.state(), State::Closed);
}

#[test]
fn a_wrong_value_changes_nothing() {
    let breaker = breaker(&ManualClock::new(), cb0);
    let before = format!("{breaker:?}");
    let wrong = Config { window_size: 0, wait_in_open: Duration::ZERO, ..breaker.config() };
    let error = breaker.reconfigure(wrong).unwrap_err();
    assert_eq!((error.code(), error.problems().len()), (Code::InvalidConfig, 2));
    assert_eq!(format!("{breaker:?}"), before);
}

/// Any change, at any moment: no call is lost for good, and nothing gets stuck.
#[test]
fn changes_beside_calls_of_many_threads() {
    let breaker = breaker(&ManualClock::new(), |it| it.wait_in_open(crate::NS));
    breaker.metrics_only();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for n in 0..20_000 {
                    _ = breaker.execute(|| if n % 2 == 0 { Ok(()) } else { Err(()) });
                }
            });
        }
        scope.spawn(|| {
            for n in 0..500_u32 {
                let config = Config {
                    window_size: 50 + n % 300,
                    window_type: if n % 20 == 0 { WindowType::Time } else { WindowType::Count },
                    slow_call_duration: (n % 3 == 0).then_some(SECOND),
                    on_dropped: if n % 2 == 0 { OnDropped::Failure } else { OnDropped::Ignore },
                    ..breaker.config()
                };
                breaker.reconfigure(config).unwrap();
            }
        });
    });
    breaker.reconfigure(Config { window_size: 100, window_type: WindowType::Count, ..breaker.config() }).unwrap();
    calls(&breaker, &"SF".repeat(50));
    let window = breaker.snapshot().window;
    assert_eq!((window.calls, window.failed), (100, 50));
}
