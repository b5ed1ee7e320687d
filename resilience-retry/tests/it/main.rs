//! The retry: its laws, the cases from the field, and what it costs.

#![expect(clippy::unchecked_time_subtraction, reason = "a test that subtracts too much should panic")]

mod adversity;
mod budget;
mod cases;
mod chance;
mod config;
mod contract;
mod cost;
mod events;
mod floor;
mod laws;
mod layers;
mod live;
mod never;
mod tasks;

use std::{
    cell::RefCell,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};

use resilience_core::{
    Events, ManualClock,
    event::{self, Subscription},
};
use resilience_retry::{Builder, Event, Jitter, Retry};

const NS: Duration = Duration::from_nanos(1);
const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// Without jitter.
fn builder(clock: &ManualClock) -> Builder {
    Retry::builder().name("test").jitter(Jitter::None).clock(clock)
}

/// A call that always fails, and the times of its attempts.
#[derive(Default)]
struct Failing(RefCell<Vec<Duration>>);

impl Failing {
    fn call(&self, clock: &ManualClock) -> Result<(), usize> {
        let mut times = self.0.borrow_mut();
        times.push(clock.now().into());
        Err(times.len())
    }

    fn times(&self) -> Vec<Duration> {
        self.0.borrow().clone()
    }

    fn delays(&self) -> Vec<Duration> {
        self.0.borrow().windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

/// The delays between the attempts of a call that always fails.
fn delays(clock: &ManualClock, retry: &Retry) -> Vec<Duration> {
    let failing = Failing::default();
    assert!(retry.execute(|| failing.call(clock)).is_err());
    failing.delays()
}

/// All events of a bus.
struct Heard {
    list: Arc<Mutex<Vec<Event>>>,
    _subscription: Subscription,
}

impl Heard {
    fn on(events: &Events) -> Self {
        let list = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&list);
        let subscription = events.subscribe(move |event: &event::Event<'_>| {
            if let Some(event) = event.payload::<Event>() {
                heard.lock().unwrap().push(*event);
            }
        });
        Self { list, _subscription: subscription }
    }

    fn take(&self) -> Vec<Event> {
        std::mem::take(&mut self.list.lock().unwrap())
    }
}

/// Runs a future alone on a manual clock, which moves to its next timer whenever it waits.
fn run<T>(clock: &ManualClock, future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => return value,
            Poll::Pending => assert!(clock.advance_to_next(), "who waits has a timer"),
        }
    }
}
