//! Instructions and heap blocks of a call through a retry, beside backon's. The clock of ours moves when it waits, and what
//! became of the call is checked after the count has ended.

#![expect(missing_docs, reason = "the macros make items public")]

use std::{cell::Cell, future::IntoFuture, task::Poll};

use backon::{BlockingRetryable, ExponentialBuilder, Retryable};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use resilience::{Error, retry::Retry};
use resilience_benches::{
    Failure, answer, failure,
    iai::{blocks, leak, must_be_admitted, must_be_admitted_at_once, must_be_rejected, still_clock},
    poll_once, ready_answer,
};

type Answer = Result<u8, Error<Failure>>;

fn retry() -> &'static Retry {
    leak(Retry::builder().clock(still_clock()).build().expect("valid as it is"))
}

fn with_budget() -> &'static Retry {
    leak(Retry::builder().budget_percent(20.0).clock(still_clock()).build().expect("a valid budget"))
}

/// It has been called: the first call of a thread seeds its source of chance.
fn seeded() -> ExponentialBuilder {
    let builder = ExponentialBuilder::default().with_jitter();
    (|| Ok::<_, ()>(())).retry(builder).call().expect("it succeeds");
    builder
}

/// Has no second attempt.
fn once() -> &'static Retry {
    leak(Retry::builder().max_attempts(1).clock(still_clock()).build().expect("one is enough"))
}

#[library_benchmark]
#[bench::first_try(setup = retry, teardown = must_be_admitted)]
#[bench::first_try_with_budget(setup = with_budget, teardown = must_be_admitted)]
fn execute(retry: &Retry) -> Answer {
    retry.execute(answer)
}

// The wait is a timer of the manual clock, which has one block.
#[library_benchmark(config = blocks(1))]
#[bench::second_try(setup = retry, teardown = must_be_admitted)]
#[bench::second_try_with_budget(setup = with_budget, teardown = must_be_admitted)]
fn execute_failing_once(retry: &Retry) -> Answer {
    let failed = Cell::new(false);
    retry.execute(fails_once(&failed))
}

fn fails_once(failed: &Cell<bool>) -> impl FnMut() -> Result<u8, Failure> {
    || if failed.replace(true) { Ok(7) } else { Err(Failure) }
}

#[library_benchmark]
#[bench::exhausted(setup = once, teardown = must_be_rejected)]
fn execute_failing(retry: &Retry) -> Answer {
    retry.execute(failure)
}

#[library_benchmark]
#[bench::first_try(setup = retry, teardown = must_be_admitted_at_once)]
fn execute_async(retry: &Retry) -> Poll<Answer> {
    poll_once(retry.execute_async(ready_answer))
}

#[library_benchmark]
#[bench::first_try(setup = seeded, teardown = must_be_admitted)]
fn backon_call(builder: ExponentialBuilder) -> Result<u8, Failure> {
    answer.retry(builder).call()
}

#[library_benchmark]
#[bench::first_try(setup = seeded, teardown = must_be_admitted_at_once)]
fn backon_async(builder: ExponentialBuilder) -> Poll<Result<u8, Failure>> {
    poll_once(ready_answer.retry(builder).into_future())
}

library_benchmark_group!(
    name = ours;
    config = blocks(0);
    benchmarks = execute, execute_failing_once, execute_failing, execute_async
);

library_benchmark_group!(
    name = peers;
    config = blocks(0);
    benchmarks = backon_call, backon_async
);

main!(library_benchmark_groups = ours, peers);
