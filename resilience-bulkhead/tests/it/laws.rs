//! Laws 1 to 3 over long runs of whatever can happen.

use std::{
    future::{pending, ready},
    panic::{AssertUnwindSafe, catch_unwind},
    task::Poll,
};

use resilience_bulkhead::{Bulkhead, Config};
use resilience_core::{ManualClock, Random};

use crate::{MS, Task, counts, poll};

fn below(random: &Random, n: u64) -> u64 {
    random.next_u64() % n
}

fn explode() -> Result<(), ()> {
    std::panic::resume_unwind(Box::new("expected"))
}

/// A call that stays, ends, fails or panics once it is in.
fn begin<'a>(bulkhead: &'a Bulkhead, random: &Random) -> Task<'a> {
    match below(random, 6) {
        0 => Box::pin(bulkhead.execute_async(|| ready(Ok(())))),
        1 => Box::pin(bulkhead.execute_async(|| ready(Err(())))),
        2 => Box::pin(bulkhead.execute_async(|| async { explode() })),
        _ => Box::pin(bulkhead.execute_async(pending)),
    }
}

/// Polls, and says whether the call is over.
fn is_over(task: &mut Task<'_>) -> bool {
    match catch_unwind(AssertUnwindSafe(|| poll(task))) {
        Ok(Poll::Pending) => false,
        Ok(Poll::Ready(_)) | Err(_) => true,
    }
}

// Laws 1 and 2: entering, leaving, being dropped, panicking, time passing, resizing, switching off and on.
#[test]
fn after_ten_thousand_steps_of_any_kind_everything_is_back() {
    for seed in 0..10 {
        let clock = ManualClock::new();
        let builder = Bulkhead::builder().max_concurrent(4).max_wait(20 * MS).max_queue(6).clock(&clock);
        let bulkhead = builder.build().unwrap();
        let random = Random::seeded(seed);
        let mut tasks: Vec<Task<'_>> = Vec::new();
        let (mut largest, mut longest) = (4, 6);
        for _ in 0..10_000 {
            let who = below(&random, tasks.len().max(1) as u64) as usize;
            match below(&random, 16) {
                0..5 => {
                    let mut task = begin(&bulkhead, &random);
                    if !is_over(&mut task) {
                        tasks.push(task);
                    }
                }
                5..8 if who < tasks.len() => {
                    if is_over(&mut tasks[who]) {
                        drop(tasks.swap_remove(who));
                    }
                }
                8..11 if who < tasks.len() => drop(tasks.swap_remove(who)),
                11 => drop(catch_unwind(AssertUnwindSafe(|| bulkhead.execute_with(now(), explode)))),
                12 => _ = bulkhead.execute_with(now(), || Ok::<_, ()>(())),
                13 => clock.advance(below(&random, 10) as u32 * MS),
                14 => {
                    let (max_concurrent, max_queue) = (1 + below(&random, 6) as u32, below(&random, 8) as u32);
                    let enabled = below(&random, 8) != 0;
                    let config = Config { max_concurrent, max_queue: Some(max_queue), enabled, ..bulkhead.config() };
                    bulkhead.reconfigure(config).unwrap();
                    (largest, longest) = (counts(&bulkhead)[0], counts(&bulkhead)[2]);
                }
                _ => {
                    let again = bulkhead.config();
                    bulkhead.reconfigure(again).unwrap();
                }
            }
            let [in_use, available, queued] = counts(&bulkhead);
            let Config { max_concurrent, max_queue, .. } = bulkhead.config();
            assert_eq!(available, max_concurrent.saturating_sub(in_use));
            // After a shrink both fall to what is allowed, and never rise above it.
            (largest, longest) = (largest.min(in_use), longest.min(queued));
            assert!(in_use <= max_concurrent.max(largest), "{in_use} of {max_concurrent}");
            assert!(queued <= max_queue.unwrap().max(longest), "{queued} of {max_queue:?}");
        }
        drop(tasks);
        assert_eq!(clock.pending_tasks(), 0);
        assert_eq!(counts(&bulkhead), [0, bulkhead.config().max_concurrent, 0]);
    }
}

/// A sync call that does not wait.
fn now() -> resilience_core::CallOptions {
    let interrupt = resilience_core::Interrupt::new();
    interrupt.trigger();
    resilience_core::CallOptions::new().interrupt(&interrupt)
}
