//! Instructions and heap blocks of calls with all features compiled in, and nobody who listens: `off` while there is no
//! `Metrics`, `on` with one. What they take without those features is in the suites of the policies and of the stack.

#![expect(missing_docs, reason = "the macros make items public")]

use std::task::Poll;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use resilience::{Error, Metrics, prelude::*, ratelimiter::RateLimiter};
use resilience_benches::{
    Failure, Full, Quota, answer,
    iai::{blocks, leak, must_be_admitted, must_be_admitted_at_once, must_be_rejected, still_clock},
    poll_once, ready_answer,
};

type Answer = Result<u8, Error<Failure>>;

/// The program does count at times, or the compiler would see that it never does.
fn begin(on: bool) {
    let metrics = Metrics::new(&Registry::new());
    if on {
        leak(metrics);
    }
}

fn stack(on: bool) -> &'static Full {
    begin(on);
    let pipeline = leak(Quota::WHOLE.full_pipeline(&still_clock()));
    pipeline.execute(answer).expect("it is open");
    pipeline
}

/// Its breaker is open.
fn open(on: bool) -> &'static Full {
    let pipeline = stack(on);
    pipeline.stack().1.0.force_open();
    pipeline
}

fn limiter(on: bool) -> &'static RateLimiter {
    begin(on);
    leak(Quota::WHOLE.limiter(&still_clock()))
}

/// It has no permit left.
fn drained(on: bool) -> &'static RateLimiter {
    begin(on);
    let limiter = leak(Quota::SCARCE.limiter(&still_clock()));
    limiter.try_acquire().expect("it is full");
    limiter
}

#[library_benchmark]
#[bench::stack_off(args = (false), setup = stack, teardown = must_be_admitted)]
#[bench::stack_on(args = (true), setup = stack, teardown = must_be_admitted)]
#[bench::open_off(args = (false), setup = open, teardown = must_be_rejected)]
#[bench::open_on(args = (true), setup = open, teardown = must_be_rejected)]
fn execute(pipeline: &Full) -> Answer {
    pipeline.execute(answer)
}

#[library_benchmark]
#[bench::stack_off(args = (false), setup = stack, teardown = must_be_admitted_at_once)]
#[bench::stack_on(args = (true), setup = stack, teardown = must_be_admitted_at_once)]
fn execute_async(pipeline: &Full) -> Poll<Answer> {
    poll_once(pipeline.execute_async(ready_answer))
}

#[library_benchmark]
#[bench::admitted_off(args = (false), setup = limiter, teardown = must_be_admitted)]
#[bench::admitted_on(args = (true), setup = limiter, teardown = must_be_admitted)]
#[bench::rejected_off(args = (false), setup = drained, teardown = must_be_rejected)]
#[bench::rejected_on(args = (true), setup = drained, teardown = must_be_rejected)]
fn try_acquire(limiter: &RateLimiter) -> Result<(), Rejection> {
    limiter.try_acquire()
}

#[library_benchmark]
#[bench::admitted_off(args = (false), setup = limiter, teardown = must_be_admitted)]
#[bench::admitted_on(args = (true), setup = limiter, teardown = must_be_admitted)]
fn execute_limited(limiter: &RateLimiter) -> Answer {
    limiter.execute(answer)
}

library_benchmark_group!(
    name = ours;
    config = blocks(0);
    benchmarks = execute, execute_async, try_acquire, execute_limited
);

main!(library_benchmark_groups = ours);
