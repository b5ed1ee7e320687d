//! Whom listeners hear when instances come and go, and what a bad listener can do to a call.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use resilience::{breaker, event::Filter, prelude::*};

/// B63
#[test]
fn a_listener_of_an_instance_hears_the_one_that_takes_its_place() {
    let registry = Registry::builder().clock(ManualClock::new()).seed(1).build();
    let mut trips = registry.events().filtered(Filter::new().instance("a")).subscribe_channel(1_000);
    for _ in 0..100 {
        let breaker = registry.get_or_create::<breaker::CircuitBreaker>("a", &breaker::Config::default()).unwrap();
        assert_eq!(breaker.snapshot().state, breaker::State::Closed);
        breaker.force_open();
        assert!(registry.remove("circuit_breaker", "a"));
        assert_eq!(trips.try_recv().unwrap().payload.name(), "transition", "each is heard once");
        assert!(trips.is_empty());
    }
    assert_eq!((registry.events().listener_count(), trips.dropped()), (1, 0));
}

#[test]
fn a_panicking_listener_and_full_channels_lose_and_change_no_call() {
    let registry = Registry::builder().clock(ManualClock::new()).seed(1).build();
    let pipeline = Pipeline::builder(&registry, "search")
        .retry(|it| it.max_attempts(2))
        .circuit_breaker(|it| it.failure_rate_threshold(100.0))
        .rate_limiter(|it| it.permits(1_000))
        .build()
        .unwrap();
    let full = registry.events().subscribe_channel(1);
    let _bad = registry.events().subscribe(|_| std::panic::resume_unwind(Box::new("bad")));
    let calls = Arc::new(AtomicU64::new(0));
    let failing = || {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        if call % 2 == 0 { Err("down") } else { Ok(call) }
    };
    for n in 0..100 {
        assert_eq!(pipeline.execute(failing), Ok(2 * n + 1));
    }
    assert_eq!(calls.load(Ordering::Relaxed), 200);
    assert_eq!(full.len(), 1);
    assert!(full.dropped() >= 300 && registry.events().listener_panics() >= 300, "{full:?}");
}
