//! Laws 2 and 3 of the pipeline, over random scripts: sync and async give the same results, events and states, and
//! after any end everything is where it belongs.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};

use proptest::prelude::*;
use resilience::{Call, ManualClock, at, event, prelude::*, stack::Stack, testing::Ledger};

use crate::third_party::EveryThird;

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
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ending = prop_oneof![4 => Just(Ending::Value), 2 => Just(Ending::Error), 1 => Just(Ending::Panic)];
    let step = (ending, 0_u64..6, 0_u64..300, proptest::option::of(0_u64..500));
    let step = step.prop_map(|(ending, permits, advance, timeout)| Step { ending, permits, advance, timeout });
    prop::collection::vec(step, 1..60)
}

type Limited = (Arc<Ledger<Arc<RateLimiter>>>, (Arc<Ledger<EveryThird<at::Timeout>>>, Call));

struct World {
    clock: ManualClock,
    registry: Registry,
    pipeline: Pipeline<Limited>,
    events: Arc<Mutex<Vec<String>>>,
    _listening: event::Subscription,
}

impl World {
    fn new() -> Self {
        let clock = ManualClock::new();
        let registry = Registry::builder().clock(&clock).build();
        let events = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&events);
        let listening = registry.events().subscribe(move |event: &event::Event<'_>| {
            list.lock().unwrap().push(event.to_string());
        });
        let set = |it: resilience::ratelimiter::Builder| it.permits(4).period(ms(1_000)).max_wait(ms(400));
        Pipeline::builder(&registry, "limiter").rate_limiter(set).build().unwrap();
        let limiter = Arc::new(Ledger::new(registry.rate_limiter("limiter").unwrap()));
        let stack = (limiter, (Arc::new(Ledger::new(EveryThird::new())), Call));
        let pipeline = Pipeline::ordered(&registry, "p", stack).unwrap();
        Self { clock, registry, pipeline, events, _listening: listening }
    }

    fn is_at_rest(&self) {
        let (limiter, (third, Call)) = self.pipeline.stack();
        assert_eq!((limiter.outstanding(), third.outstanding(), self.clock.pending_tasks()), (0, 0, 0));
    }

    fn state(&self) -> String {
        let (limiter, (third, Call)) = self.pipeline.stack();
        let snapshot = self.registry.rate_limiter("limiter").unwrap().snapshot();
        format!("{:?} {snapshot:?} {:?} {:?}", self.clock.now(), limiter.outcomes(), third.outcomes())
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
            prop_assert_eq!(by_thread(&sync, step), by_task(&other, step));
            sync.clock.advance(ms(step.advance));
            other.clock.advance(ms(step.advance));
            prop_assert_eq!(sync.state(), other.state());
            sync.is_at_rest();
            other.is_at_rest();
        }
        prop_assert_eq!(&*sync.events.lock().unwrap(), &*other.events.lock().unwrap());
    }

    /// Dropped at any of its polls, a call leaves nothing behind.
    #[test]
    fn a_call_dropped_at_any_point_leaves_nothing_behind(steps in steps(), polls in 0_usize..5) {
        let world = World::new();
        for step in steps {
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
            world.is_at_rest();
            prop_assert_eq!(world.registry.rate_limiter("limiter").unwrap().snapshot().waiting, 0);
        }
    }
}

#[test]
fn the_stack_of_the_test_is_the_documented_one() {
    fn ordered<S: Stack + resilience::stack::Ordered>(_: &Pipeline<S>) {}
    ordered(&World::new().pipeline);
}
