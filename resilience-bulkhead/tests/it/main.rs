//! The bulkhead: its laws, the cases from the field, and its queue.

#![expect(clippy::unchecked_time_subtraction, reason = "a test that subtracts too much should panic")]

mod adversity;
mod between;
mod cases;
mod config;
mod contract;
mod enter;
mod events;
mod laws;
mod live;
mod model;
mod peers;
mod queue;
mod threads;

use std::{
    future::pending,
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use resilience_bulkhead::Bulkhead;
use resilience_core::{Error, ManualClock};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// A call that is somewhere on its way.
type Task<'a, T = (), E = ()> = Pin<Box<dyn Future<Output = Result<T, Error<E>>> + 'a>>;

fn bulkhead(clock: &ManualClock, max_concurrent: u32, max_wait: Duration) -> Bulkhead {
    let builder = Bulkhead::builder().name("test").max_concurrent(max_concurrent).max_wait(max_wait);
    builder.clock(clock).build().expect("a valid configuration")
}

fn poll<F: Future + ?Sized>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// A call that has begun, and stays until it is dropped.
fn staying(bulkhead: &Bulkhead) -> Task<'_> {
    let mut task: Task<'_> = Box::pin(bulkhead.execute_async(pending));
    assert!(poll(&mut task).is_pending(), "it is inside, or in line");
    task
}

/// A call that has begun, and ends as soon as it is in.
fn passing(bulkhead: &Bulkhead) -> Task<'_> {
    let mut task: Task<'_> = Box::pin(bulkhead.execute_async(|| async { Ok(()) }));
    assert!(poll(&mut task).is_pending(), "it is in line");
    task
}

/// In use, available, queued.
fn counts(bulkhead: &Bulkhead) -> [u32; 3] {
    let snapshot = bulkhead.snapshot();
    [snapshot.in_use, snapshot.available, snapshot.queued]
}
