//! Those who wait: order, time, giving up.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use proptest::prelude::*;
use resilience_core::{CallOptions, Clock, Code, Interrupt, ManualClock, Nanos, Rejection};
use resilience_ratelimiter::RateLimiter;

use crate::{MS, SECOND, limiter};

type Task = Pin<Box<dyn Future<Output = ()>>>;

fn poll<F: Future + ?Sized>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn forty_waiters_start_in_the_order_of_arrival_and_never_early_on_the_manual_clock() {
    let clock = ManualClock::new();
    let limiter = Arc::new(limiter(&clock, 1, 10 * MS, SECOND));
    let starts = Arc::new(Mutex::new(Vec::new()));
    let mut tasks: Vec<Task> = (0..40)
        .map(|n| {
            let (limiter, clock, starts) = (Arc::clone(&limiter), clock.clone(), Arc::clone(&starts));
            Box::pin(async move {
                limiter.acquire_async().await.unwrap();
                starts.lock().unwrap().push((n, Duration::from(clock.now())));
            }) as Task
        })
        .collect();
    tasks.retain_mut(|task| poll(task).is_pending());
    assert_eq!((tasks.len(), clock.pending_tasks()), (39, 39));
    assert_eq!(limiter.snapshot().waiting, 39);
    // Each step is shorter than the interval, and every task is polled each time: none may start early.
    while !tasks.is_empty() {
        clock.advance(MS);
        tasks.retain_mut(|task| poll(task).is_pending());
    }
    let expected: Vec<_> = (0..40_u32).map(|n| (n, n * 10 * MS)).collect();
    assert_eq!(*starts.lock().unwrap(), expected);
    assert_eq!((clock.pending_tasks(), limiter.snapshot().waiting), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn forty_waiters_start_in_the_order_of_arrival_and_never_early_in_tokios_paused_time() {
    let clock = Clock::tokio();
    let builder = RateLimiter::builder().permits(3).period(SECOND).max_wait(60 * SECOND).clock(&clock);
    let limiter = Arc::new(builder.build().unwrap());
    let starts = Arc::new(Mutex::new(Vec::new()));
    let tasks: Vec<_> = (0..40_u32)
        .map(|n| {
            let (limiter, clock, starts) = (Arc::clone(&limiter), clock.clone(), Arc::clone(&starts));
            tokio::spawn(async move {
                limiter.acquire_async().await.unwrap();
                starts.lock().unwrap().push((n, clock.now()));
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let starts = starts.lock().unwrap();
    assert!(starts.iter().map(|(n, _)| *n).eq(0..40_u32));
    for &(n, start) in starts.iter() {
        let due = SECOND * n.saturating_sub(2) / 3;
        let late = Duration::from(start).checked_sub(due).expect("never early");
        assert!(late < 2 * MS, "{n} started {late:?} late: tokio's grain is 1 ms");
    }
}

proptest! {
    #[test]
    fn dropping_any_of_those_who_wait_gives_back_exactly_their_permits(dropped in prop::collection::vec(any::<bool>(), 40)) {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, 2, 10 * MS, Duration::MAX);
        limiter.try_acquire_n(2).unwrap();
        let mut waiting: Vec<_> = dropped.iter().map(|_| Box::pin(limiter.acquire_async())).collect();
        for future in &mut waiting {
            prop_assert!(poll(future).is_pending());
        }
        let mut keep = dropped.iter().map(|dropped| !dropped);
        waiting.retain(|_| keep.next().unwrap());
        let left = waiting.len();
        prop_assert_eq!(limiter.snapshot().waiting, left as u64);
        prop_assert_eq!(clock.pending_tasks(), left);

        // Whoever comes now starts one interval after so many, as if the others had never come.
        let mut newcomer = Box::pin(limiter.acquire_async());
        let start = 5 * MS * (left as u32 + 1);
        prop_assert!(poll(&mut newcomer).is_pending());
        clock.advance(start - Duration::from_nanos(1));
        prop_assert!(poll(&mut newcomer).is_pending());
        clock.advance(Duration::from_nanos(1));
        prop_assert!(poll(&mut newcomer).is_ready());
        clock.advance(SECOND);
        for future in &mut waiting {
            prop_assert!(poll(future).is_ready());
        }
        prop_assert_eq!(clock.pending_tasks(), 0);
        prop_assert_eq!(limiter.available_permits(), 2);
    }
}

#[test]
fn a_permit_that_was_due_but_not_taken_is_given_back_as_well() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 1, SECOND, SECOND);
    limiter.acquire().unwrap();
    let mut waiting = Box::pin(limiter.acquire_async());
    assert!(poll(&mut waiting).is_pending());
    clock.advance(SECOND);
    assert_eq!(limiter.available_permits(), 0, "it is its own");
    drop(waiting);
    assert_eq!(limiter.available_permits(), 1);
    clock.advance(100 * SECOND);
    assert_eq!(limiter.available_permits(), 1, "never above full");
}

#[test]
fn a_started_call_keeps_its_permit_whatever_becomes_of_it() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 2, SECOND, Duration::ZERO);
    let mut future = Box::pin(limiter.execute_async(std::future::pending::<Result<(), ()>>));
    assert!(poll(&mut future).is_pending());
    drop(future);
    assert_eq!(limiter.available_permits(), 1);
    assert!(limiter.execute(|| Err::<(), _>("down")).is_err());
    assert_eq!(limiter.available_permits(), 0);
}

#[test]
fn a_call_before_whose_permit_its_deadline_comes_is_refused_at_once() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 1, SECOND, 10 * SECOND);
    limiter.acquire().unwrap();
    let before = limiter.snapshot();
    let ask = |timeout| limiter.acquire_with(CallOptions::new().timeout(timeout)).map_err(|it: Rejection| it.code());
    assert_eq!(ask(SECOND - Duration::from_nanos(1)), Err(Code::TimedOut));
    assert_eq!((limiter.snapshot(), clock.now()), (before, Nanos::ZERO));
    assert_eq!(ask(SECOND), Ok(()));
    assert_eq!(clock.now(), SECOND);
}

#[test]
fn an_interrupt_from_another_thread_gives_the_permit_back() {
    let builder = RateLimiter::builder().permits(1).period(3_600 * SECOND).max_wait(Duration::MAX);
    let limiter = builder.build().unwrap();
    limiter.acquire().unwrap();
    let interrupt = Interrupt::new();
    thread::scope(|scope| {
        let options = CallOptions::new().interrupt(&interrupt);
        let waiter = scope.spawn(|| limiter.acquire_with(options));
        while limiter.snapshot().waiting == 0 {
            thread::yield_now();
        }
        interrupt.trigger();
        assert_eq!(waiter.join().unwrap().unwrap_err().code(), Code::Interrupted);
    });
    assert!(interrupt.is_triggered());
    assert_eq!(limiter.snapshot().waiting, 0);
    assert_eq!(limiter.acquire_with(CallOptions::new().interrupt(&interrupt)).unwrap_err().code(), Code::Interrupted);
}

#[test]
fn an_interrupt_does_not_touch_a_call_that_need_not_wait() {
    let interrupt = Interrupt::new();
    interrupt.trigger();
    let limiter = limiter(&ManualClock::new(), 1, SECOND, SECOND);
    assert!(limiter.acquire_with(CallOptions::new().interrupt(&interrupt)).is_ok());
}

#[test]
fn threads_that_wait_start_when_they_are_due() {
    let builder = RateLimiter::builder().permits(1).period(5 * MS).max_wait(SECOND);
    let limiter = builder.build().unwrap();
    let clock = Clock::system();
    let begin = clock.now();
    let mut starts = thread::scope(|scope| {
        let wait = || {
            limiter.acquire().unwrap();
            clock.now().since(begin)
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(wait)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    starts.sort();
    for (n, start) in starts.into_iter().enumerate() {
        assert!(start >= 5 * MS * n as u32, "the {n}th started early, at {start:?}");
    }
}

#[test]
fn the_shortest_wait_on_a_clock_at_its_origin_is_a_wait() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 1, Duration::from_nanos(1), Duration::from_nanos(1));
    limiter.acquire().unwrap();
    let mut waiting = Box::pin(limiter.acquire_async());
    assert!(poll(&mut waiting).is_pending());
    clock.advance(Duration::from_nanos(1));
    assert!(poll(&mut waiting).is_ready());
}
