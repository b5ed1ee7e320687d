//! What went wrong once, or could: wakers that drop, drops that panic, callers that vanish while it is resized.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use resilience_bulkhead::{Bulkhead, Config};
use resilience_core::{CallOptions, Code, Interrupt, ManualClock, Random};

use crate::{MS, SECOND, bulkhead, counts, passing, poll, staying};

type Sent = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Drops the future that it is to wake, and all the others.
#[derive(Default)]
struct Drops(Mutex<Vec<Sent>>);

impl Wake for Drops {
    fn wake(self: Arc<Self>) {
        let all = std::mem::take(&mut *self.0.lock().unwrap());
        drop(all);
    }
}

fn static_call(bulkhead: &Arc<Bulkhead>) -> Sent {
    let bulkhead = Arc::clone(bulkhead);
    Box::pin(async move { _ = bulkhead.execute_async(std::future::pending::<Result<(), ()>>).await })
}

#[test]
fn a_waker_may_drop_the_call_it_is_to_wake_and_those_behind_it() {
    let clock = ManualClock::new();
    let bulkhead = Arc::new(bulkhead(&clock, 2, SECOND));
    let inside = [bulkhead.try_enter().unwrap(), bulkhead.try_enter().unwrap()];
    let drops = Arc::new(Drops::default());
    let waker = Waker::from(Arc::clone(&drops));
    for _ in 0..10 {
        let mut call = static_call(&bulkhead);
        assert!(call.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        drops.0.lock().unwrap().push(call);
    }
    let mut last = passing(&bulkhead);
    drop(inside);
    assert_eq!(poll(&mut last), Poll::Ready(Ok(())));
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 2, 0], 0));
    // By a timer, too: all at their limits at once.
    let inside = [bulkhead.try_enter().unwrap(), bulkhead.try_enter().unwrap()];
    for _ in 0..10 {
        let mut call = static_call(&bulkhead);
        assert!(call.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        drops.0.lock().unwrap().push(call);
    }
    clock.advance(SECOND);
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([2, 0, 0], 0));
    drop(inside);
}

/// A waker whose drop panics.
struct Bomb(AtomicBool);
impl Wake for Bomb {
    fn wake(self: Arc<Self>) {}
}
impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(thread::panicking() || !self.0.load(Ordering::SeqCst), "expected");
    }
}

#[test]
fn a_waker_whose_drop_panics_takes_no_slot_along() {
    for way in 0..3 {
        let clock = ManualClock::new();
        let bulkhead = bulkhead(&clock, 1, SECOND);
        let inside = bulkhead.try_enter().unwrap();
        let bomb = Arc::new(Bomb(AtomicBool::new(true)));
        let mut call = Box::pin(bulkhead.enter_async());
        {
            let waker = Waker::from(bomb);
            assert!(call.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        // The bulkhead or the timer now owns the last one.
        match way {
            0 => drop(catch_unwind(AssertUnwindSafe(|| drop(call)))),
            1 => {
                _ = catch_unwind(AssertUnwindSafe(|| drop(inside)));
                _ = catch_unwind(AssertUnwindSafe(|| drop(poll(&mut call))));
                _ = catch_unwind(AssertUnwindSafe(|| drop(call)));
                assert_eq!(counts(&bulkhead), [0, 1, 0], "way {way}");
                continue;
            }
            _ => {
                _ = catch_unwind(AssertUnwindSafe(|| drop(poll(&mut call))));
                _ = catch_unwind(AssertUnwindSafe(|| drop(call)));
            }
        }
        assert_eq!(counts(&bulkhead), [1, 0, 0], "way {way}");
        drop(inside);
        assert_eq!(counts(&bulkhead), [0, 1, 0], "way {way}");
    }
}

#[test]
fn a_body_whose_drop_panics_gives_its_slot_back() {
    struct Body;
    impl Future for Body {
        type Output = Result<(), ()>;
        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
            Poll::Pending
        }
    }
    impl Drop for Body {
        fn drop(&mut self) {
            panic!("expected");
        }
    }
    let bulkhead = bulkhead(&ManualClock::new(), 1, SECOND);
    let mut call = Box::pin(bulkhead.execute_async(|| Body));
    assert!(poll(&mut call).is_pending());
    let mut behind = passing(&bulkhead);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(call))).is_err());
    assert_eq!(poll(&mut behind), Poll::Ready(Ok(())));
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
}

#[test]
fn polled_on_another_thread_each_time_it_waits_and_comes_in() {
    let bulkhead = Arc::new(Bulkhead::builder().max_concurrent(1).max_wait(Duration::MAX).build().unwrap());
    let inside = Arc::clone(&bulkhead).try_enter_owned().unwrap();
    let mut waits = Box::pin(Arc::clone(&bulkhead).enter_owned_async());
    for _ in 0..20 {
        waits = thread::spawn(move || {
            assert!(poll(&mut waits).is_pending());
            waits
        })
        .join()
        .unwrap();
    }
    drop(inside);
    let permit = thread::spawn(move || match poll(&mut waits) {
        Poll::Ready(Ok(permit)) => permit,
        _ => panic!("its turn"),
    });
    assert_eq!(counts(&bulkhead), [1, 0, 0]);
    drop(permit.join().unwrap());
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
}

/// Laws 1 to 3 on the real clock: tasks that are aborted at random, threads, interrupts, switching off and resizing.
#[test]
fn nothing_is_lost_while_tasks_are_aborted_and_everything_changes() {
    let builder = Bulkhead::builder().max_concurrent(4).max_wait(Duration::from_micros(300)).max_queue(50);
    let bulkhead = Arc::new(builder.build().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
    let inside = Arc::new(AtomicU32::new(0));
    for round in 0..30_u64 {
        let interrupt = Interrupt::new();
        thread::scope(|scope| {
            for n in 0..4_u64 {
                let (bulkhead, interrupt) = (Arc::clone(&bulkhead), interrupt.clone());
                scope.spawn(move || {
                    let random = Random::seeded(round * 100 + n);
                    for _ in 0..200 {
                        let options = CallOptions::new()
                            .interrupt(&interrupt)
                            .timeout(Duration::from_micros(random.next_u64() % 400));
                        _ = bulkhead.execute_with(options, || {
                            thread::yield_now();
                            Ok::<_, ()>(())
                        });
                    }
                });
            }
            scope.spawn({
                let (bulkhead, interrupt) = (Arc::clone(&bulkhead), interrupt.clone());
                move || {
                    let random = Random::seeded(round);
                    for _ in 0..100 {
                        let max_concurrent = if random.next_u64() % 2 == 0 { 1 } else { 4 };
                        let enabled = random.next_u64() % 8 != 0;
                        let max_queue = (random.next_u64() % 2 == 0).then_some(3);
                        let config = Config { max_concurrent, enabled, max_queue, ..bulkhead.config() };
                        bulkhead.reconfigure(config).unwrap();
                        if random.next_u64() % 16 == 0 {
                            interrupt.trigger();
                            interrupt.clear();
                        }
                        thread::yield_now();
                    }
                }
            });
            let tasks: Vec<_> = (0..100_u64)
                .map(|n| {
                    let (bulkhead, inside) = (Arc::clone(&bulkhead), Arc::clone(&inside));
                    runtime.spawn(async move {
                        let random = Random::seeded(round * 1000 + n);
                        for _ in 0..20 {
                            let call = || async {
                                inside.fetch_add(1, Ordering::SeqCst);
                                for _ in 0..random.next_u64() % 4 {
                                    tokio::task::yield_now().await;
                                }
                                inside.fetch_sub(1, Ordering::SeqCst);
                                Ok::<_, ()>(())
                            };
                            _ = bulkhead.execute_async(call).await;
                        }
                    })
                })
                .collect();
            let random = Random::seeded(round + 7);
            for task in &tasks {
                if random.next_u64() % 2 == 0 {
                    thread::yield_now();
                    task.abort();
                }
            }
            for task in tasks {
                _ = runtime.block_on(task);
            }
        });
        let config = Config { enabled: true, max_concurrent: 4, ..bulkhead.config() };
        bulkhead.reconfigure(config).unwrap();
        assert_eq!(counts(&bulkhead), [0, 4, 0], "round {round}");
    }
}

/// Endless waits, no timers: each lost wake-up hangs.
#[test]
fn every_waiter_is_woken_though_others_vanish_and_the_size_goes_to_one_and_back() {
    let bulkhead = Arc::new(Bulkhead::builder().max_concurrent(3).max_wait(Duration::MAX).build().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                for (max_concurrent, enabled) in [(1, true), (3, true), (2, false), (1, true)] {
                    bulkhead.reconfigure(Config { max_concurrent, enabled, ..bulkhead.config() }).unwrap();
                    thread::yield_now();
                }
            }
        });
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        assert!(
                            bulkhead
                                .execute(|| {
                                    thread::yield_now();
                                    Ok::<_, ()>(())
                                })
                                .is_ok()
                        );
                    }
                })
            })
            .collect();
        let tasks: Vec<_> = (0..8_u64)
            .map(|n| {
                let bulkhead = Arc::clone(&bulkhead);
                runtime.spawn(async move {
                    let random = Random::seeded(n);
                    for _ in 0..1_000 {
                        if random.next_u64() % 4 == 0 {
                            // Given up after some polls.
                            let wait = bulkhead.enter_async();
                            let polls = async {
                                for _ in 0..random.next_u64() % 3 {
                                    tokio::task::yield_now().await;
                                }
                            };
                            tokio::select! { biased; _ = wait => {}, () = polls => {} }
                        } else {
                            let (one, two) = (bulkhead.enter_async(), bulkhead.enter_async());
                            tokio::select! { it = one => drop(it.unwrap()), it = two => drop(it.unwrap()) }
                        }
                    }
                })
            })
            .collect();
        runtime.block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
        for thread in threads {
            thread.join().unwrap();
        }
        done.store(true, Ordering::SeqCst);
    });
    bulkhead.reconfigure(Config { enabled: true, max_concurrent: 3, ..bulkhead.config() }).unwrap();
    assert_eq!(counts(&bulkhead), [0, 3, 0]);
}

#[test]
fn a_hundred_thousand_in_line_come_and_go() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, 5 * MS);
    let inside = bulkhead.try_enter().unwrap();
    let mut waiting: Vec<_> = (0..100_000).map(|_| staying(&bulkhead)).collect();
    assert_eq!(counts(&bulkhead), [1, 0, 100_000]);
    waiting.truncate(50_000);
    drop(inside);
    assert_eq!(counts(&bulkhead), [1, 0, 49_999]);
    bulkhead.reconfigure(Config { max_concurrent: i32::MAX as u32, ..bulkhead.config() }).unwrap();
    assert_eq!(counts(&bulkhead), [50_000, i32::MAX as u32 - 50_000, 0]);
    drop(waiting);
    bulkhead.reconfigure(Config { max_concurrent: 1, ..bulkhead.config() }).unwrap();
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
}

/// It is polled late, and by then its slot has come, too; as a thread it would not start.
#[test]
fn a_call_whose_deadline_passed_while_it_was_in_line_does_not_start() {
    let clock = ManualClock::new();
    let bulkhead = bulkhead(&clock, 1, SECOND);
    let inside = bulkhead.try_enter().unwrap();
    let options = || CallOptions::new().timeout(10 * MS);
    let call = || -> std::future::Ready<Result<(), ()>> { panic!("it starts after its deadline") };
    let mut late = Box::pin(bulkhead.execute_async_with(options(), call));
    let mut entering = Box::pin(bulkhead.enter_async_with(options()));
    assert!(poll(&mut late).is_pending() && poll(&mut entering).is_pending());
    clock.advance(11 * MS);
    drop(inside);
    let Poll::Ready(Err(error)) = poll(&mut late) else { panic!("refused") };
    let Poll::Ready(Err(other)) = poll(&mut entering) else { panic!("refused") };
    assert_eq!((error.code(), other.code()), (Some(Code::TimedOut), Code::TimedOut));
    assert!(!error.rejection().unwrap().is_late() && !other.is_late(), "nothing ran");
    assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
}
