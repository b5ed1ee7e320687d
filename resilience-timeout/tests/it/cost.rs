//! How often the clock is read, what is allocated, and when there is a timer.

use std::{
    hint::black_box,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::Duration,
};

use resilience_core::{CallOptions, Clock, ManualClock, Pipeline, Registry, TimerFuture};
use resilience_timeout::{PipelineExt, Timeout};

use crate::{SECOND, noop, on, timeout};

/// A clock that counts how often it is read, and whose timers nobody may make.
fn counting() -> (Arc<AtomicU64>, Clock) {
    let reads = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&reads);
    let clock = Clock::custom(move || Duration::from_nanos(count.fetch_add(1, Ordering::Relaxed)));
    (reads, clock.with_timer(|_: Duration| -> TimerFuture { panic!("a timer is made") }))
}

#[test]
fn a_future_that_is_ready_at_once_reads_the_clock_once_and_a_sync_call_twice() {
    let (reads, clock) = counting();
    let registry = Registry::builder().clock(&clock).build();
    let pipeline = Pipeline::builder(&registry, "p").timeout(|it| it.timeout(SECOND)).build().unwrap();
    let alone = timeout(&clock, SECOND);
    let read = || reads.swap(0, Ordering::Relaxed);
    read();
    for result in [Ok(()), Err(())] {
        _ = pipeline.execute(|| result);
        assert_eq!(read(), 2);
        _ = alone.execute(|| result);
        assert_eq!(read(), 2);
        assert!(pin!(pipeline.execute_async(|| async { result })).poll(&mut noop()).is_ready());
        assert_eq!(read(), 1);
        assert!(pin!(alone.execute_async(|| async { result })).poll(&mut noop()).is_ready());
        assert_eq!(read(), 1);
    }
}

#[test]
fn a_deadline_of_the_calls_own_costs_no_reading_more_than_one_when_it_begins_and_one_when_it_ends() {
    let (reads, clock) = counting();
    let timeout = timeout(&clock, SECOND);
    let options = CallOptions::new().timeout(2 * SECOND);
    timeout.execute_with(options.clone(), || Ok::<_, ()>(())).unwrap();
    assert_eq!(reads.swap(0, Ordering::Relaxed), 2);
    let mut future = pin!(timeout.execute_async_with(options, || async { Ok::<_, ()>(()) }));
    assert!(future.as_mut().poll(&mut noop()).is_ready());
    assert_eq!(reads.load(Ordering::Relaxed), 2);
}

#[test]
fn without_a_limit_the_clock_is_not_read() {
    let (reads, clock) = counting();
    let endless = timeout(&clock, Duration::MAX);
    let disabled = Timeout::builder().enabled(false).clock(&clock).build().unwrap();
    let limited = timeout(&clock, SECOND);
    let options = CallOptions::new().attempt_timeout(Duration::MAX);
    for (timeout, options) in [(endless, CallOptions::new()), (disabled, CallOptions::new()), (limited, options)] {
        timeout.execute_with(options.clone(), || Ok::<_, ()>(())).unwrap();
        let mut future = pin!(timeout.execute_async_with(options, || async { Ok::<_, ()>(()) }));
        assert!(future.as_mut().poll(&mut noop()).is_ready());
    }
    assert_eq!(reads.load(Ordering::Relaxed), 0);
}

/// The blocks that 100 runs of `op` allocate.
fn blocks(op: impl Fn()) -> u64 {
    op(); // the first call may calibrate the clock
    allocation_counter::measure(|| (0..100).for_each(|_| op())).count_total
}

#[test]
fn no_call_allocates_in_time_late_or_cut_off() {
    assert_ne!(blocks(|| drop(black_box(Box::new(7)))), 0, "the counter counts");
    let manual = ManualClock::new();
    for clock in [manual.clock(), Clock::system()] {
        let registry = Registry::builder().clock(&clock).build();
        let pipeline = Pipeline::builder(&registry, "p").timeout(|it| it.timeout(3_600 * SECOND)).build().unwrap();
        assert_eq!(blocks(|| pipeline.execute(|| Ok::<_, ()>(())).unwrap()), 0, "sync");
        let ready = || {
            let future = pin!(pipeline.execute_async(|| async { Ok::<_, ()>(()) }));
            assert_eq!(future.poll(&mut noop()), Poll::Ready(Ok(())));
        };
        assert_eq!(blocks(ready), 0, "async");
        let own = || CallOptions::new().attempt_timeout(SECOND);
        assert_eq!(blocks(|| pipeline.execute_with(own(), || Ok::<_, ()>(())).unwrap()), 0, "with a limit of its own");
    }
    let pipeline = Pipeline::builder(&on(&manual), "late").timeout(|it| it.timeout(SECOND)).build().unwrap();
    let late = || {
        let result = pipeline.execute(|| {
            manual.advance(2 * SECOND);
            Ok::<_, ()>(())
        });
        assert!(result.is_err());
    };
    assert_eq!(blocks(late), 0, "late");
}
