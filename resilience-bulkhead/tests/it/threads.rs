//! Real threads and tasks on one bulkhead.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use resilience_bulkhead::{Bulkhead, Config};
use resilience_core::{Error, Random};

use crate::{SECOND, counts};

/// Counts who is inside, and the most there ever were.
#[derive(Default)]
struct Room {
    inside: AtomicU32,
    most: AtomicU32,
    visits: AtomicU32,
}

struct Visit<'a>(&'a Room);

impl Room {
    fn visit(&self) -> Visit<'_> {
        let inside = 1 + self.inside.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(inside, Ordering::SeqCst);
        self.visits.fetch_add(1, Ordering::SeqCst);
        Visit(self)
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

// Laws 1 and 3
#[test]
fn threads_and_tasks_share_one_count_and_every_waiter_is_woken() {
    const EACH: u32 = 2_000;
    let builder = Bulkhead::builder().max_concurrent(3).max_wait(Duration::MAX);
    let (bulkhead, room) = (Arc::new(builder.build().unwrap()), Arc::new(Room::default()));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let tasks: Vec<_> = (0..6)
        .map(|_| {
            let (bulkhead, room) = (Arc::clone(&bulkhead), Arc::clone(&room));
            runtime.spawn(async move {
                for _ in 0..EACH {
                    let call = || async {
                        let _visit = room.visit();
                        tokio::task::yield_now().await;
                        Ok::<_, ()>(())
                    };
                    bulkhead.execute_async(call).await.unwrap();
                }
            })
        })
        .collect();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..EACH {
                    let call = || {
                        let _visit = room.visit();
                        if n % 64 == 0 {
                            std::panic::resume_unwind(Box::new("expected"));
                        }
                        thread::yield_now();
                        Ok::<_, ()>(())
                    };
                    assert_eq!(
                        catch_unwind(AssertUnwindSafe(|| bulkhead.execute(call))).ok(),
                        (n % 64 != 0).then_some(Ok(()))
                    );
                }
            });
        }
    });
    runtime.block_on(async {
        for task in tasks {
            task.await.unwrap();
        }
    });
    assert_eq!(room.visits.load(Ordering::SeqCst), 10 * EACH);
    assert!((2..=3).contains(&room.most.load(Ordering::SeqCst)));
    assert_eq!(counts(&bulkhead), [0, 3, 0]);
}

// Laws 1 to 3
#[test]
fn nothing_is_lost_while_threads_wait_time_out_drop_and_resize() {
    let builder = Bulkhead::builder().max_concurrent(2).max_wait(Duration::from_micros(50)).max_queue(3);
    let (bulkhead, room) = (builder.build().unwrap(), Room::default());
    thread::scope(|scope| {
        for seed in 0..4 {
            let (bulkhead, room) = (&bulkhead, &room);
            scope.spawn(move || {
                let random = Random::seeded(seed);
                for _ in 0..3_000 {
                    match random.next_u64() % 8 {
                        0 => {
                            let max_concurrent = 1 + random.next_u64() as u32 % 4;
                            bulkhead.reconfigure(Config { max_concurrent, ..bulkhead.config() }).unwrap();
                        }
                        1 => drop(bulkhead.try_enter()),
                        2..4 => {
                            // Polled once, and dropped wherever it is then.
                            let mut enter = Box::pin(bulkhead.enter_async());
                            drop(crate::poll(&mut enter));
                        }
                        _ => {
                            let result = bulkhead.execute(|| {
                                let _visit = room.visit();
                                thread::yield_now();
                                Ok::<_, ()>(())
                            });
                            assert!(matches!(result, Ok(()) | Err(Error::Rejected(_))));
                        }
                    }
                }
            });
        }
    });
    assert!(room.most.load(Ordering::SeqCst) <= 4);
    assert_eq!(counts(&bulkhead), [0, bulkhead.config().max_concurrent, 0]);
    // And the line still moves.
    bulkhead.reconfigure(Config { max_concurrent: 1, max_wait: 60 * SECOND, ..bulkhead.config() }).unwrap();
    let inside = bulkhead.try_enter().unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| bulkhead.enter().is_ok());
        while bulkhead.snapshot().queued == 0 {
            thread::yield_now();
        }
        drop(inside);
        assert!(waiting.join().unwrap());
    });
}
