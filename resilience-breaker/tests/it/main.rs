//! The circuit breaker: its laws, the cases from the field, and its windows.

#![expect(clippy::unchecked_time_subtraction, reason = "a test that subtracts too much should panic")]

mod adversity;
mod cases;
mod config;
mod contract;
mod events;
mod late;
mod live;
mod model;
mod peers;
mod probes;
mod reads;
mod windows;

use std::time::Duration;

use resilience_breaker::{Builder, CircuitBreaker, State};
use resilience_core::{Code, Error, ManualClock};

const NS: Duration = Duration::from_nanos(1);
const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const YEAR: Duration = Duration::from_secs(365 * 86_400);

fn breaker(clock: &ManualClock, set: impl FnOnce(Builder) -> Builder) -> CircuitBreaker {
    set(CircuitBreaker::builder().name("test")).clock(clock).build().expect("a valid configuration")
}

/// The breaker that most cases use.
fn cb0(it: Builder) -> Builder {
    it.window_size(10).minimum_calls(5).failure_rate_threshold(50.0).wait_in_open(SECOND).permitted_in_half_open(1)
}

fn succeed(breaker: &CircuitBreaker) {
    assert_eq!(breaker.execute(|| Ok::<_, ()>(())), Ok(()));
}

fn fail(breaker: &CircuitBreaker) {
    assert_eq!(breaker.execute(|| Err::<(), _>(())), Err(Error::Failed(())));
}

/// The call is rejected with R4C-RT-002.
fn refused(breaker: &CircuitBreaker) {
    let result = breaker.execute(|| -> Result<(), ()> { panic!("it runs") });
    assert_eq!(result.unwrap_err().code(), Some(Code::CallNotPermitted));
}

/// Five failures in a row.
fn trip(breaker: &CircuitBreaker) {
    for _ in 0..5 {
        fail(breaker);
    }
    assert_eq!(breaker.state(), State::Open);
}

/// Ends calls one by one: `S`uccess or `F`ailure.
fn calls(breaker: &CircuitBreaker, ends: &str) {
    for end in ends.chars() {
        if end == 'S' { succeed(breaker) } else { fail(breaker) }
    }
}
