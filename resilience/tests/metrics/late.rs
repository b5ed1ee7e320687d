//! Recorders that come late, and none at all.

use std::time::Duration;

use resilience::{Metrics, prelude::*};

use crate::{Scraper, recorder, text::Text};

/// B65. Calls since the `Metrics` was made are told to a recorder that comes later.
#[test]
fn calls_before_a_recorder_is_there_are_told_to_it() {
    let registry = Registry::new();
    let pipeline = Pipeline::builder(&registry, "late").retry(|it| it).circuit_breaker(|it| it).rate_limiter(|it| it);
    let pipeline = pipeline.timeout(|it| it).bulkhead(|it| it).build().unwrap();
    let metrics = Metrics::new(&registry);
    pipeline.execute(|| Ok::<_, ()>(())).unwrap();
    metrics.record(); // to nobody

    let recorder = Box::new(recorder());
    for _ in 0..2 {
        pipeline.execute(|| Ok::<_, ()>(())).unwrap();
    }
    let scraper = Scraper { recorder, metrics };
    for kind in ["retry", "circuit_breaker", "rate_limiter", "timeout", "bulkhead"] {
        assert_eq!(scraper.calls(kind, "late"), [3, 0, 0, 0, 0], "{kind}");
    }
}

#[test]
fn each_recorder_is_told_everything() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let one = Scraper::new(&registry);
    let wait = Duration::from_secs(9);
    let pipeline = Pipeline::builder(&registry, "a").rate_limiter(|it| it.permits(1).max_wait(wait)).build().unwrap();
    for _ in 0..3 {
        pipeline.execute(|| Ok::<_, ()>(())).unwrap();
        one.scrape();
    }
    let other = Scraper::new(&registry);
    let (told, too) = (one.scrape(), other.scrape());
    assert_eq!(told.series, too.series);
    let waits = [("kind", "rate_limiter"), ("instance", "a")];
    assert_eq!(too.get("resilience_wait_seconds_count", &waits), Some(2.0));
    assert_eq!(one.scrape().series, told.series, "and nothing twice");
}

#[test]
fn a_thread_of_its_own_can_record() {
    let registry = Registry::new();
    let metrics = Metrics::new(&registry);
    Pipeline::builder(&registry, "kept").timeout(|it| it).build().unwrap().execute(|| Ok::<_, ()>(())).unwrap();
    let handle = metrics_exporter_prometheus::PrometheusBuilder::new().install_recorder().unwrap();
    let upkeep = metrics.upkeep(Duration::from_millis(1)).unwrap();
    let labels = [("kind", "timeout"), ("instance", "kept"), ("outcome", "success")];
    while Text::parse(&handle.render()).get("resilience_calls_total", &labels) != Some(1.0) {
        std::thread::yield_now();
    }
    drop(upkeep);
}
