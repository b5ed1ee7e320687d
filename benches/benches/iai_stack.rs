//! Instructions and heap blocks of a call through all five policies, beside tower-resilience's. The clock of ours stands
//! still, and what became of the call is checked after the count has ended.
//!
//! A clock that stands still is none of the system's, and `remaining()` takes a longer way on it: counts are higher here
//! than on the system's clock.

#![expect(missing_docs, reason = "the macros make items public")]

use std::task::Poll;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use resilience::Error;
use resilience_benches::{
    Failure, Full, Quota, answer,
    iai::{
        blocks, leak, must_be_admitted, must_be_admitted_at_once, must_be_rejected, must_be_rejected_at_once,
        still_clock,
    },
    poll_once, ready_answer,
};

type Answer = Result<u8, Error<Failure>>;

fn stack() -> &'static Full {
    let pipeline = leak(Quota::WHOLE.full_pipeline(&still_clock()));
    pipeline.execute(answer).expect("it is open");
    pipeline
}

/// Its breaker is open.
fn open() -> &'static Full {
    let pipeline = stack();
    pipeline.stack().1.0.force_open();
    pipeline
}

#[library_benchmark]
#[bench::success(setup = stack, teardown = must_be_admitted)]
#[bench::breaker_open(setup = open, teardown = must_be_rejected)]
fn execute(pipeline: &Full) -> Answer {
    pipeline.execute(answer)
}

#[library_benchmark]
#[bench::success(setup = stack, teardown = must_be_admitted_at_once)]
#[bench::breaker_open(setup = open, teardown = must_be_rejected_at_once)]
fn execute_async(pipeline: &Full) -> Poll<Answer> {
    poll_once(pipeline.execute_async(ready_answer))
}

library_benchmark_group!(
    name = ours;
    config = blocks(0);
    benchmarks = execute, execute_async
);

main!(library_benchmark_groups = ours);
