//! Series of instances that come and go.

use resilience::{
    config::{Format, Sources},
    prelude::*,
};

use crate::Scraper;

const STATE: &str = "resilience_circuit_breaker_state";

fn breaker(registry: &Registry) -> std::sync::Arc<CircuitBreaker> {
    Pipeline::builder(registry, "a").circuit_breaker(|it| it).build().unwrap();
    registry.circuit_breaker("a").unwrap()
}

/// B63.
#[test]
fn a_series_is_bound_to_the_instance_that_lives() {
    let registry = Registry::new();
    let scraper = Scraper::new(&registry);
    let first = breaker(&registry);
    first.execute(|| Ok::<_, ()>(())).unwrap();
    first.force_open();
    assert_eq!(scraper.scrape().get(STATE, &[("instance", "a")]), Some(2.0 + 1.0));

    assert!(registry.remove("circuit_breaker", "a"));
    let gone = scraper.scrape();
    assert!(gone.get(STATE, &[("instance", "a")]).unwrap().is_nan(), "no state of a breaker that is gone");
    assert_eq!(calls(&gone), 1.0, "a count stays where it was");

    let second = breaker(&registry);
    first.metrics_only();
    assert!(first.execute(|| Ok::<_, ()>(())).is_ok(), "the old handle works, and is not counted");
    second.execute(|| Ok::<_, ()>(())).unwrap();
    let now = scraper.scrape();
    assert_eq!(now.of(STATE).map(|(_, value)| value).collect::<Vec<_>>(), [0.0]);
    assert_eq!(calls(&now), 2.0, "a counter only grows");
}

fn calls(text: &crate::text::Text) -> f64 {
    text.get("resilience_calls_total", &[("kind", "circuit_breaker"), ("instance", "a"), ("outcome", "success")])
        .unwrap()
}

/// B63.
#[test]
fn a_hundred_replacements_make_no_series_more() {
    let registry = Registry::new();
    let scraper = Scraper::new(&registry);
    let replace = || {
        registry.remove("circuit_breaker", "a");
        let breaker = breaker(&registry);
        breaker.force_open();
        assert!(breaker.execute(|| Ok::<_, ()>(())).is_err());
        breaker.reset();
        breaker.execute(|| Ok::<_, ()>(())).unwrap();
        scraper.scrape().series
    };
    let first = replace();
    let last = (0..100).fold(first.clone(), |_, _| replace());
    assert_eq!(last.keys().collect::<Vec<_>>(), first.keys().collect::<Vec<_>>());
    assert_eq!(scraper.calls("circuit_breaker", "a"), [101, 0, 101, 0, 0]);
}

#[test]
fn reloads_are_counted() {
    let registry = Registry::new();
    let scraper = Scraper::new(&registry);
    let load = |text: &str| registry.configure(Sources::new().text("app.toml", Format::Toml, text)).is_ok();
    assert!(load("[defaults.retry]\nmax_attempts = 4\n") && !load("[defaults.retry]\nmax_attempt = 4\n"));
    assert!(load(""));
    let text = scraper.scrape();
    let reloads = ["applied", "refused"].map(|it| text.get("resilience_config_reloads_total", &[("result", it)]));
    assert_eq!(reloads, [Some(2.0), Some(1.0)]);
}
