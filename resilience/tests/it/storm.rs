//! On the real clock: threads, and tasks that are aborted at random, while everything changes.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use resilience::{Clock, Interrupt, Random, breaker, bulkhead, prelude::*, ratelimiter, retry, timeout};
use tokio::{runtime, task::JoinHandle};

use crate::stack::{Set, Stack};

const US: Duration = Duration::from_micros(1);

fn set() -> Set {
    Set {
        retry: |it| it.max_attempts(3).delay(20 * US).budget_percent(50.0),
        breaker: |it| {
            let it = it.window_size(20).minimum_calls(5).wait_in_open(100 * US);
            it.permitted_in_half_open(2).max_wait_in_half_open(Duration::ZERO)
        },
        limiter: |it| it.permits(50).period(500 * US).max_wait(100 * US),
        timeout: |it| it.timeout(200 * US),
        bulkhead: |it| it.max_concurrent(3).max_wait(100 * US),
    }
}

fn options(random: &Random, interrupt: &Interrupt) -> CallOptions {
    CallOptions::new().interrupt(interrupt).timeout(US * (random.next_u64() % 1_000) as u32)
}

async fn task(stack: Arc<Stack>, interrupt: Interrupt, random: Random) {
    for _ in 0..30 {
        let call = || async {
            for _ in 0..random.next_u64() % 4 {
                tokio::task::yield_now().await;
            }
            match random.next_u64() % 8 {
                0 => std::future::pending().await,
                1..4 => Err(()),
                _ => Ok(()),
            }
        };
        _ = stack.pipeline.execute_async_with(options(&random, &interrupt), call).await;
    }
}

fn thread(stack: &Stack, interrupt: &Interrupt, random: &Random) {
    for _ in 0..100 {
        let call = || match random.next_u64() % 16 {
            0 => std::panic::resume_unwind(Box::new("expected")),
            1..6 => Err(()),
            _ => Ok(()),
        };
        let call = || stack.pipeline.execute_with(options(random, interrupt), call);
        _ = catch_unwind(AssertUnwindSafe(call));
    }
}

fn change(stack: &Stack, n: u32) {
    let enabled = n % 4 > 0;
    match n * 7 % 5 {
        0 => stack.breaker.reconfigure(breaker::Config { window_size: 5 + n, enabled, ..stack.breaker.config() }),
        1 => {
            let max_concurrent = 1 + n % 3;
            stack.bulkhead.reconfigure(bulkhead::Config { max_concurrent, enabled, ..stack.bulkhead.config() })
        }
        2 => stack.limiter.reconfigure(ratelimiter::Config { permits: 20 + n, enabled, ..stack.limiter.config() }),
        3 => stack.retry.reconfigure(retry::Config { max_attempts: 1 + n % 4, enabled, ..stack.retry.config() }),
        _ => stack.timeout.reconfigure(timeout::Config { timeout: US * (1 + n), enabled }),
    }
    .unwrap();
}

fn changes(stack: &Stack, interrupt: &Interrupt, tasks: &[JoinHandle<()>], random: &Random) {
    for n in 0..100 {
        match random.next_u64() % 4 {
            0 => stack.breaker.reset(),
            1 => {
                interrupt.trigger();
                interrupt.clear();
            }
            _ => change(stack, n),
        }
        assert!(!format!("{:?} {:?}", stack.breaker, stack.bulkhead).is_empty());
        tasks[random.next_u64() as usize % tasks.len()].abort();
    }
}

#[test]
fn everything_is_given_back_and_works_on() {
    let (stack, interrupt) = (Arc::new(Stack::new(Clock::system(), set())), Interrupt::new());
    let runtime = runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
    for round in 0..20_u64 {
        let seeded = |n: u64| Random::seeded(round * 100 + n);
        let spawn = |n| runtime.spawn(task(Arc::clone(&stack), interrupt.clone(), seeded(n)));
        let tasks: Vec<_> = (0..40).map(spawn).collect();
        std::thread::scope(|scope| {
            for n in 40..44 {
                let (stack, interrupt) = (&stack, &interrupt);
                scope.spawn(move || thread(stack, interrupt, &seeded(n)));
            }
            scope.spawn(|| changes(&stack, &interrupt, &tasks, &seeded(44)));
        });
        for task in tasks {
            task.abort();
            _ = runtime.block_on(task);
        }
        let (slots, breaker) = (stack.bulkhead.snapshot(), stack.breaker.snapshot());
        assert_eq!((slots.in_use, slots.queued, breaker.probes_running), (0, 0, 0), "{breaker:?}");
    }
    stack.bulkhead.reconfigure(bulkhead::Config { enabled: true, ..stack.bulkhead.config() }).unwrap();
    stack.limiter.reconfigure(ratelimiter::Config { enabled: false, ..stack.limiter.config() }).unwrap();
    stack.timeout.reconfigure(timeout::Config { enabled: false, ..stack.timeout.config() }).unwrap();
    stack.breaker.reconfigure(breaker::Config { enabled: true, ..stack.breaker.config() }).unwrap();
    let works = |()| {
        std::thread::yield_now();
        stack.pipeline.execute(|| Ok::<_, ()>(())).is_ok() && stack.breaker.state() == breaker::State::Closed
    };
    assert!(std::iter::repeat_n((), 10_000).any(works), "{:?}", stack.breaker);
}
