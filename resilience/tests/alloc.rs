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

#[test]
fn no_call_allocates() {
    assert_ne!(blocks(|| drop(black_box(Box::new(7)))), 0, "the counter counts");
    check(&Clock::system());
    check(&ManualClock::new().clock());
}
