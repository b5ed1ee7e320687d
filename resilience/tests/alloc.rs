//! Nothing on the way of a call allocates: admitted, rejected, sync and async.

use std::{
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use resilience::{Clock, ManualClock, prelude::*};

/// The blocks that 100 runs of `op` allocate.
fn blocks(op: impl Fn()) -> u64 {
    op(); // the first call may calibrate the clock
    allocation_counter::measure(|| (0..100).for_each(|_| op())).count_total
}

fn ready<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it does not wait"),
    }
}

/// Both clocks: the system's, with more permits than the test takes, and one that stands still.
fn check(clock: &Clock) {
    let registry = Registry::builder().clock(clock).build();
    let build = |id, permits| {
        let set = |it: resilience::ratelimiter::Builder| it.permits(permits).period(Duration::from_secs(86_400));
        Pipeline::builder(&registry, id).rate_limiter(set).build().unwrap()
    };
    let (open, empty) = (build("open", 1_000_000), build("empty", 1));
    let limiter = registry.rate_limiter("open").unwrap();
    let drained = registry.rate_limiter("empty").unwrap();
    drained.try_acquire().unwrap();

    assert_eq!(blocks(|| limiter.try_acquire().unwrap()), 0, "admitted");
    assert_eq!(blocks(|| assert!(black_box(drained.try_acquire()).is_err())), 0, "rejected");
    assert_eq!(blocks(|| limiter.acquire_n(3).unwrap()), 0, "admitted by acquire_n");
    assert_eq!(blocks(|| ready(limiter.acquire_async()).unwrap()), 0, "admitted by acquire_async");
    assert_eq!(blocks(|| limiter.execute(|| Ok::<_, ()>(())).unwrap()), 0, "executed");

    assert_eq!(blocks(|| open.execute(|| Ok::<_, ()>(())).unwrap()), 0, "pipeline, sync");
    assert_eq!(
        blocks(|| open.execute(|| Err::<(), _>(())).unwrap_err().code().map_or((), drop)),
        0,
        "pipeline, failed"
    );
    assert_eq!(blocks(|| ready(open.execute_async(|| async { Ok::<_, ()>(()) })).unwrap()), 0, "pipeline, async");
    assert_eq!(blocks(|| assert!(empty.execute(|| Ok::<_, ()>(())).is_err())), 0, "pipeline, rejected");
    let rejected = || assert!(ready(empty.execute_async(|| async { Ok::<_, ()>(()) })).is_err());
    assert_eq!(blocks(rejected), 0, "pipeline, async, rejected");
}

type Ready = std::future::Ready<Result<(), ()>>;
type Call = fn() -> Ready;

/// All five policies around a call: its success, its failure, and each kind of rejection.
fn check_full_stack(clock: &Clock) {
    let registry = Registry::builder().clock(clock).build();
    let stack = |id: &str, permits, limit: Duration| {
        Pipeline::builder(&registry, id)
            .retry(|it| it.max_attempts(1))
            .circuit_breaker(|it| it.window_size(100_000))
            .rate_limiter(|it| it.permits(permits).period(Duration::from_secs(86_400)))
            .timeout(|it| it.timeout(limit))
            .bulkhead(|it| it.max_concurrent(1))
            .build()
            .unwrap()
    };
    let day = Duration::from_secs(86_400);
    let run = |id: &str, permits, limit, expected: Option<Code>, call: Call| {
        let pipeline = stack(id, permits, limit);
        let breaker = registry.circuit_breaker(id).unwrap();
        if expected != Some(Code::CallNotPermitted) {
            breaker.metrics_only();
        }
        let seen =
            |result: Result<(), Error<()>>| assert_eq!(black_box(result).err().and_then(|it| it.code()), expected);
        let sync = blocks(|| seen(pipeline.execute(|| ready(call()))));
        let task = blocks(|| seen(ready(pipeline.execute_async(call))));
        assert_eq!((sync, task), (0, 0), "{id}");
    };
    let (ok, err): (Call, Call) = (|| std::future::ready(Ok(())), || std::future::ready(Err(())));

    run("success", 1_000_000, day, None, ok);
    run("failure", 1_000_000, day, None, err);
    stack("limited", 1, day);
    registry.rate_limiter("limited").unwrap().try_acquire().unwrap();
    run("limited", 1, day, Some(Code::RateLimitExceeded), ok);
    stack("open", 1_000_000, day);
    registry.circuit_breaker("open").unwrap().force_open();
    run("open", 1_000_000, day, Some(Code::CallNotPermitted), ok);
    stack("full", 1_000_000, day);
    let bulkhead = registry.bulkhead("full").unwrap();
    let _held = bulkhead.try_enter().unwrap();
    run("full", 1_000_000, day, Some(Code::BulkheadFull), ok);
}

/// The one rejection that needs a clock that moves: the call ends after its deadline.
#[test]
fn a_late_result_allocates_nothing() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let pipeline =
        Pipeline::builder(&registry, "late").timeout(|it| it.timeout(Duration::from_secs(1))).build().unwrap();
    let late = || {
        clock.advance(Duration::from_secs(2));
        Ok::<_, ()>(())
    };
    let count = blocks(|| assert_eq!(pipeline.execute(late).unwrap_err().code(), Some(Code::TimedOut)));
    assert_eq!(count, 0);
}

#[test]
fn no_call_allocates() {
    assert_ne!(blocks(|| drop(black_box(Box::new(7)))), 0, "the counter counts");
    for clock in [Clock::system(), ManualClock::new().clock()] {
        check(&clock);
        check_full_stack(&clock);
    }
}

#[cfg(feature = "tracing")]
#[test]
fn a_call_that_may_have_a_span_allocates_nothing_without_a_subscriber() {
    let registry = Registry::new();
    let build = |id, permits| {
        let set = |it: resilience::ratelimiter::Builder| it.permits(permits).period(Duration::from_secs(86_400));
        Pipeline::builder(&registry, id).rate_limiter(set).build().unwrap().traced()
    };
    let (open, empty) = (build("open", 1_000_000), build("empty", 1));
    empty.execute(|| Ok::<_, ()>(())).unwrap();
    for (pipeline, passes) in [(open, true), (empty, false)] {
        assert_eq!(blocks(|| assert_eq!(pipeline.execute(|| Ok::<_, ()>(())).is_ok(), passes)), 0);
        let call = || assert_eq!(ready(pipeline.execute_async(|| async { Ok::<_, ()>(()) })).is_ok(), passes);
        assert_eq!(blocks(call), 0);
    }
}
