//! Those who wait: order, limits, giving up, being handed a slot.

use std::{
    cell::RefCell,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use resilience_bulkhead::{Bulkhead, Config, OwnedPermit};
use resilience_core::{CallOptions, Clock, Code, Error, Interrupt, ManualClock, Nanos};

use crate::{MS, SECOND, Task, bulkhead, counts, passing, poll, staying};

/// Counts how often it was woken.
#[derive(Default)]
struct Woken(AtomicU64);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Woken {
    fn times(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

// Law 2
#[test]
fn waiters_get_in_in_the_order_in_which_they_came() {
    let clock = ManualClock::new();
    let (bulkhead, order) = (bulkhead(&clock, 1, SECOND), RefCell::new(Vec::new()));
    let inside = staying(&bulkhead);
    let mut waiting: Vec<Task<'_>> = (0..40)
        .map(|n| {
            let order = &order;
            let mut task: Task<'_> = Box::pin(bulkhead.execute_async(move || {
                order.borrow_mut().push(n);
                async { Ok(()) }
            }));
            assert!(poll(&mut task).is_pending());
            task
        })
        .collect();
    assert_eq!(counts(&bulkhead), [1, 0, 40]);
    drop(inside);
    // Whichever is polled, only the one whose turn it is gets in.
    while !waiting.is_empty() {
        for n in (0..waiting.len()).rev() {
            if poll(&mut waiting[n]).is_ready() {
                drop(waiting.remove(n));
            }
        }
    }
    assert!(order.borrow().iter().copied().eq(0..40));
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
}

#[test]
fn a_newcomer_does_not_overtake_who_was_handed_a_slot() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = staying(&bulkhead);
    let mut waiting = passing(&bulkhead);
    drop(inside);
    assert_eq!(counts(&bulkhead), [1, 0, 0], "the slot is the waiter's before it wakes up");
    assert!(bulkhead.try_enter().is_err());
    let mut newcomer = passing(&bulkhead);
    assert_eq!(poll(&mut waiting), Poll::Ready(Ok(())));
    assert_eq!(poll(&mut newcomer), Poll::Ready(Ok(())));
}

// Law 2
#[test]
fn a_slot_handed_to_a_waiter_that_is_gone_goes_to_the_next_one() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = staying(&bulkhead);
    let (first, second, mut third) = (passing(&bulkhead), passing(&bulkhead), passing(&bulkhead));
    drop(inside);
    drop(first);
    drop(second);
    assert_eq!(counts(&bulkhead), [1, 0, 0]);
    assert_eq!(poll(&mut third), Poll::Ready(Ok(())));
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
}

#[test]
fn who_leaves_the_middle_of_the_line_leaves_the_others_their_places() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = staying(&bulkhead);
    let (mut first, second, mut third) = (passing(&bulkhead), passing(&bulkhead), passing(&bulkhead));
    drop(second);
    let mut fourth = passing(&bulkhead);
    assert_eq!(counts(&bulkhead), [1, 0, 3]);
    drop(inside);
    for next in [&mut third, &mut fourth] {
        assert!(poll(next).is_pending());
    }
    for next in [&mut first, &mut third, &mut fourth] {
        assert_eq!(poll(next), Poll::Ready(Ok(())));
    }
}

#[test]
fn a_slot_at_the_very_limit_is_in_time_and_a_nanosecond_later_it_is_not() {
    for (late, let_in) in [(Duration::ZERO, true), (Duration::from_nanos(1), false)] {
        let clock = ManualClock::new();
        let bulkhead = bulkhead(&clock, 1, SECOND);
        let inside = staying(&bulkhead);
        let mut waiting = passing(&bulkhead);
        clock.advance(SECOND + late);
        drop(inside);
        assert_eq!(counts(&bulkhead), if let_in { [1, 0, 0] } else { [0, 1, 0] });
        assert_eq!(poll(&mut waiting).map(|result| result.is_ok()), Poll::Ready(let_in));
        assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
    }
}

#[test]
fn a_slot_that_came_in_time_is_kept_for_a_task_that_wakes_up_late() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = staying(&bulkhead);
    let mut waiting = passing(&bulkhead);
    drop(inside);
    clock.advance(2 * SECOND);
    assert_eq!(poll(&mut waiting), Poll::Ready(Ok(())));
}

#[test]
fn a_slot_that_comes_too_late_for_the_first_is_in_time_for_the_second() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = staying(&bulkhead);
    let mut first = passing(&bulkhead);
    clock.advance(SECOND / 2);
    let mut second = passing(&bulkhead);
    clock.advance(SECOND);
    drop(inside);
    assert_eq!(poll(&mut second), Poll::Ready(Ok(())));
    assert!(matches!(poll(&mut first), Poll::Ready(Err(Error::Rejected(_)))));
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
}

// Law 2
#[test]
fn no_more_wait_than_may_and_with_none_allowed_nobody_does() {
    let clock = ManualClock::new();
    let builder = || Bulkhead::builder().max_concurrent(1).max_wait(SECOND).clock(&clock);
    let queue = builder().max_queue(2).build().unwrap();
    let _inside = staying(&queue);
    let first = passing(&queue);
    let _second = passing(&queue);
    assert_eq!(queue.execute(|| Ok::<_, ()>(())).unwrap_err().code(), Some(Code::BulkheadFull));
    assert_eq!(counts(&queue), [1, 0, 2]);
    drop(first);
    let _third = passing(&queue);
    assert!(queue.enter().is_err());

    let none = builder().max_queue(0).build().unwrap();
    let _inside = staying(&none);
    assert_eq!(none.execute(|| Ok::<_, ()>(())).unwrap_err().code(), Some(Code::BulkheadFull));
    assert_eq!((counts(&none), clock.now()), ([1, 0, 0], Nanos::ZERO));
}

#[test]
fn those_whose_time_is_up_do_not_keep_a_newcomer_out_of_the_line() {
    let clock = ManualClock::new();
    let builder = Bulkhead::builder().max_concurrent(1).max_wait(SECOND).max_queue(1).clock(&clock);
    let bulkhead = builder.build().unwrap();
    let inside = staying(&bulkhead);
    let mut late = passing(&bulkhead);
    clock.advance(2 * SECOND); // nobody has polled it yet
    let mut newcomer = passing(&bulkhead);
    assert_eq!(counts(&bulkhead), [1, 0, 1]);
    drop(inside);
    assert_eq!(poll(&mut newcomer), Poll::Ready(Ok(())));
    assert!(matches!(poll(&mut late), Poll::Ready(Err(_))));
}

#[test]
fn who_is_handed_a_slot_is_woken_once_with_the_waker_of_its_last_poll() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = staying(&bulkhead);
    let mut waiting = pin!(bulkhead.execute_async(|| async { Ok::<_, ()>(()) }));
    let (old, new) = (Arc::new(Woken::default()), Arc::new(Woken::default()));
    for waker in [&old, &new] {
        let waker = Waker::from(Arc::clone(waker));
        assert!(waiting.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    let second = passing(&bulkhead);
    drop(second);
    assert_eq!((old.times(), new.times()), (0, 0));
    drop(inside);
    assert_eq!((old.times(), new.times()), (0, 1));
    assert_eq!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(())));
}

struct Angry;

impl Wake for Angry {
    fn wake(self: Arc<Self>) {
        std::panic::resume_unwind(Box::new("a waker panics"));
    }
}

#[test]
fn a_waker_that_panics_hurts_neither_who_leaves_nor_who_waits_behind() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 2, SECOND);
    let inside = [staying(&bulkhead), staying(&bulkhead)];
    let mut angry = pin!(bulkhead.execute_async(|| async { Ok::<_, ()>(()) }));
    let waker = Waker::from(Arc::new(Angry));
    assert!(angry.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    let mut behind = passing(&bulkhead);
    drop(inside);
    assert_eq!(poll(&mut behind), Poll::Ready(Ok(())));
    assert_eq!(angry.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(())));
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 2, 0], 0));
}

/// An executor that polls inside of `wake`.
#[test]
fn a_waker_may_use_the_bulkhead_at_once() {
    struct Uses(Arc<Bulkhead>);
    impl Wake for Uses {
        fn wake(self: Arc<Self>) {
            assert!(self.0.try_enter().is_err());
            assert_eq!(self.0.snapshot().in_use, 1);
        }
    }
    let clock = ManualClock::new();
    let bulkhead = Arc::new(bulkhead(&clock, 1, SECOND));
    let inside = bulkhead.try_enter().unwrap();
    let mut waiting = pin!(bulkhead.enter_async());
    let waker = Waker::from(Arc::new(Uses(Arc::clone(&bulkhead))));
    assert!(waiting.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    drop(inside);
    assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
}

#[test]
fn a_future_that_has_ended_holds_no_slot_though_it_is_kept() {
    let bulkhead = bulkhead(&ManualClock::new(), 1, SECOND);
    let mut ended = Box::pin(bulkhead.execute_async(|| async { Ok::<_, ()>(()) }));
    assert_eq!(poll(&mut ended), Poll::Ready(Ok(())));
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
    let _inside = bulkhead.try_enter().unwrap();
    let mut refused = Box::pin(bulkhead.execute_async(|| async { Ok::<_, ()>(()) }));
    assert!(poll(&mut refused).is_pending());
    drop(ended);
    assert_eq!(counts(&bulkhead), [1, 0, 1]);
}

// Law 3
#[test]
fn a_thread_wakes_a_task_and_a_task_wakes_a_thread() {
    let bulkhead = Bulkhead::builder().max_concurrent(1).max_wait(60 * SECOND).build().unwrap();
    let task = staying(&bulkhead);
    thread::scope(|scope| {
        let thread = scope.spawn(|| bulkhead.execute(|| Ok::<_, ()>(1)));
        while bulkhead.snapshot().queued == 0 {
            thread::yield_now();
        }
        drop(task);
        assert_eq!(thread.join().unwrap(), Ok(1));

        let inside = bulkhead.try_enter().unwrap();
        let thread = scope.spawn(|| {
            while bulkhead.snapshot().queued == 0 {
                thread::yield_now();
            }
            drop(inside);
        });
        let result = futures_lite::future::block_on(bulkhead.execute_async(|| async { Ok::<_, ()>(2) }));
        assert_eq!(result, Ok(2));
        thread.join().unwrap();
    });
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
}

/// Gives a slot back when woken.
struct Frees(Mutex<Option<OwnedPermit>>);

impl Wake for Frees {
    fn wake(self: Arc<Self>) {
        drop(self.0.lock().unwrap().take());
    }
}

#[test]
fn a_thread_on_the_manual_clock_advances_it_to_the_next_timer_or_its_own_limit() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = staying(&bulkhead);
    // Nothing else is due: it ends at its own limit.
    assert_eq!(bulkhead.execute(|| Ok::<_, ()>(())).unwrap_err().code(), Some(Code::BulkheadFull));
    assert_eq!(clock.now(), SECOND);
    drop(inside);

    // A timer before that wakes what frees the slot.
    let bulkhead = Arc::new(bulkhead);
    let permit = Arc::clone(&bulkhead).try_enter_owned().unwrap();
    let waker = Waker::from(Arc::new(Frees(Some(permit).into())));
    let mut timer = pin!(clock.clock().sleep_until(clock.now().after(300 * MS)));
    assert!(timer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    assert_eq!(bulkhead.execute(|| Ok::<_, ()>(5)), Ok(5));
    assert_eq!(clock.now(), SECOND + 300 * MS);
}

#[test]
fn an_interrupt_and_a_deadline_end_a_wait_and_leave_the_line() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = staying(&bulkhead);
    let interrupt = Interrupt::new();
    let options = CallOptions::new().interrupt(&interrupt);
    let mut interrupted = Box::pin(bulkhead.execute_async_with(options.clone(), || async { Ok::<_, ()>(()) }));
    assert!(poll(&mut interrupted).is_pending());
    let limited = CallOptions::new().timeout(10 * MS);
    let mut limited = Box::pin(bulkhead.execute_async_with(limited, || async { Ok::<_, ()>(()) }));
    assert!(poll(&mut limited).is_pending());
    let mut last = passing(&bulkhead);
    assert_eq!(counts(&bulkhead), [1, 0, 3]);

    interrupt.trigger();
    assert_eq!(poll(&mut interrupted).map(|it| it.unwrap_err().code()), Poll::Ready(Some(Code::Interrupted)));
    clock.advance(10 * MS);
    assert_eq!(poll(&mut limited).map(|it| it.unwrap_err().code()), Poll::Ready(Some(Code::TimedOut)));
    assert_eq!(counts(&bulkhead), [1, 0, 1]);
    let by_thread = bulkhead.execute_with(options, || Ok::<_, ()>(()));
    assert_eq!(by_thread.unwrap_err().code(), Some(Code::Interrupted));
    drop(inside);
    assert_eq!(poll(&mut last), Poll::Ready(Ok(())));
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
}

#[test]
fn an_interrupt_that_comes_after_the_slot_passes_the_slot_on() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = staying(&bulkhead);
    let interrupt = Interrupt::new();
    let options = CallOptions::new().interrupt(&interrupt);
    let mut first = Box::pin(bulkhead.execute_async_with(options, || async { Ok::<_, ()>(()) }));
    assert!(poll(&mut first).is_pending());
    let mut second = passing(&bulkhead);
    drop(inside);
    interrupt.trigger();
    assert!(matches!(poll(&mut first), Poll::Ready(Err(_))));
    assert_eq!(poll(&mut second), Poll::Ready(Ok(())));
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
}

#[test]
fn on_an_advancing_clock_a_task_that_waits_alone_ends_at_its_limit() {
    let clock = ManualClock::advancing();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = bulkhead.try_enter().unwrap();
    let result = futures_lite::future::block_on(bulkhead.execute_async(|| async { Ok::<_, ()>(()) }));
    assert_eq!(result.unwrap_err().code(), Some(Code::BulkheadFull));
    assert_eq!(clock.now(), SECOND);
    bulkhead.reconfigure(Config { max_concurrent: 2, ..bulkhead.config() }).unwrap();
    drop(inside);
    assert_eq!(counts(&bulkhead), [0, 2, 0]);
}

#[tokio::test(start_paused = true)]
async fn in_tokios_paused_time_a_task_waits_for_its_slot_or_its_limit() {
    let builder = Bulkhead::builder().max_concurrent(1).max_wait(SECOND).clock(Clock::tokio());
    let bulkhead = Arc::new(builder.build().unwrap());
    let hold = |time: Duration| {
        let bulkhead = Arc::clone(&bulkhead);
        tokio::spawn(async move {
            let call = || async {
                tokio::time::sleep(time).await;
                Ok::<_, ()>(())
            };
            bulkhead.execute_async(call).await
        })
    };
    let (first, second, third) = (hold(SECOND / 2), hold(SECOND), hold(Duration::ZERO));
    assert_eq!(first.await.unwrap(), Ok(()));
    assert_eq!(second.await.unwrap(), Ok(()));
    assert_eq!(third.await.unwrap().unwrap_err().code(), Some(Code::BulkheadFull));
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
}
