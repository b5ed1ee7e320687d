//! Cases from the field; the id of each in a comment.

use std::{sync::Barrier, task::Poll, thread, time::Duration};

use resilience_bulkhead::{Builder, Bulkhead, PipelineExt, RegistryExt};
use resilience_core::{Clock, Code, Error, Kind, ManualClock, Nanos, Pipeline, Registry};

use crate::{MS, SECOND, Task, bulkhead, counts, passing, poll, staying};

fn is_full<T: std::fmt::Debug, E: std::fmt::Debug>(result: &Result<T, Error<E>>) -> bool {
    matches!(result, Err(Error::Rejected(it)) if it.code() == Code::BulkheadFull && it.kind() == Kind::BULKHEAD_FULL)
}

// B15
#[test]
fn a_clock_at_its_origin_is_an_ordinary_clock() {
    for clock in [ManualClock::new().clock(), Clock::custom(|| Duration::ZERO)] {
        let bulkhead = Bulkhead::builder().max_concurrent(1).max_wait(3_600 * SECOND).clock(&clock).build().unwrap();
        assert_eq!(bulkhead.execute(|| Ok::<_, ()>(1)), Ok(1));
        assert_eq!((counts(&bulkhead), clock.now()), ([0, 1, 0], Nanos::ZERO));
    }
}

// B26
#[test]
fn a_call_goes_through_the_same_bulkhead_again_down_to_its_last_slot() {
    let bulkhead = bulkhead(&ManualClock::new(), 3, Duration::ZERO);
    let third = || bulkhead.execute(|| Ok::<_, ()>(bulkhead.available()));
    let result = bulkhead.execute(|| bulkhead.execute(third));
    assert_eq!(result, Ok(0));
    assert_eq!(counts(&bulkhead), [0, 3, 0]);
}

// B26
#[test]
fn two_threads_are_inside_at_the_same_time() {
    let bulkhead = Bulkhead::builder().max_concurrent(2).build().unwrap();
    let both = Barrier::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| bulkhead.execute(|| Ok::<_, ()>(both.wait())).unwrap());
        }
    });
    assert_eq!(counts(&bulkhead), [0, 2, 0]);
}

const ENDLESS: [Duration; 4] =
    [Duration::MAX, Duration::from_secs(u64::MAX), Duration::from_secs(u64::MAX / 10), Duration::from_nanos(u64::MAX)];

// B35
#[test]
fn an_endless_max_wait_waits_until_a_slot_comes() {
    for max_wait in ENDLESS {
        let clock = ManualClock::new();
        let bulkhead = bulkhead(&clock, 1, max_wait);
        let inside = staying(&bulkhead);
        let mut waiting = passing(&bulkhead);
        clock.advance(SECOND);
        assert!(poll(&mut waiting).is_pending());
        drop(inside);
        assert_eq!(poll(&mut waiting), Poll::Ready(Ok(())));
        assert_eq!((counts(&bulkhead), clock.pending_tasks()), ([0, 1, 0], 0));
    }
}

// B35, on the real clock: the slot is freed once the other thread is seen to wait.
#[test]
fn an_endless_max_wait_keeps_a_thread_until_a_slot_comes() {
    for max_wait in ENDLESS {
        let bulkhead = Bulkhead::builder().max_concurrent(1).max_wait(max_wait).build().unwrap();
        let inside = bulkhead.try_enter().unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| bulkhead.execute(|| Ok::<_, ()>(7)));
            while bulkhead.snapshot().queued == 0 {
                thread::yield_now();
            }
            drop(inside);
            assert_eq!(waiting.join().unwrap(), Ok(7));
        });
        assert_eq!(counts(&bulkhead), [0, 1, 0]);
    }
}

/// All of them have timed out.
fn all_are_refused(tasks: Vec<Task<'_>>) {
    for mut task in tasks {
        let Poll::Ready(Err(Error::Rejected(rejection))) = poll(&mut task) else { panic!("its time is up") };
        assert_eq!((rejection.code(), rejection.retry_after()), (Code::BulkheadFull, None));
    }
}

// B39
#[test]
fn who_gave_up_waiting_gets_no_slot() {
    let clock = ManualClock::new();
    let small = bulkhead(&clock, 1, 10 * MS);
    for _ in 0..100 {
        let inside = staying(&small);
        let waiting: Vec<_> = (0..8).map(|_| passing(&small)).collect();
        assert_eq!(counts(&small), [1, 0, 8]);
        clock.advance(10 * MS);
        all_are_refused(waiting);
        assert_eq!(counts(&small), [1, 0, 0]);
        drop(inside);
        assert_eq!(counts(&small), [0, 1, 0]);
        let now = clock.now();
        assert_eq!(small.execute(|| Ok::<_, ()>(())), Ok(()));
        assert_eq!(clock.now(), now, "the next call runs at once");
    }

    let large = bulkhead(&clock, 8, 10 * MS);
    let inside: Vec<_> = (0..8).map(|_| staying(&large)).collect();
    let waiting: Vec<_> = (0..8).map(|_| passing(&large)).collect();
    clock.advance(10 * MS);
    all_are_refused(waiting);
    drop(inside);
    assert_eq!((counts(&large), clock.pending_tasks()), ([0, 8, 0], 0));
}

// B39, with threads on the real clock.
#[test]
fn threads_that_gave_up_waiting_get_no_slot() {
    let bulkhead = Bulkhead::builder().max_concurrent(1).max_wait(10 * MS).build().unwrap();
    let inside = bulkhead.try_enter().unwrap();
    thread::scope(|scope| {
        let waiting: Vec<_> = (0..8).map(|_| scope.spawn(|| bulkhead.execute(|| Ok::<_, ()>(())))).collect();
        for thread in waiting {
            assert!(is_full(&thread.join().unwrap()));
        }
    });
    drop(inside);
    assert_eq!(counts(&bulkhead), [0, 1, 0]);
    bulkhead.execute(|| Ok::<_, ()>(())).unwrap();
}

// B41
#[test]
fn a_nested_call_takes_a_second_slot_or_ends_by_max_wait() {
    let nested = |clock: &ManualClock, max_concurrent, max_wait| {
        let registry = Registry::builder().clock(clock).build();
        let build = |id: &str| {
            let db = |it: Builder| it.name("db").max_concurrent(max_concurrent).max_wait(max_wait);
            Pipeline::builder(&registry, id).bulkhead(db).build().unwrap()
        };
        let (outer, inner) = (build("outer"), build("inner"));
        let result = outer.execute(|| Ok::<_, ()>(inner.execute(|| Ok::<_, ()>(()))));
        assert_eq!(counts(&registry.bulkhead("db").unwrap()), [0, max_concurrent, 0]);
        result.expect("the outer call can end well")
    };
    let clock = ManualClock::new();
    assert!(is_full(&nested(&clock, 1, Duration::ZERO)));
    assert_eq!(clock.now(), Nanos::ZERO);
    assert!(is_full(&nested(&clock, 1, 5 * SECOND)));
    assert_eq!(clock.now(), 5 * SECOND);
    assert_eq!(nested(&clock, 2, Duration::ZERO), Ok(()));
}

// B41
#[test]
fn ten_nested_futures_end_by_max_wait_all_of_them() {
    let clock = ManualClock::new();
    let db = bulkhead(&clock, 10, SECOND);
    let db = &db;
    let mut tasks: Vec<Task<'_, Result<(), Error<()>>>> = (0..10)
        .map(|_| {
            let outer = move || async move {
                futures_lite::future::yield_now().await; // until all ten are inside
                Ok(db.execute_async(|| async { Ok::<_, ()>(()) }).await)
            };
            Box::pin(db.execute_async(outer)) as Task<'_, _>
        })
        .collect();
    for _ in 0..2 {
        assert!(tasks.iter_mut().all(|task| poll(task).is_pending()));
    }
    assert_eq!((counts(db), clock.pending_tasks()), ([10, 0, 10], 10));
    clock.advance(SECOND - Duration::from_nanos(1));
    assert!(tasks.iter_mut().all(|task| poll(task).is_pending()));
    clock.advance(Duration::from_nanos(1));
    // An outer call ends in the same poll, and its slot comes free at the very limit of the others: too late for them.
    for task in &mut tasks {
        let Poll::Ready(Ok(inner)) = poll(task) else { panic!("the outer call ends well") };
        assert!(is_full(&inner));
    }
    assert_eq!((counts(db), clock.pending_tasks()), ([0, 10, 0], 0));
}

// B53
#[test]
fn what_is_out_of_range_is_an_error_that_names_the_value_and_the_range() {
    for (max_concurrent, code) in [(0, Code::CountBelowOne), (1 << 31, Code::OutOfRange), (u32::MAX, Code::OutOfRange)]
    {
        let error = Bulkhead::builder().max_concurrent(max_concurrent).build().unwrap_err();
        assert_eq!((error.code(), error.problems().len()), (Code::InvalidConfig, 1));
        assert_eq!(error.problems()[0].code, code);
        let text = error.to_string();
        assert!(text.contains(&max_concurrent.to_string()) && text.contains("1 to 2_147_483_647"), "{text}");
    }
    for max_concurrent in [1, 25, i32::MAX as u32] {
        let built = Bulkhead::builder().max_concurrent(max_concurrent).max_queue(0).build().unwrap();
        assert_eq!(built.available(), max_concurrent);
    }
}
