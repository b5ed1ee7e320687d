//! The timeout: its laws, the cases from the field, and what a call through it costs.

#![expect(clippy::unchecked_time_subtraction, reason = "a test that subtracts too much should panic")]

mod asynchronous;
mod cases;
mod contract;
mod cost;
mod events;
mod laws;
mod live;
mod nested;
mod runtime;
mod synchronous;

use std::{
    future::poll_fn,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};

use resilience_core::{Clock, Error, ManualClock, Nanos, Registry, Rejection, event};
use resilience_timeout::{Event, Timeout};

const NS: Duration = Duration::from_nanos(1);
const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn timeout(clock: impl Into<Clock>, limit: Duration) -> Timeout {
    Timeout::builder().name("test").timeout(limit).clock(clock).build().expect("a valid configuration")
}

fn on(clock: &ManualClock) -> Registry {
    Registry::builder().clock(clock).build()
}

fn noop() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

/// Ends well once the clock shows `at`.
async fn ready_at<T>(clock: &ManualClock, at: Nanos, value: T) -> Result<T, &'static str> {
    poll_fn(|_| if clock.now() >= at { Poll::Ready(()) } else { Poll::Pending }).await;
    Ok(value)
}

fn rejection<T, E>(result: Result<T, Error<E>>) -> Rejection {
    result.err().and_then(|error| error.rejection().copied()).expect("it is rejected")
}

/// What the timeouts of a registry publish, from here on.
fn listen(events: &resilience_core::Events) -> (Arc<Mutex<Vec<Event>>>, event::Subscription) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    let listening = events.subscribe(move |event: &event::Event<'_>| {
        list.lock().unwrap().extend(event.payload::<Event>().copied());
    });
    (heard, listening)
}
