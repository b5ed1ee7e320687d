//! Law 1: exactly one of value and time-out, a value at the deadline wins, the loser is dropped once. Against a naive
//! model, for random limits, bodies and schedules.

use std::{cell::Cell, iter, rc::Rc, task::Poll, time::Duration};

use proptest::prelude::*;
use resilience_core::{CallOptions, Error, Events, ManualClock, Nanos};
use resilience_timeout::{Event, Timeout};

use crate::{listen, noop, ready_at};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Value,
    Late { elapsed: u64 },
    CutOff { elapsed: u64 },
    Dropped,
}

/// The body is ready `takes` after the beginning; the task is polled at first and after each step.
fn model(limit: u64, takes: u64, steps: &[u64]) -> End {
    let mut now = 0;
    for step in iter::once(&0).chain(steps) {
        now += step;
        match (now >= takes, now > limit) {
            (true, false) => return End::Value,
            (true, true) => return End::Late { elapsed: now },
            (false, _) if now >= limit => return End::CutOff { elapsed: now },
            _ => {}
        }
    }
    End::Dropped
}

/// Counts how often it is dropped.
struct Counted(Rc<Cell<u32>>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

fn options(own: Option<u64>) -> CallOptions {
    own.map_or(CallOptions::new(), |own| CallOptions::new().attempt_timeout(Duration::from_nanos(own)))
}

fn check(end: End, limit: u64, heard: &[Event], timeout: &Timeout) {
    let (limit, nanos) = (Duration::from_nanos(limit), Duration::from_nanos);
    let (expected, late) = match end {
        End::Value | End::Dropped => (vec![], 0),
        End::Late { elapsed } => (vec![Event::TimedOut { limit, late: true, elapsed: nanos(elapsed) }], 1),
        End::CutOff { elapsed } => (vec![Event::TimedOut { limit, late: false, elapsed: nanos(elapsed) }], 0),
    };
    assert_eq!(heard, expected);
    let snapshot = timeout.snapshot();
    assert_eq!((snapshot.timed_out, snapshot.late), (expected.len() as u64, late));
}

fn end(result: &Result<Counted, Error<&str>>, elapsed: u64) -> End {
    match result {
        Ok(_) => End::Value,
        Err(Error::Rejected(rejection)) if rejection.is_late() => End::Late { elapsed },
        Err(Error::Rejected(_)) => End::CutOff { elapsed },
        Err(Error::Failed(error)) => panic!("{error}"),
    }
}

proptest! {
    #[test]
    fn a_task_ends_as_the_model_says(
        begin in prop_oneof![Just(0_u64), 0_u64..1_000, Just(Nanos::LAST.as_u64() - 2_000)],
        configured in 1_u64..40, own in prop::option::of(0_u64..40), takes in 0_u64..60,
        steps in prop::collection::vec(0_u64..20, 0..8),
    ) {
        let (clock, events) = (ManualClock::new(), Events::new());
        clock.advance_to(Nanos::new(begin));
        let (heard, _listening) = listen(&events);
        let builder = Timeout::builder().timeout(Duration::from_nanos(configured)).clock(&clock).events(&events);
        let timeout = builder.build().unwrap();
        let limit = own.unwrap_or(configured);
        let expected = model(limit, takes, &steps);

        let drops = Rc::new(Cell::new(0));
        let value = Cell::new(Some(Counted(Rc::clone(&drops))));
        let at = Nanos::new(begin + takes);
        let body = || ready_at(&clock, at, value.take().expect("it is made once"));
        let mut future = Box::pin(timeout.execute_async_with(options(own), body));
        let mut polled = future.as_mut().poll(&mut noop());
        for step in steps {
            if polled.is_ready() {
                break;
            }
            prop_assert_eq!(clock.pending_tasks(), 1);
            clock.advance(Duration::from_nanos(step));
            polled = future.as_mut().poll(&mut noop());
        }
        let got = match &polled {
            Poll::Ready(result) => end(result, clock.now().as_u64() - begin),
            Poll::Pending => End::Dropped,
        };
        prop_assert_eq!(got, expected);
        prop_assert_eq!(drops.get(), u32::from(matches!(got, End::Late { .. } | End::CutOff { .. })));
        if polled.is_ready() {
            prop_assert_eq!(clock.pending_tasks(), 0);
        }
        drop(future);
        drop(polled);
        prop_assert_eq!(drops.get(), 1);
        prop_assert_eq!(clock.pending_tasks(), 0);
        check(got, limit, &heard.lock().unwrap(), &timeout);
    }

    #[test]
    fn a_sync_call_ends_as_the_model_says(
        begin in prop_oneof![Just(0_u64), Just(Nanos::LAST.as_u64() - 2_000)],
        configured in 1_u64..40, own in prop::option::of(0_u64..40), takes in 0_u64..60,
    ) {
        let (clock, events) = (ManualClock::new(), Events::new());
        clock.advance_to(Nanos::new(begin));
        let (heard, _listening) = listen(&events);
        let builder = Timeout::builder().timeout(Duration::from_nanos(configured)).clock(&clock).events(&events);
        let timeout = builder.build().unwrap();
        let limit = own.unwrap_or(configured);
        let expected = if takes <= limit { End::Value } else { End::Late { elapsed: takes } };

        let drops = Rc::new(Cell::new(0));
        let result = timeout.execute_with(options(own), || {
            clock.advance(Duration::from_nanos(takes));
            Ok(Counted(Rc::clone(&drops)))
        });
        let got = end(&result, clock.now().as_u64() - begin);
        prop_assert_eq!(got, expected);
        prop_assert_eq!(drops.get(), u32::from(got != End::Value));
        drop(result);
        prop_assert_eq!(drops.get(), 1);
        check(got, limit, &heard.lock().unwrap(), &timeout);
    }
}
