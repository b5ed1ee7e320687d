//! Futures: on a manual clock, and on tokio's.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Waker},
    time::Duration,
};

use proptest::prelude::*;
use resilience_core::{CallOptions, Clock, Error, ManualClock, Nanos};
use resilience_retry::{Event, Jitter, Retry};

use crate::{Heard, MS, builder, run};

#[test]
fn a_task_waits_on_a_timer_and_starts_exactly_then() {
    let clock = ManualClock::new();
    let retry = builder(&clock).delay(10 * MS).build().unwrap();
    let mut starts = Vec::new();
    {
        let mut future = pin!(retry.execute_async(|| {
            starts.push(clock.now());
            async { Err::<(), _>("down") }
        }));
        let mut poll = || future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(poll().is_pending());
        clock.advance(10 * MS - Duration::from_nanos(1));
        assert!(poll().is_pending());
        clock.advance(Duration::from_nanos(1));
        assert!(poll().is_pending());
        assert_eq!(clock.pending_tasks(), 1);
        clock.advance(20 * MS);
        assert_eq!(poll(), std::task::Poll::Ready(Err(Error::Failed("down"))));
    }
    assert_eq!(starts, [0, 10, 30].map(|n| Nanos::ZERO.after(n * MS)));
    assert_eq!(clock.pending_tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn tokios_paused_clock_moves_decisions_and_waits_together() {
    let builder = Retry::builder().max_attempts(10).delay(Duration::from_secs(1)).jitter(Jitter::None);
    let retry = Arc::new(builder.max_duration(Duration::from_secs(7)).clock(Clock::tokio()).build().unwrap());
    let begin = tokio::time::Instant::now();
    let task = tokio::spawn({
        let retry = Arc::clone(&retry);
        async move {
            let mut starts = Vec::new();
            let result = retry.execute_async(|| {
                starts.push(begin.elapsed().as_secs());
                async { Err::<(), _>("down") }
            });
            (result.await, starts)
        }
    });
    let (result, starts) = task.await.unwrap();
    assert_eq!((result, starts), (Err(Error::Failed("down")), vec![0, 1, 3, 7]));
}

proptest! {
    /// Law 3 of the pipeline: sync and async give the same results, events and states.
    #[test]
    fn threads_and_tasks_agree(
        calls in proptest::collection::vec((proptest::collection::vec(any::<bool>(), 4), 0_u64..400), 1..20),
        timeout in proptest::option::of(0_u64..600), limit in proptest::option::of(1_u64..600), seed: u64,
    ) {
        let worlds = [true, false].map(|sync| {
            let clock = ManualClock::new();
            let events = resilience_core::Events::new();
            let mut builder = Retry::builder().max_attempts(4).budget_percent(50.0).seed(seed).clock(&clock);
            if let Some(limit) = limit {
                builder = builder.max_duration(Duration::from_millis(limit));
            }
            let retry = builder.events(&events).build().unwrap();
            let heard = Heard::on(&events);
            let results: Vec<_> = calls.iter().map(|(answers, pause)| {
                clock.advance(Duration::from_millis(*pause));
                let mut answers = answers.iter();
                let options = timeout.map_or_else(CallOptions::new, |it| CallOptions::new().timeout(Duration::from_millis(it)));
                let mut call = || if *answers.next().unwrap() { Ok(clock.now()) } else { Err(clock.now()) };
                if sync {
                    retry.execute_with(options, call)
                } else {
                    run(&clock, retry.execute_async_with(options, || std::future::ready(call())))
                }
            }).collect();
            let told: Vec<Event> = heard.take();
            (results, told, retry.snapshot(), clock.now())
        });
        prop_assert_eq!(&worlds[0], &worlds[1]);
    }
}
