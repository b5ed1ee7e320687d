//! What went wrong once, or could: looks at the wrong moment, changes at the wrong moment, callers that vanish.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use resilience_breaker::{CircuitBreaker, Config, Event, State};
use resilience_core::{ManualClock, Random, Registry, event};

use crate::{NS, SECOND, breaker, calls, cb0, refused, succeed, trip};

#[test]
fn a_breaker_that_closes_is_never_seen_disabled() {
    let breaker = breaker(&ManualClock::new(), cb0);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..100_000 {
                breaker.reset();
                breaker.metrics_only();
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            assert_ne!(breaker.state(), State::Disabled);
        }
    });
}

#[test]
fn a_change_does_not_close_a_breaker_whose_probes_have_had_their_time() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, |it| cb0(it).permitted_in_half_open(5).max_wait_in_half_open(10 * SECOND));
    trip(&breaker);
    clock.advance(SECOND);
    succeed(&breaker);
    clock.advance(10 * SECOND);
    breaker.reconfigure(Config { permitted_in_half_open: 1, ..breaker.config() }).unwrap();
    assert_eq!(breaker.state(), State::Open);
    assert_eq!(breaker.snapshot().open_for, Some(SECOND));
    refused(&breaker);
}

/// Law 2, with probes that end in all ways at random.
#[test]
fn probes_of_many_threads_that_end_in_any_way_never_exceed_nor_wedge_it() {
    const PERMITTED: u32 = 3;
    let builder = CircuitBreaker::builder().window_size(4).minimum_calls(2).permitted_in_half_open(PERMITTED);
    let breaker = builder.wait_in_open(NS).max_wait_in_half_open(Duration::ZERO).build().unwrap();
    for seed in 0..200 {
        breaker.reset();
        calls(&breaker, "FF");
        let (inside, most, counted) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for n in 0..8 {
                let (breaker, inside, most, counted) = (&breaker, &inside, &most, &counted);
                scope.spawn(move || {
                    let random = Random::seeded(seed * 8 + n);
                    for _ in 0..50 {
                        let Ok(permit) = breaker.try_acquire() else { continue };
                        if breaker.state() != State::HalfOpen {
                            permit.success();
                            continue;
                        }
                        most.fetch_max(1 + inside.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
                        if random.next_u64() % 2 == 0 {
                            thread::yield_now();
                        }
                        inside.fetch_sub(1, Ordering::SeqCst);
                        match random.next_u64() % 16 {
                            0 => {
                                counted.fetch_add(1, Ordering::SeqCst);
                                permit.failure();
                            }
                            _ => drop(permit),
                        }
                    }
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= PERMITTED, "{most:?}");
        // Not wedged.
        let mut tries = 0;
        while breaker.state() != State::Closed {
            _ = breaker.execute(|| Ok::<_, ()>(()));
            tries += 1;
            assert!(tries < 1_000, "{breaker:?}");
        }
    }
}

/// Law 6 beside changes and resets: the counts are those of the ring.
#[test]
fn after_changes_and_resets_under_load_as_many_successes_as_it_holds_clear_the_window() {
    let breaker = breaker(&ManualClock::new(), |it| it.wait_in_open(NS));
    breaker.metrics_only();
    for round in 0..30_u64 {
        thread::scope(|scope| {
            for n in 0..6 {
                let breaker = &breaker;
                scope.spawn(move || {
                    let random = Random::seeded(round * 6 + n);
                    for _ in 0..2_000 {
                        _ = breaker.execute(|| if random.next_u64() % 3 == 0 { Err(()) } else { Ok(()) });
                    }
                });
            }
            scope.spawn(|| {
                let random = Random::seeded(round);
                for _ in 0..200 {
                    let size = 1 + (random.next_u64() % if round % 2 == 0 { 4 } else { 3_000 }) as u32;
                    let minimum_calls = size.min(20);
                    breaker.reconfigure(Config { window_size: size, minimum_calls, ..breaker.config() }).unwrap();
                    let snapshot = breaker.snapshot();
                    assert!(snapshot.window.failed <= snapshot.window.calls, "{snapshot:?}");
                }
            });
            scope.spawn(|| {
                for _ in 0..20 {
                    breaker.reset();
                    breaker.metrics_only();
                }
            });
        });
        let size = breaker.config().window_size;
        for _ in 0..size {
            succeed(&breaker);
        }
        let window = breaker.snapshot().window;
        assert_eq!((window.calls, window.failed, window.slow), (size.into(), 0, 0));
        calls(&breaker, "F");
        assert_eq!(breaker.snapshot().window.failed, 1);
    }
}

/// A listener that does everything at once.
#[test]
fn a_listener_may_do_anything_to_the_breaker_it_hears_of() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let breaker: Arc<CircuitBreaker> = registry.get_or_create("b", &Config::default()).unwrap();
    let subscription = Arc::new(Mutex::new(None));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let count = AtomicU32::new(0);
    *subscription.lock().unwrap() = Some(registry.events().subscribe({
        let (breaker, subscription, heard) = (Arc::clone(&breaker), Arc::clone(&subscription), Arc::clone(&heard));
        move |event: &event::Event<'_>| {
            let text = format!("{} {breaker:?} {:?}", event.payload, breaker.snapshot());
            assert!(!text.is_empty());
            if let Some(Event::Transition(it)) = event.payload() {
                heard.lock().unwrap().push((it.from, it.to));
            }
            match count.fetch_add(1, Ordering::SeqCst) {
                0 => breaker.force_open(),
                1 => breaker.reset(),
                2 => breaker.reconfigure(Config { window_size: 7, minimum_calls: 7, ..breaker.config() }).unwrap(),
                3 => drop(breaker.execute(|| Err::<(), _>(()))),
                4 => drop(subscription.lock().unwrap().take()),
                n => panic!("unsubscribed, but told {n}"),
            }
        }
    }));
    breaker.disable();
    let expected =
        [(State::Closed, State::Disabled), (State::Disabled, State::ForcedOpen), (State::ForcedOpen, State::Closed)];
    assert_eq!(heard.lock().unwrap()[..3], expected);
    assert_eq!((breaker.state(), registry.events().listener_panics()), (State::Closed, 0));
}

#[test]
fn a_late_result_is_not_told_as_recorded() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let config = Config { window_size: 4, minimum_calls: 4, ..Config::default() };
    let breaker: Arc<CircuitBreaker> = registry.get_or_create("b", &config).unwrap();
    let late = breaker.try_acquire().unwrap();
    calls(&breaker, "FFFF");
    assert_eq!(breaker.state(), State::Open);
    let heard = Arc::new(AtomicU32::new(0));
    let _subscription = registry.events().subscribe({
        let heard = Arc::clone(&heard);
        move |_: &event::Event<'_>| _ = heard.fetch_add(1, Ordering::SeqCst)
    });
    late.failure();
    assert_eq!(heard.load(Ordering::SeqCst), 0);
}
