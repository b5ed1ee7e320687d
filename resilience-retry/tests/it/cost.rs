//! What a call costs: clock readings and heap blocks.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use resilience_core::{Clock, Error, Events, Kind, ManualClock};
use resilience_retry::{Builder, Retry};

use crate::{Heard, run};

/// A clock that stands still and counts how often it is read.
fn counting() -> (Clock, impl Fn() -> u64) {
    let reads = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&reads);
    let clock = Clock::custom(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Duration::from_secs(7)
    });
    (clock, move || reads.swap(0, Ordering::Relaxed))
}

fn built(clock: &Clock, set: impl FnOnce(Builder) -> Builder) -> Retry {
    set(Retry::builder().delay(Duration::ZERO)).clock(clock).build().unwrap()
}

#[test]
fn a_first_attempt_that_succeeds_reads_no_clock() {
    let (clock, reads) = counting();
    let manual = ManualClock::new();
    let events = Events::new();
    let _heard = Heard::on(&events);
    for retry in [built(&clock, |it| it), built(&clock, |it| it.enabled(false)), built(&clock, |it| it.events(&events))]
    {
        assert_eq!(retry.execute(|| Ok::<_, ()>(7)), Ok(7));
        assert_eq!(run(&manual, retry.execute_async(|| async { Ok::<_, ()>(7) })), Ok(7));
        assert_eq!(reads(), 0);
    }
    let timed = built(&clock, |it| it.max_duration(Duration::from_secs(1)));
    let budgeted = built(&clock, |it| it.budget_percent(20.0));
    let both = built(&clock, |it| it.max_duration(Duration::from_secs(1)).budget_percent(20.0));
    for retry in [timed, budgeted, both] {
        assert_eq!(retry.execute(|| Ok::<_, ()>(7)), Ok(7));
        assert_eq!(reads(), 1, "the begin of the call matters");
    }
}

#[test]
fn what_is_not_tried_again_reads_no_clock_unless_somebody_listens() {
    let (clock, reads) = counting();
    let events = Events::new();
    let last = built(&clock, |it| it.max_attempts(1).events(&events));
    let final_one = built(&clock, |it| it.abort_on([Kind::FAILED]).events(&events));
    for retry in [&last, &final_one] {
        assert!(retry.execute(|| Err::<(), _>("down")).is_err());
        assert_eq!(reads(), 0);
    }
    let _heard = Heard::on(&events);
    for retry in [&last, &final_one] {
        assert!(retry.execute(|| Err::<(), _>("down")).is_err());
        assert_eq!(reads(), 1);
    }
}

#[test]
fn a_retry_reads_the_clock_once_to_decide_and_once_to_wait() {
    let (clock, reads) = counting();
    let retry = built(&clock, |it| it.max_attempts(2));
    assert!(retry.execute(|| Err::<(), _>("down")).is_err());
    assert_eq!(reads(), 2);
}

#[test]
fn nothing_is_allocated_for_a_call_that_succeeds_or_fails_for_good() {
    let manual = ManualClock::new();
    let sets: [fn(Builder) -> Builder; 2] = [|it| it, |it| it.max_duration(Duration::MAX).budget_percent(20.0)];
    for set in sets {
        let retry = built(&manual.clock(), |it| set(it.abort_on([Kind::FAILED])));
        let info = allocation_counter::measure(|| {
            assert_eq!(retry.execute(|| Ok::<_, ()>(7)), Ok(7));
            assert_eq!(retry.execute(|| Err::<(), _>(7)), Err(Error::Failed(7)));
            assert_eq!(run(&manual, retry.execute_async(|| async { Ok::<_, ()>(7) })), Ok(7));
            assert_eq!(run(&manual, retry.execute_async(|| async { Err::<(), _>(7) })), Err(Error::Failed(7)));
        });
        assert_eq!(info.count_total, 0);
    }
}

#[test]
fn a_retry_at_once_allocates_nothing() {
    let manual = ManualClock::new();
    let retry = Retry::builder().delay(Duration::ZERO).clock(&manual).build().unwrap();
    let info = allocation_counter::measure(|| {
        assert_eq!(run(&manual, retry.execute_async(|| async { Err::<(), _>(7) })), Err(Error::Failed(7)));
    });
    assert_eq!(info.count_total, 0, "a delay of nothing needs none");
}
