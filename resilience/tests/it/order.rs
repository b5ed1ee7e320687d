//! Law 1 of the pipeline: the layers nest in the documented order whatever the order of the builder's calls, and a
//! rejection further out leaves what is inside as it was.

use std::{sync::Arc, time::Duration};

use resilience::{ManualClock, at, prelude::*, ratelimiter::Builder};

use crate::third_party::EveryThird;

const SECOND: Duration = Duration::from_secs(1);

fn ten(limiter: Builder) -> Builder {
    limiter.permits(10).period(SECOND)
}

#[test]
fn a_third_party_inside_the_limiter_costs_a_permit_and_one_outside_does_not() {
    let registry = Registry::builder().clock(ManualClock::new()).build();
    let inside = Arc::new(EveryThird::<at::Inside<at::RateLimiter>>::new());
    let before = Pipeline::builder(&registry, "before").policy(Arc::clone(&inside)).rate_limiter(ten).build().unwrap();
    let after = Pipeline::builder(&registry, "after").rate_limiter(ten).policy(Arc::clone(&inside)).build().unwrap();
    for pipeline in [&before, &after] {
        let results: Vec<_> = (0..3).map(|_| pipeline.execute(|| Ok::<_, ()>(())).is_ok()).collect();
        assert_eq!(results, [true, true, false]);
        let limiter = registry.rate_limiter(pipeline.id().as_str()).unwrap();
        assert_eq!(limiter.available_permits(), 7, "{pipeline:?}");
    }

    let outside = Arc::new(EveryThird::<at::CircuitBreaker>::new());
    let builder = Pipeline::builder(&registry, "outside").rate_limiter(ten).policy(Arc::clone(&outside));
    let pipeline = builder.build().unwrap();
    for _ in 0..3 {
        _ = pipeline.execute(|| Ok::<_, ()>(()));
    }
    assert_eq!(registry.rate_limiter("outside").unwrap().available_permits(), 8);
}

#[test]
fn a_rejection_by_the_limiter_reaches_nothing_inside() {
    let registry = Registry::builder().clock(ManualClock::new()).build();
    let inside = Arc::new(EveryThird::<at::Bulkhead>::new());
    let builder = Pipeline::builder(&registry, "p").policy(Arc::clone(&inside));
    let pipeline = builder.rate_limiter(|it| it.permits(1).period(SECOND)).build().unwrap();
    pipeline.execute(|| Ok::<_, ()>(())).unwrap();
    for _ in 0..10 {
        let error = pipeline.execute(|| -> Result<(), ()> { panic!("it runs") }).unwrap_err();
        assert_eq!((error.code(), error.retry_after()), (Some(Code::RateLimitExceeded), Some(SECOND)));
    }
    assert_eq!(inside.calls(), 1);
}

#[test]
fn a_custom_order_is_taken_as_it_is() {
    let registry = Registry::builder().clock(ManualClock::new()).build();
    Pipeline::builder(&registry, "limiter").rate_limiter(ten).build().unwrap();
    let limiter = registry.rate_limiter("limiter").unwrap();
    let outside = EveryThird::<at::Bulkhead>::new();
    let stack = (outside, (Arc::clone(&limiter), resilience::Call));
    let pipeline = Pipeline::custom_order(&registry, "p", stack).unwrap();
    for _ in 0..3 {
        _ = pipeline.execute(|| Ok::<_, ()>(()));
    }
    assert_eq!(limiter.available_permits(), 8);
}

#[test]
fn an_absent_policy_is_not_there() {
    let registry = Registry::builder().clock(ManualClock::new()).build();
    let none: Option<Arc<RateLimiter>> = None;
    let pipeline = Pipeline::builder(&registry, "p").policy(none).build().unwrap();
    for n in 0..100 {
        assert_eq!(pipeline.execute(|| Ok::<_, ()>(n)), Ok(n));
    }
    let disabled = Pipeline::builder(&registry, "off").rate_limiter(|it| it.permits(1).enabled(false)).build().unwrap();
    for n in 0..100 {
        assert_eq!(disabled.execute(|| Ok::<_, ()>(n)), Ok(n));
    }
}

#[test]
fn the_time_spent_waiting_for_a_permit_is_the_callers_own() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let builder = Pipeline::builder(&registry, "p").rate_limiter(|it| ten(it).max_wait(SECOND));
    let pipeline = builder.fallback_value("cached").build().unwrap();
    for n in 0..20 {
        assert_eq!(pipeline.execute(|| Ok::<_, ()>("fresh")), Ok("fresh"), "call {n}");
    }
    assert_eq!(clock.now(), SECOND);
    let options = || CallOptions::new().permits(11);
    assert_eq!(pipeline.execute_with(options(), || Ok::<_, ()>("fresh")), Ok("cached"), "R4C-RT-006");
}
