use resilience_core::sync::{Mutex, back_off, lock_briefly};
use std::thread;

#[test]
fn many_threads_lose_no_change() {
    let number = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10_000).for_each(|_| *lock_briefly(&number) += 1));
        }
    });
    assert_eq!(*lock_briefly(&number), 40_000);
}

/// Longer than anybody is patient.
#[test]
fn a_lock_that_is_held_for_long_is_waited_for() {
    let held = Mutex::new(false);
    let mut guard = lock_briefly(&held);
    thread::scope(|scope| {
        let waits = scope.spawn(|| *lock_briefly(&held));
        (0..10_000).for_each(|_| back_off());
        *guard = true;
        drop(guard);
        assert!(waits.join().expect("it gets the lock"));
    });
}

#[test]
fn a_panic_under_it_is_nobody_elses() {
    let number = Mutex::new(7);
    thread::scope(|scope| {
        let panics = scope.spawn(|| {
            let _guard = lock_briefly(&number);
            panic!("under the lock");
        });
        panics.join().expect_err("it panics");
    });
    assert_eq!(*lock_briefly(&number), 7);
}
