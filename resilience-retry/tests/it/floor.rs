//! What a rejection or a server says about when to come back.

use std::time::Duration;

use resilience_core::{Class, Kind, ManualClock, Pipeline, Registry};
use resilience_retry::PipelineExt;

use crate::{Failing, MS, SECOND};

#[test]
fn a_servers_retry_after_is_waited_for_above_the_cap_too_and_not_remembered() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).seed(1).build();
    let pipeline = Pipeline::builder(&registry, "p")
        .retry(|it| it.max_attempts(5).delay(10 * MS).max_delay(40 * MS).jitter(resilience_retry::Jitter::None))
        .build()
        .unwrap();
    let pipeline = pipeline.with_classifier(|result: &Result<(), usize>| match result {
        Err(2) => Class::failure(Kind::FAILED).retry_after(SECOND),
        Err(3) => Class::failure(Kind::FAILED).retry_after(Duration::ZERO),
        Err(_) => Class::failure(Kind::FAILED),
        Ok(()) => Class::Success,
    });
    let failing = Failing::default();
    assert!(pipeline.execute(|| failing.call(&clock)).is_err());
    assert_eq!(failing.delays(), [10 * MS, SECOND, 40 * MS, 40 * MS]);
}

#[test]
fn a_retry_after_beyond_max_duration_ends_it_at_once() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let pipeline = Pipeline::builder(&registry, "p").retry(|it| it.max_duration(SECOND)).build().unwrap();
    let later = |_: &Result<(), usize>| Class::failure(Kind::FAILED).retry_after(SECOND + Duration::from_nanos(1));
    let pipeline = pipeline.with_classifier(later);
    let failing = Failing::default();
    assert!(pipeline.execute(|| failing.call(&clock)).is_err());
    assert_eq!(failing.times(), [Duration::ZERO]);
    assert_eq!(clock.now(), Duration::ZERO);
}
