use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use resilience_core::{Clock, ManualClock, Nanos};

#[test]
fn a_manual_clock_ends_at_its_last_instant() {
    let clock = ManualClock::new();
    clock.advance(Duration::MAX);
    assert_eq!(clock.now(), Nanos::LAST);
    clock.advance(Duration::MAX);
    assert_eq!(clock.now(), Nanos::LAST);
    clock.advance_to(Nanos::ZERO);
    assert_eq!(clock.now(), Nanos::LAST, "a clock does not go back");
}

#[test]
fn nanoseconds_saturate() {
    assert_eq!(Nanos::new(u64::MAX), Nanos::NEVER);
    assert_eq!(Nanos::LAST.after(Duration::from_nanos(1)), Nanos::NEVER);
    assert_eq!(Nanos::LAST.after(Duration::ZERO), Nanos::LAST);
    assert_eq!(Nanos::NEVER.clamp_to_clock(), Nanos::LAST);
    assert_eq!(Nanos::ZERO.since(Nanos::LAST), Duration::ZERO);
    assert_eq!(format!("{:?} {:?}", Nanos::new(1_500), Nanos::NEVER), "1.5µs never");
}

#[test]
fn a_custom_clock_never_goes_back_and_never_panics() {
    let readings = Arc::new(Mutex::new(vec![5_u64, 3, 9, 1, 10]));
    let clock = Clock::custom(move || {
        let reading = readings.lock().unwrap().pop().expect("no readings left");
        Duration::from_secs(reading)
    });
    let seen: Vec<_> = (0..7).map(|_| Duration::from(clock.now()).as_secs()).collect();
    assert_eq!(seen, [10, 10, 10, 10, 10, 10, 10]);
}

#[test]
fn a_custom_clock_is_monotonic_over_threads() {
    let wild = AtomicU64::new(0);
    let clock = Clock::custom(move || {
        let n = wild.fetch_add(1, Ordering::Relaxed);
        Duration::from_nanos(if n % 3 == 0 { n / 2 } else { n })
    });
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut last = clock.now();
                for _ in 0..10_000 {
                    let now = clock.now();
                    assert!(now >= last);
                    last = now;
                }
            });
        }
    });
}

#[test]
fn clocks_know_whether_they_are_the_same() {
    let (one, two) = (ManualClock::new(), ManualClock::new());
    assert!(one.clock().is_same_as(&one.clone().clock()));
    assert!(!one.clock().is_same_as(&two.clock()));
    assert!(Clock::system().is_same_as(&Clock::default()));
    assert!(!Clock::system().is_same_as(&one.clock()));
    let custom = Clock::custom(|| Duration::ZERO);
    assert!(custom.is_same_as(&custom.clone()));
    assert!(!custom.is_same_as(&Clock::custom(|| Duration::ZERO)));
}

#[tokio::test(start_paused = true)]
async fn the_tokio_clock_follows_tokios_time() {
    let clock = Clock::tokio();
    assert_eq!(clock.now(), Nanos::ZERO);
    tokio::time::advance(Duration::from_millis(250)).await;
    assert_eq!(clock.now(), Duration::from_millis(250));
    assert!(!clock.is_same_as(&Clock::tokio()), "they count from different moments");
}
