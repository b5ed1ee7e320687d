//! Events as events of the `tracing` crate.

use std::time::Duration;

use resilience::{
    breaker,
    config::{Format, Sources},
    prelude::*,
    ratelimiter,
};
use tracing::{Dispatch, Metadata, Subscriber, dispatcher::with_default, level_filters::LevelFilter, span};

use crate::collect::{Collect, Fields};

fn limiter(registry: &Registry, id: &str) -> std::sync::Arc<ratelimiter::RateLimiter> {
    let config = ratelimiter::Config { permits: 1, max_wait: Duration::ZERO, ..Default::default() };
    registry.get_or_create::<ratelimiter::RateLimiter>(id, &config).unwrap()
}

fn registry() -> Registry {
    Registry::builder().clock(ManualClock::new()).seed(1).build()
}

/// B65
#[test]
fn a_subscriber_that_comes_after_the_first_call_is_told_of_all_that_follow() {
    let limiter = limiter(&registry(), "search");
    limiter.try_acquire().unwrap();
    _ = limiter.try_acquire();
    let collect = Collect::default();
    with_default(&collect.subscriber(LevelFilter::DEBUG), || (0..2).for_each(|_| _ = limiter.try_acquire()));
    _ = limiter.try_acquire();
    let events = collect.events();
    assert_eq!(events.len(), 2);
    let (level, target, fields, inside) = &events[0];
    assert_eq!((level.as_str(), target.as_str(), inside), ("DEBUG", "resilience::rate_limiter", &None));
    let expected = [
        ("message", "rejected: R4C-RT-001: rate limit exceeded (rate_limiter `search`, retry after 1s)"),
        ("kind", "rate_limiter"),
        ("instance", "search"),
        ("type", "rejected"),
        ("time", "0.0"),
        ("code", "R4C-RT-001"),
        ("reason", "rate_limit_exceeded"),
        ("retry_after", "1.0"),
        ("late", "false"),
    ];
    assert_eq!(*fields, expected.map(|(name, value)| (name, value.to_string())).into());
}

#[test]
fn levels_say_how_much_an_event_matters() {
    let registry = registry();
    let limiter = limiter(&registry, "search");
    let breaker = registry.get_or_create::<breaker::CircuitBreaker>("search", &breaker::Config::default()).unwrap();
    let told = |level| {
        let collect = Collect::default();
        with_default(&collect.subscriber(level), || {
            breaker.force_open();
            breaker.reset();
            _ = breaker.execute(|| Ok::<_, ()>(()));
            _ = limiter.try_acquire();
            _ = limiter.try_acquire();
        });
        let short = |(level, _, fields, _): (String, String, Fields, _)| format!("{level} {}", fields["type"]);
        collect.events().into_iter().map(short).collect::<Vec<_>>()
    };
    assert!(told(LevelFilter::OFF).is_empty());
    assert_eq!(told(LevelFilter::WARN), ["WARN transition"]);
    assert_eq!(told(LevelFilter::INFO), ["WARN transition", "INFO transition"]);
    assert_eq!(told(LevelFilter::DEBUG)[..3], ["WARN transition", "INFO transition", "DEBUG rejected"]);
    assert_eq!(told(LevelFilter::TRACE)[..3], ["WARN transition", "INFO transition", "TRACE recorded"]);
}

#[test]
fn a_refused_configuration_is_a_warning_with_its_code_and_all_that_is_wrong() {
    let (registry, collect) = (registry(), Collect::default());
    let text = "[instances.\"a\\\"b\".rate_limiter]\npermits = 0\n";
    with_default(&collect.subscriber(LevelFilter::INFO), || {
        _ = registry.configure(Sources::new().text("app.toml", Format::Toml, text));
        _ = registry.configure(Sources::new());
    });
    let events = collect.events();
    let (level, target, fields, _) = &events[0];
    assert_eq!((level.as_str(), target.as_str()), ("WARN", "resilience::config"));
    assert_eq!(fields["code"], "R4C-CFG-004");
    assert!(fields["message"].starts_with("R4C-CFG-004: "), "{fields:?}");
    assert!(fields["problems"].starts_with("code=R4C-ATR-003 path=instances."), "{fields:?}");
    assert_eq!((events[1].0.as_str(), events[1].2["message"].as_str()), ("INFO", "reloaded, nothing changed"));
}

#[test]
fn a_subscriber_that_panics_hurts_no_call() {
    struct Bad;
    impl Subscriber for Bad {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }
        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn event(&self, _: &tracing::Event<'_>) {
            std::panic::resume_unwind(Box::new("bad"));
        }
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }
    let registry = registry();
    let limiter = limiter(&registry, "search");
    let receiver = registry.events().subscribe_channel(10);
    limiter.try_acquire().unwrap();
    let rejected = with_default(&Dispatch::new(Bad), || limiter.try_acquire());
    assert_eq!(rejected.unwrap_err().code(), Code::RateLimitExceeded);
    assert_eq!((receiver.len(), registry.events().listener_panics()), (1, 1));
}
