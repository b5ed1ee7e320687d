//! Changing the live timeout.

use std::{future::pending, pin::pin, time::Duration};

use resilience_core::{Code, ManualClock, Settings};
use resilience_timeout::{Config, Event, Timeout, remaining};

use crate::{MS, SECOND, listen, noop};

#[test]
fn a_change_holds_from_the_next_call_on() {
    let (clock, events) = (ManualClock::new(), resilience_core::Events::new());
    let (heard, _listening) = listen(&events);
    let timeout = Timeout::builder().timeout(100 * MS).clock(&clock).events(&events).build().unwrap();
    let mut running = pin!(timeout.execute_async(pending::<Result<(), ()>>));
    assert!(running.as_mut().poll(&mut noop()).is_pending());
    let (from, to) = (timeout.config(), Config { timeout: 10 * MS, ..timeout.config() });
    timeout.reconfigure(to).unwrap();
    assert_eq!(timeout.execute(|| Ok::<_, ()>(remaining())), Ok(Some(10 * MS)));
    assert_eq!((timeout.config(), timeout.snapshot().timeout), (to, 10 * MS));
    clock.advance(99 * MS);
    assert!(running.as_mut().poll(&mut noop()).is_pending(), "it keeps its deadline");
    clock.advance(MS);
    assert!(running.as_mut().poll(&mut noop()).is_ready());

    let reconfigured = Event::Reconfigured { from, to };
    assert_eq!(reconfigured.to_string(), "reconfigured: timeout 100ms -> 10ms");
    let limit = 100 * MS;
    assert_eq!(*heard.lock().unwrap(), [reconfigured, Event::TimedOut { limit, late: false, elapsed: limit }]);
}

#[test]
fn equal_values_and_invalid_ones_change_nothing() {
    let events = resilience_core::Events::new();
    let (heard, _listening) = listen(&events);
    let timeout = Timeout::builder().clock(ManualClock::new()).events(&events).build().unwrap();
    let before = format!("{timeout:?}");
    timeout.reconfigure(timeout.config()).unwrap();
    let error = timeout.reconfigure(Config { timeout: Duration::ZERO, enabled: false }).unwrap_err();
    assert_eq!((error.code(), error.problems()[0].code), (Code::InvalidConfig, Code::ZeroDuration));
    assert_eq!(format!("{timeout:?}"), before);
    assert!(heard.lock().unwrap().is_empty());
}

#[test]
fn it_can_be_switched_off_and_on() {
    let clock = ManualClock::new();
    let timeout = Timeout::builder().timeout(MS).clock(&clock).build().unwrap();
    let slow = || {
        timeout.execute(|| {
            clock.advance(SECOND);
            Ok::<_, ()>(7)
        })
    };
    assert!(slow().is_err());
    timeout.reconfigure(Config { enabled: false, ..timeout.config() }).unwrap();
    assert_eq!(slow(), Ok(7));
    timeout.reconfigure(Config { enabled: true, ..timeout.config() }).unwrap();
    assert!(slow().is_err());
    assert_eq!(timeout.snapshot().timed_out, 2, "the counts stay");
}

#[test]
fn the_defaults_are_those_of_the_table_of_keys() {
    let config = Timeout::builder().config();
    assert_eq!(config, Config { timeout: 2 * SECOND, enabled: true });
    let names: Vec<_> = config.entries().into_iter().map(|(name, _)| name).collect();
    let table: Vec<_> = resilience_core::keys::TIMEOUT.keys.iter().map(|key| key.name).collect();
    assert_eq!(names, table);
    assert_eq!(Timeout::builder().timeout(Duration::ZERO).build().unwrap_err().code(), Code::InvalidConfig);
}
