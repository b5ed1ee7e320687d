//! Law 2: of nested deadlines the earliest rules, and a call is told of it.

use std::{cell::Cell, future::pending, pin::pin, task::Poll};

use proptest::prelude::*;
use resilience_core::{Clock, Error, ManualClock, Nanos, Pipeline, Registry};
use resilience_timeout::{PipelineExt, RegistryExt, remaining};

use crate::{MS, noop, on, timeout};

proptest! {
    #[test]
    fn of_nested_timeouts_the_earliest_rules(limits in prop::collection::vec(1_u64..50, 3)) {
        let clock = ManualClock::new();
        let [one, two, three] = [0, 1, 2].map(|n| timeout(&clock, u32::try_from(limits[n]).unwrap() * MS));
        let told = Cell::new(None);
        let mut future = pin!(one.execute_async(|| two.execute_async(|| three.execute_async(|| {
            told.set(remaining());
            pending::<Result<(), ()>>()
        }))));
        prop_assert!(future.as_mut().poll(&mut noop()).is_pending());
        let earliest = *limits.iter().min().unwrap();
        let earliest = u32::try_from(earliest).unwrap() * MS;
        prop_assert_eq!(told.get(), Some(earliest));
        clock.advance(earliest - crate::NS);
        prop_assert!(future.as_mut().poll(&mut noop()).is_pending());
        clock.advance(crate::NS);
        let Poll::Ready(Err(error)) = future.as_mut().poll(&mut noop()) else { panic!("cut off") };
        // Of equal ones the innermost: what is inside is polled before a timer is.
        let by = match error {
            Error::Rejected(_) => 0,
            Error::Failed(Error::Rejected(_)) => 1,
            Error::Failed(Error::Failed(Error::Rejected(_))) => 2,
            Error::Failed(Error::Failed(Error::Failed(()))) => panic!("it never fails"),
        };
        prop_assert_eq!(u32::try_from(limits[by]).unwrap() * MS, earliest);
        prop_assert!(limits[by + 1..].iter().all(|inner| *inner > limits[by]));
        prop_assert_eq!(clock.pending_tasks(), 0);
        let timed_out = [&one, &two, &three].map(|timeout| timeout.snapshot().timed_out);
        prop_assert_eq!(timed_out.iter().sum::<u64>(), 1);
    }
}

#[test]
fn what_remains_grows_less_inside_and_is_restored_outside() {
    let clock = ManualClock::new();
    let registry = on(&clock);
    let build = |id: &str, limit| Pipeline::builder(&registry, id).timeout(|it| it.timeout(limit)).build().unwrap();
    let (outer, tight, loose) = (build("outer", 100 * MS), build("tight", 10 * MS), build("loose", 1_000 * MS));
    let told = outer.execute(|| {
        let tight = tight.execute(|| Ok::<_, ()>(remaining()));
        clock.advance(20 * MS);
        let loose = loose.execute(|| Ok::<_, ()>(remaining()));
        Ok::<_, ()>([tight.unwrap(), loose.unwrap(), remaining()])
    });
    assert_eq!(told.unwrap(), [Some(10 * MS), Some(80 * MS), Some(80 * MS)]);
    assert_eq!(remaining(), None);
    assert_eq!(registry.timeout("tight").unwrap().snapshot().timed_out, 0);
}

#[test]
fn two_tasks_that_take_turns_are_told_their_own() {
    let clock = ManualClock::new();
    let (short, long) = (timeout(&clock, 10 * MS), timeout(&clock, 1_000 * MS));
    let body = || async {
        let mut told = vec![remaining().unwrap()];
        for _ in 0..2 {
            futures_lite::future::yield_now().await;
            told.push(remaining().unwrap());
        }
        Ok::<_, ()>(told)
    };
    let (mut one, mut two) = (pin!(short.execute_async(body)), pin!(long.execute_async(body)));
    for _ in 0..2 {
        assert!(one.as_mut().poll(&mut noop()).is_pending());
        assert!(two.as_mut().poll(&mut noop()).is_pending());
        assert_eq!(remaining(), None);
        clock.advance(MS);
    }
    assert_eq!(one.as_mut().poll(&mut noop()), Poll::Ready(Ok(vec![10 * MS, 9 * MS, 8 * MS])));
    assert_eq!(two.as_mut().poll(&mut noop()), Poll::Ready(Ok(vec![1_000 * MS, 999 * MS, 998 * MS])));
}

#[test]
fn the_clock_of_the_machine_tells_it_too() {
    let registry = Registry::builder().clock(Clock::system()).build();
    let build = |id: &str, limit| Pipeline::builder(&registry, id).timeout(|it| it.timeout(limit)).build().unwrap();
    let (outer, inner) = (build("outer", 60_000 * MS), build("inner", 30_000 * MS));
    let told = outer.execute(|| inner.execute(|| Ok::<_, ()>(remaining())));
    let told = told.unwrap().unwrap();
    assert!(told <= 30_000 * MS && told > 20_000 * MS, "{told:?}");
    assert!(registry.clock().now() > Nanos::ZERO);
    assert_eq!(remaining(), None);
}
