//! Instructions and heap blocks of a call through a bulkhead. The clock stands still, and what became of the call is checked
//! after the count has ended.

#![expect(missing_docs, reason = "the macros make items public")]

use std::{mem, task::Poll, time::Duration};

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use resilience::{
    Error, Rejection,
    bulkhead::{Bulkhead, Permit},
};
use resilience_benches::{
    Failure, answer,
    iai::{
        blocks, leak, must_be_admitted, must_be_admitted_at_once, must_be_pending, must_be_rejected,
        must_be_rejected_at_once, still_clock,
    },
    poll_once, ready_answer,
};

type Answer = Result<u8, Error<Failure>>;
type Entered = Result<Permit<'static>, Rejection>;

const HOUR: Duration = Duration::from_secs(3600);

fn bulkhead(max_wait: Duration) -> &'static Bulkhead {
    let builder = Bulkhead::builder().max_concurrent(25).max_wait(max_wait).clock(still_clock());
    leak(builder.build().expect("a valid number"))
}

fn with_room() -> &'static Bulkhead {
    bulkhead(Duration::ZERO)
}

fn without_room() -> &'static Bulkhead {
    fill(with_room())
}

/// It has no slot, and calls may wait.
fn patient() -> &'static Bulkhead {
    fill(bulkhead(HOUR))
}

fn fill(bulkhead: &'static Bulkhead) -> &'static Bulkhead {
    (0..25).for_each(|_| mem::forget(bulkhead.try_enter().expect("it was empty")));
    bulkhead
}

fn entered() -> Permit<'static> {
    with_room().try_enter().expect("it was empty")
}

#[library_benchmark]
#[bench::free(setup = with_room, teardown = must_be_admitted)]
#[bench::full(setup = without_room, teardown = must_be_rejected)]
fn try_enter(bulkhead: &'static Bulkhead) -> Entered {
    bulkhead.try_enter()
}

#[library_benchmark]
#[bench::nobody_waits(setup = entered)]
fn leave(permit: Permit<'static>) {
    drop(permit);
}

#[library_benchmark]
#[bench::free(setup = with_room, teardown = must_be_admitted)]
#[bench::full(setup = without_room, teardown = must_be_rejected)]
fn execute(bulkhead: &Bulkhead) -> Answer {
    bulkhead.execute(answer)
}

#[library_benchmark]
#[bench::free(setup = with_room, teardown = must_be_admitted_at_once)]
#[bench::full(setup = without_room, teardown = must_be_rejected_at_once)]
fn execute_async(bulkhead: &Bulkhead) -> Poll<Answer> {
    poll_once(bulkhead.execute_async(ready_answer))
}

// Takes its place in the line, waits, leaves it: a block for the place, and one for the manual clock's timer.
#[library_benchmark(config = blocks(2))]
#[bench::dropped(setup = patient, teardown = must_be_pending)]
fn enter_async(bulkhead: &'static Bulkhead) -> Poll<Entered> {
    poll_once(bulkhead.enter_async())
}

library_benchmark_group!(
    name = ours;
    config = blocks(0);
    benchmarks = try_enter, leave, execute, execute_async, enter_async
);

main!(library_benchmark_groups = ours);
