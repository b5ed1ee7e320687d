//! Instructions and heap blocks of a call through a circuit breaker, beside recloser's. The clock of ours
//! stands still, and what became of the call is checked after the count has ended.

#![expect(missing_docs, reason = "the macros make items public")]

use std::{task::Poll, time::Duration};

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use recloser::Recloser;
use resilience::{
    Error,
    breaker::{CircuitBreaker, WindowType},
};
use resilience_benches::{
    Failure, answer, failure,
    iai::{
        blocks, leak, must_be_admitted, must_be_admitted_at_once, must_be_rejected, must_be_rejected_at_once,
        still_clock,
    },
    poll_once, ready_answer,
};

type Answer = Result<u8, Error<Failure>>;

const HOUR: Duration = Duration::from_secs(3600);
/// So many calls have been made: the window is full.
const SHORT: u32 = 100;
const LONG: u32 = 100_000;

fn closed_with(window: u32) -> &'static CircuitBreaker {
    warm(
        leak(CircuitBreaker::builder().window_size(window).clock(still_clock()).build().expect("a valid window")),
        window,
    )
}

/// Its window is one of time.
fn timed() -> &'static CircuitBreaker {
    let builder = CircuitBreaker::builder().window_type(WindowType::Time).clock(still_clock());
    warm(leak(builder.build().expect("a valid window")), SHORT)
}

/// It times calls, to know slow ones.
fn slow() -> &'static CircuitBreaker {
    let builder = CircuitBreaker::builder().slow_call_duration(HOUR).clock(still_clock());
    warm(leak(builder.build().expect("a valid window")), SHORT)
}

fn warm(breaker: &'static CircuitBreaker, calls: u32) -> &'static CircuitBreaker {
    for _ in 0..calls {
        breaker.execute(|| Ok::<_, ()>(())).expect("it is closed");
    }
    breaker
}

fn opened() -> &'static CircuitBreaker {
    let builder = CircuitBreaker::builder().window_size(1).wait_in_open(HOUR).clock(still_clock());
    let breaker = leak(builder.build().expect("a valid window"));
    breaker.execute(|| Err::<(), _>(())).expect_err("it fails");
    breaker
}

fn closed_recloser() -> &'static Recloser {
    let recloser = leak(Recloser::custom().closed_len(SHORT as usize).build());
    for _ in 0..SHORT {
        recloser.call(|| Ok::<_, ()>(())).expect("it is closed");
    }
    recloser
}

fn open_recloser() -> &'static Recloser {
    let recloser = leak(Recloser::custom().closed_len(1).open_wait(HOUR).build());
    // The first is only recorded.
    for _ in 0..2 {
        recloser.call(|| Err::<(), _>(())).expect_err("it fails");
    }
    recloser
}

#[library_benchmark]
#[bench::closed(args = (SHORT), setup = closed_with, teardown = must_be_admitted)]
#[bench::closed_100_000(args = (LONG), setup = closed_with, teardown = must_be_admitted)]
#[bench::closed_time_window(setup = timed, teardown = must_be_admitted)]
#[bench::closed_slow_calls(setup = slow, teardown = must_be_admitted)]
#[bench::open(setup = opened, teardown = must_be_rejected)]
fn execute(breaker: &CircuitBreaker) -> Answer {
    breaker.execute(answer)
}

#[library_benchmark]
#[bench::closed(args = (SHORT), setup = closed_with, teardown = must_be_rejected)]
fn execute_failing(breaker: &CircuitBreaker) -> Answer {
    breaker.execute(failure)
}

#[library_benchmark]
#[bench::closed(args = (SHORT), setup = closed_with, teardown = must_be_admitted_at_once)]
#[bench::open(setup = opened, teardown = must_be_rejected_at_once)]
fn execute_async(breaker: &CircuitBreaker) -> Poll<Answer> {
    poll_once(breaker.execute_async(ready_answer))
}

#[library_benchmark]
#[bench::closed(setup = closed_recloser, teardown = must_be_admitted)]
#[bench::open(setup = open_recloser, teardown = must_be_rejected)]
fn recloser_call(recloser: &Recloser) -> Result<u8, recloser::Error<Failure>> {
    recloser.call(answer)
}

library_benchmark_group!(
    name = ours;
    config = blocks(0);
    benchmarks = execute, execute_failing, execute_async
);

library_benchmark_group!(
    name = peers;
    config = blocks(0);
    benchmarks = recloser_call
);

main!(library_benchmark_groups = ours, peers);
