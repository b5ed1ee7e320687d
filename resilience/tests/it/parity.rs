//! Laws 2 and 3 of the pipeline, over random scripts: sync and async give the same results, events and states, and
//! after any end everything is where it belongs.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use proptest::prelude::*;
use resilience::{Call, ManualClock, prelude::*, testing::Books};

use crate::stack::{Set, Stack, WatchedFive};

#[derive(Clone, Copy, Debug)]
enum Ending {
    Value,
    Error,
    Panic,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    ending: Ending,
    permits: u64,
    advance: u64,
    timeout: Option<u64>,
    /// Whether somebody else has the only slot.
    full: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ending = prop_oneof![4 => Just(Ending::Value), 2 => Just(Ending::Error), 1 => Just(Ending::Panic)];
    let step = (ending, 0_u64..6, 0_u64..300, proptest::option::of(0_u64..500), prop::bool::weighted(0.2));
    let step =
        step.prop_map(|(ending, permits, advance, timeout, full)| Step { ending, permits, advance, timeout, full });
    prop::collection::vec(step, 1..60)
}

/// All five, each with its books.
struct World {
    clock: ManualClock,
    stack: Stack,
    pipeline: Pipeline<WatchedFive>,
}

impl World {
    fn new() -> Self {
        let clock = ManualClock::new();
        let set = Set {
            retry: |it| it.max_attempts(3).delay(ms(20)),
            breaker: |it| it.window_size(10).minimum_calls(5).wait_in_open(ms(300)).permitted_in_half_open(2),
            limiter: |it| it.permits(4).period(ms(1_000)).max_wait(ms(400)),
            timeout: |it| it.timeout(ms(150)),
            bulkhead: |it| it.max_concurrent(1).max_wait(ms(40)),
        };
        let stack = Stack::new(&clock, set);
        let registry = Registry::builder().clock(&clock).build();
        let pipeline = Pipeline::ordered(&registry, "p", stack.watched()).unwrap();
        Self { clock, stack, pipeline }
    }

    fn books(&self) -> [Box<dyn Books>; 5] {
        let (retry, (breaker, (limiter, (timeout, (bulkhead, Call))))) = self.pipeline.stack().clone();
        [Box::new(retry), Box::new(breaker), Box::new(limiter), Box::new(timeout), Box::new(bulkhead)]
    }

    fn is_at_rest(&self) {
        let outstanding: Vec<_> = self.books().iter().map(|books| books.outstanding()).collect();
        assert_eq!((outstanding, self.clock.pending_tasks()), (vec![0; 5], 0));
        let (slots, probes) = (self.stack.bulkhead.snapshot(), self.stack.breaker.snapshot().probes_running);
        assert_eq!((slots.in_use, slots.queued, probes, self.stack.limiter.snapshot().waiting), (0, 0, 0, 0));
    }

    fn state(&self) -> String {
        let states: Vec<_> = self.books().iter().map(|books| (books.state(), books.outcomes())).collect();
        format!("{:?} {states:?}", self.clock.now())
    }
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn end(ending: Ending) -> Result<u8, &'static str> {
    match ending {
        Ending::Value => Ok(7),
        Ending::Error => Err("down"),
        Ending::Panic => std::panic::resume_unwind(Box::new("panic")),
    }
}

fn options(step: Step) -> CallOptions {
    let options = CallOptions::new().permits(step.permits);
    step.timeout.map_or(options.clone(), |timeout| options.timeout(ms(timeout)))
}

/// The result of a call, or `None` if it panicked.
type Outcome = Option<Result<u8, Error<&'static str>>>;

fn by_thread(world: &World, step: Step) -> Outcome {
    let call = || world.pipeline.execute_with(options(step), || end(step.ending));
    catch_unwind(AssertUnwindSafe(call)).ok()
}

fn by_task(world: &World, step: Step) -> Outcome {
    let mut future = pin!(world.pipeline.execute_async_with(options(step), || async { end(step.ending) }));
    let mut poll = || future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    loop {
        match catch_unwind(AssertUnwindSafe(&mut poll)).ok()? {
            Poll::Ready(result) => return Some(result),
            Poll::Pending => assert!(world.clock.advance_to_next(), "who waits has a timer"),
        }
    }
}

proptest! {
    #[test]
    fn sync_and_async_are_one(steps in steps()) {
        let (sync, other) = (World::new(), World::new());
        for step in steps {
            let (one, two) = (&sync.stack.bulkhead, &other.stack.bulkhead);
            let held = step.full.then(|| [one, two].map(|it| it.try_enter().unwrap()));
            prop_assert_eq!(by_thread(&sync, step), by_task(&other, step));
            drop(held);
            sync.clock.advance(ms(step.advance));
            other.clock.advance(ms(step.advance));
            prop_assert_eq!(sync.state(), other.state());
            sync.is_at_rest();
            other.is_at_rest();
        }
        prop_assert_eq!(sync.stack.events(), other.stack.events());
    }

    /// Dropped at any of its polls, a call leaves nothing behind.
    #[test]
    fn a_call_dropped_at_any_point_leaves_nothing_behind(steps in steps(), polls in 0_usize..5) {
        let world = World::new();
        for step in steps {
            let held = step.full.then(|| world.stack.bulkhead.try_enter().unwrap());
            let mut future = Box::pin(world.pipeline.execute_async_with(options(step), || async {
                let mut turns = 2;
                std::future::poll_fn(|cx| {
                    turns -= 1;
                    cx.waker().wake_by_ref();
                    if turns == 0 { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
                end(step.ending)
            }));
            for _ in 0..polls {
                let poll = || future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                match catch_unwind(AssertUnwindSafe(poll)) {
                    Ok(Poll::Pending) => world.clock.advance(ms(step.advance)),
                    Ok(Poll::Ready(_)) | Err(_) => break,
                }
            }
            drop(future);
            drop(held);
            world.is_at_rest();
        }
    }
}
