//! Instructions and heap blocks of a call through a timeout. The clock stands still, except in calls that are late, and what
//! became of the call is checked after the count has ended.
//!
//! A clock that stands still is none of the system's, and `remaining()` takes a longer way on it: counts are higher here
//! than on the system's clock.

#![expect(missing_docs, reason = "the macros make items public")]

use std::{future::pending, task::Poll, time::Duration};

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use resilience::{Error, ManualClock, timeout::Timeout};
use resilience_benches::{
    Failure, answer,
    iai::{blocks, leak, must_be_admitted, must_be_admitted_at_once, must_be_pending, must_be_rejected, still_clock},
    poll_once, ready_answer,
};

type Answer = Result<u8, Error<Failure>>;

const LIMIT: Duration = Duration::from_secs(2);

fn timeout() -> &'static Timeout {
    leak(Timeout::builder().timeout(LIMIT).clock(still_clock()).build().expect("a valid limit"))
}

fn timeout_and_clock() -> (&'static Timeout, ManualClock) {
    let clock = ManualClock::new();
    (leak(Timeout::builder().timeout(LIMIT).clock(&clock).build().expect("a valid limit")), clock)
}

#[library_benchmark]
#[bench::in_time(setup = timeout, teardown = must_be_admitted)]
fn execute(timeout: &Timeout) -> Answer {
    timeout.execute(answer)
}

#[library_benchmark]
#[bench::late(setup = timeout_and_clock, teardown = must_be_rejected)]
fn execute_too_long((timeout, clock): (&Timeout, ManualClock)) -> Answer {
    timeout.execute(too_long(&clock))
}

fn too_long(clock: &ManualClock) -> impl FnMut() -> Result<u8, Failure> {
    || {
        clock.advance(LIMIT + Duration::from_nanos(1));
        answer()
    }
}

#[library_benchmark]
#[bench::ready_at_once(setup = timeout, teardown = must_be_admitted_at_once)]
fn execute_async(timeout: &Timeout) -> Poll<Answer> {
    poll_once(timeout.execute_async(ready_answer))
}

// The timer is one of the manual clock, which has one block.
#[library_benchmark(config = blocks(1))]
#[bench::dropped(setup = timeout, teardown = must_be_pending)]
fn execute_async_pending(timeout: &Timeout) -> Poll<Answer> {
    poll_once(timeout.execute_async(pending))
}

library_benchmark_group!(
    name = ours;
    config = blocks(0);
    benchmarks = execute, execute_too_long, execute_async, execute_async_pending
);

main!(library_benchmark_groups = ours);
