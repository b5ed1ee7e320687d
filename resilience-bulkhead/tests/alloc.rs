//! Nothing on the way of a call that does not wait allocates, and neither does handing a slot over.
#![cfg(not(loom))]

use std::{
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use allocation_counter::measure;
use resilience_bulkhead::Bulkhead;
use resilience_core::{Clock, ManualClock};

/// The blocks that 100 runs of `op` allocate.
fn blocks(op: impl Fn()) -> u64 {
    op(); // the first call may calibrate the clock
    measure(|| (0..100).for_each(|_| op())).count_total
}

fn ready<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it does not wait"),
    }
}

fn check(clock: &Clock) {
    let build = |max_queue| {
        let builder = Bulkhead::builder().max_concurrent(1).max_wait(Duration::from_secs(3_600)).max_queue(max_queue);
        builder.clock(clock).build().unwrap()
    };
    let (open, full) = (build(1), build(0));
    let permit = full.try_enter().unwrap();

    assert_eq!(blocks(|| open.execute(|| Ok::<_, ()>(())).unwrap()), 0, "let in");
    assert_eq!(blocks(|| ready(open.execute_async(|| async { Ok::<_, ()>(()) })).unwrap()), 0, "let in, async");
    assert_eq!(blocks(|| drop(black_box(open.try_enter()).unwrap())), 0, "let in by try_enter");
    assert_eq!(blocks(|| drop(black_box(open.enter()).unwrap())), 0, "let in by enter");
    assert_eq!(blocks(|| drop(black_box(ready(open.enter_async())).unwrap())), 0, "let in by enter_async");
    assert_eq!(blocks(|| assert!(full.execute(|| Ok::<_, ()>(())).is_err())), 0, "rejected");
    let rejected = || assert!(ready(full.execute_async(|| async { Ok::<_, ()>(()) })).is_err());
    assert_eq!(blocks(rejected), 0, "rejected, async");
    assert_eq!(blocks(|| assert!(black_box(full.try_enter()).is_err())), 0, "rejected by try_enter");
    drop(permit);
}

#[test]
fn no_call_allocates() {
    assert_ne!(blocks(|| drop(black_box(Box::new(7)))), 0, "the counter counts");
    check(&Clock::system());
    check(&ManualClock::new().clock());
}

#[test]
fn going_in_line_and_being_handed_a_slot_allocates_nothing_once_the_line_has_its_room() {
    let builder = Bulkhead::builder().max_concurrent(1).max_wait(Duration::MAX);
    let bulkhead = builder.build().unwrap();
    let hand_over = || {
        let permit = bulkhead.try_enter().unwrap();
        let mut waiting = pin!(bulkhead.enter_async());
        assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        drop(permit);
        assert!(waiting.poll(&mut Context::from_waker(Waker::noop())).is_ready());
    };
    assert_eq!(blocks(hand_over), 0);
}
