//! The full stack keeps the contract that each policy keeps.

use resilience::{
    Kind, Layer, ManualClock,
    testing::{Books, Prepared, Subject, contract},
};

use super::{Set, Stack, WatchedFive};
use crate::{MS, SECOND};

/// All five, at their defaults where that makes no difference; rejections are neither counted nor tried again, so that
/// they change nothing.
fn set() -> Set {
    Set {
        retry: |it| it.delay(5 * MS).retry_on(Kind::FAILED),
        breaker: |it| it.window_size(10).minimum_calls(5).wait_in_open(60 * MS).ignore_on(Kind::RATE_LIMIT_EXCEEDED),
        limiter: |it| it.permits(1_000).period(SECOND),
        ..Set::default()
    }
}

fn prepared(stack: &Stack, layer: Layer) -> Prepared<WatchedFive> {
    let watched = stack.watched();
    let (retry, (breaker, (limiter, (timeout, (bulkhead, _))))) = watched.clone();
    let books: Vec<Box<dyn Books>> =
        vec![Box::new(retry), Box::new(breaker), Box::new(limiter), Box::new(timeout), Box::new(bulkhead)];
    Prepared::of(watched, books, layer)
}

/// With the layer that makes wait or rejects.
struct FullStack(Layer);

impl Subject for FullStack {
    type Stack = WatchedFive;

    fn open(&self, clock: &ManualClock) -> Prepared<WatchedFive> {
        prepared(&Stack::new(clock, set()), self.0)
    }

    fn disabled(&self, clock: &ManualClock) -> Prepared<WatchedFive> {
        let off = Set {
            retry: |it| it.enabled(false),
            breaker: |it| it.enabled(false),
            limiter: |it| it.permits(1).enabled(false),
            timeout: |it| it.enabled(false),
            bulkhead: |it| it.max_concurrent(1).enabled(false),
        };
        prepared(&Stack::new(clock, off), self.0)
    }

    fn waiting(&self, clock: &ManualClock) -> Option<Prepared<WatchedFive>> {
        if self.0 != Layer::RATE_LIMITER {
            return None;
        }
        let stack = Stack::new(clock, Set { limiter: |it| it.permits(3).period(30 * MS).max_wait(SECOND), ..set() });
        stack.limiter.try_acquire_n(3).unwrap();
        Some(prepared(&stack, self.0))
    }

    fn rejecting(&self, clock: &ManualClock) -> Option<Prepared<WatchedFive>> {
        let stack = Stack::new(clock, Set { limiter: |it| it.permits(1), ..set() });
        if self.0 == Layer::CIRCUIT_BREAKER {
            stack.breaker.force_open();
        } else {
            stack.limiter.try_acquire().unwrap();
        }
        Some(prepared(&stack, self.0))
    }
}

#[test]
fn the_full_stack_keeps_the_contract_when_the_limiter_holds_it_up() {
    contract::check(&FullStack(Layer::RATE_LIMITER));
}

#[test]
fn the_full_stack_keeps_the_contract_when_the_breaker_is_open() {
    contract::check(&FullStack(Layer::CIRCUIT_BREAKER));
}
