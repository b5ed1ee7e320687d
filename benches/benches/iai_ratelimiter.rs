//! Instructions and heap blocks of a call through a rate limiter, beside governor's. The clock stands still, and what
//! became of the call is checked after the count has ended.

#![expect(missing_docs, reason = "the macros make items public")]

use std::{num::NonZeroU32, task::Poll, time::Duration};

use governor::{
    NotUntil,
    clock::FakeRelativeClock,
    middleware::NoOpMiddleware,
    nanos::Nanos,
    state::{InMemoryState, NotKeyed},
};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use resilience::{Error, prelude::*, ratelimiter::Reservation};
use resilience_benches::{
    Failure, Limited, Quota, answer,
    iai::{
        MORNING, blocks, leak, must_be_admitted, must_be_admitted_at_once, must_be_pending, must_be_rejected,
        must_be_rejected_at_once, still_clock,
    },
    poll_once, ready_answer,
};

type Governor = governor::RateLimiter<NotKeyed, InMemoryState, FakeRelativeClock, NoOpMiddleware<Nanos>>;
type Reserved = Result<Reservation<'static>, Rejection>;
type Answer = Result<u8, Error<Failure>>;

/// It has had a call, and admits the next.
fn open(quota: Quota) -> &'static RateLimiter {
    let limiter = leak(quota.limiter(&still_clock()));
    limiter.try_acquire().expect("it was full");
    limiter
}

/// It has no permit for the next call.
fn drained(quota: Quota) -> &'static RateLimiter {
    patient(quota, Duration::ZERO)
}

/// As `drained`, and calls may wait.
fn patient(quota: Quota, max_wait: Duration) -> &'static RateLimiter {
    let limiter = leak(quota.patient_limiter(&still_clock(), max_wait));
    limiter.try_acquire_n(quota.permits.into()).expect("it was full");
    limiter
}

fn open_pipeline(quota: Quota) -> &'static Limited {
    let pipeline = leak(quota.pipeline(&still_clock()));
    pipeline.stack().0.try_acquire().expect("it was full");
    pipeline
}

fn drained_pipeline(quota: Quota) -> &'static Limited {
    let pipeline = leak(quota.pipeline(&still_clock()));
    pipeline.stack().0.try_acquire_n(quota.permits.into()).expect("it was full");
    pipeline
}

fn open_governor(quota: Quota) -> &'static Governor {
    let clock = FakeRelativeClock::default();
    let permits = NonZeroU32::new(quota.permits).expect("more than none");
    let governor = leak(Governor::direct_with_clock(governor::Quota::per_second(permits), clock.clone()));
    clock.advance(MORNING);
    governor.check().expect("it was full");
    governor
}

fn drained_governor(quota: Quota) -> &'static Governor {
    let governor = open_governor(quota);
    let rest = NonZeroU32::new(quota.permits - 1).expect("more than none");
    governor.check_n(rest).expect("the burst is larger").expect("it was full");
    governor
}

#[library_benchmark]
#[bench::admitted(args = (Quota::WHOLE), setup = open, teardown = must_be_admitted)]
#[bench::admitted_fractional(args = (Quota::FRACTIONAL), setup = open, teardown = must_be_admitted)]
#[bench::rejected(args = (Quota::WHOLE), setup = drained, teardown = must_be_rejected)]
#[bench::rejected_fractional(args = (Quota::FRACTIONAL), setup = drained, teardown = must_be_rejected)]
fn try_acquire(limiter: &RateLimiter) -> Result<(), Rejection> {
    limiter.try_acquire()
}

#[library_benchmark]
#[bench::admitted(args = (Quota::WHOLE), setup = open, teardown = must_be_admitted)]
fn try_acquire_3(limiter: &RateLimiter) -> Result<(), Rejection> {
    limiter.try_acquire_n(3)
}

#[library_benchmark]
#[bench::admitted(args = (Quota::WHOLE), setup = open_pipeline, teardown = must_be_admitted)]
#[bench::rejected(args = (Quota::WHOLE), setup = drained_pipeline, teardown = must_be_rejected)]
fn execute(pipeline: &Limited) -> Answer {
    pipeline.execute(answer)
}

#[library_benchmark]
#[bench::admitted(args = (Quota::WHOLE), setup = open_pipeline, teardown = must_be_admitted_at_once)]
#[bench::rejected(args = (Quota::WHOLE), setup = drained_pipeline, teardown = must_be_rejected_at_once)]
fn execute_async(pipeline: &Limited) -> Poll<Answer> {
    poll_once(pipeline.execute_async(ready_answer))
}

#[library_benchmark]
#[bench::waits(args = (Quota::WHOLE, Quota::WHOLE.period), setup = patient, teardown = must_wait)]
#[bench::at_once(args = (Quota::WHOLE), setup = open, teardown = must_be_due)]
#[bench::rejected(args = (Quota::WHOLE), setup = drained, teardown = must_be_rejected)]
fn reserve(limiter: &'static RateLimiter) -> Reserved {
    limiter.reserve(1)
}

#[library_benchmark]
#[bench::early(args = (Quota::WHOLE, Quota::WHOLE.period), setup = reservation, teardown = must_give_back)]
fn cancel(reservation: Reservation<'static>) -> bool {
    reservation.cancel()
}

// Takes its place, waits for it, gives it back. The wait itself is a timer of the manual clock, which has one block.
#[library_benchmark(config = blocks(1))]
#[bench::dropped(args = (Quota::WHOLE, Quota::WHOLE.period), setup = patient, teardown = must_be_pending)]
fn acquire_async(limiter: &RateLimiter) -> Poll<Result<(), Rejection>> {
    poll_once(limiter.acquire_async())
}

#[library_benchmark]
#[bench::admitted(args = (Quota::WHOLE), setup = open_governor, teardown = must_be_admitted)]
#[bench::rejected(args = (Quota::WHOLE), setup = drained_governor, teardown = must_be_rejected)]
fn governor_check(governor: &Governor) -> Result<(), NotUntil<Nanos>> {
    governor.check()
}

fn reservation(quota: Quota, max_wait: Duration) -> Reservation<'static> {
    patient(quota, max_wait).reserve(1).expect("it may wait")
}

fn must_wait(reserved: Reserved) {
    assert!(reserved.is_ok_and(|it| it.wait() > Duration::ZERO));
}

fn must_be_due(reserved: Reserved) {
    assert!(reserved.is_ok_and(|it| it.wait().is_zero()));
}

fn must_give_back(given_back: bool) {
    assert!(given_back);
}

library_benchmark_group!(
    name = ours;
    config = blocks(0);
    benchmarks = try_acquire, try_acquire_3, execute, execute_async, reserve, cancel, acquire_async
);

library_benchmark_group!(
    name = peers;
    config = blocks(0);
    benchmarks = governor_check
);

main!(library_benchmark_groups = ours, peers);
