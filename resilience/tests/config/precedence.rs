//! Which layer holds, key by key.

use std::time::Duration;

use proptest::prelude::*;
use resilience::{
    Code, RegistryError,
    config::{Format, Sources},
    prelude::*,
};

use crate::{configured, limiter, permits, registry, toml};

#[test]
fn each_layer_holds_against_the_ones_before_and_unset_never_overrides() {
    let layers = [
        ("", 50),
        ("[defaults.rate_limiter]\npermits = 60\n", 60),
        ("[configs.far.rate_limiter]\npermits = 70\n", 70),
        ("[configs.near.rate_limiter]\npermits = 80\nbase = 'far'\n", 80),
        ("[instances.a.rate_limiter]\nconfig = 'near'\npermits = 100\n", 100),
    ];
    let named = "[configs.near.rate_limiter]\nbase = 'far'\n";
    let asks = "[instances.a.rate_limiter]\nconfig = 'near'\n";
    let below = |count: usize| layers[..count].iter().map(|(text, _)| *text).collect::<String>();

    for (count, expected) in [(1, 50), (2, 60)] {
        let registry = configured(toml(&below(count)));
        limiter(&registry, "a", |it| it);
        assert_eq!(permits(&registry, "a"), expected);
    }
    let registry = configured(toml(&(below(3) + named + asks)));
    limiter(&registry, "a", |it| it);
    assert_eq!(permits(&registry, "a"), 70, "the far config, through the near one");
    let registry = configured(toml(&(below(4) + asks)));
    limiter(&registry, "a", |it| it);
    limiter(&registry, "other", |it| it);
    assert_eq!((permits(&registry, "a"), permits(&registry, "other")), (80, 60));
    let registry = configured(toml(&(below(4) + asks)));
    limiter(&registry, "a", |it| it.permits(90));
    assert_eq!(permits(&registry, "a"), 90, "code");
    let registry = configured(toml(&below(5)));
    limiter(&registry, "a", |it| it.permits(90).period(Duration::from_secs(7)));
    let config = registry.rate_limiter("a").unwrap().config();
    assert_eq!((config.permits, config.period), (100, Duration::from_secs(7)), "key by key");
}

#[test]
fn code_can_build_on_a_named_config() {
    let registry = configured(toml("[configs.slow-api.rate_limiter]\npermits = 5\nmax_wait = '1s'\n"));
    limiter(&registry, "a", |it| it.base("slow-api").permits(6));
    let config = registry.rate_limiter("a").unwrap().config();
    assert_eq!((config.permits, config.max_wait), (6, Duration::from_secs(1)));

    let builder = Pipeline::builder(&registry, "b").rate_limiter(|it| it.base("slow-apy"));
    let RegistryError::Invalid(error) = builder.build().unwrap_err() else { panic!("it is invalid") };
    let problem = &error.problems()[0];
    assert_eq!((problem.code, problem.nearest.as_deref()), (Code::UnknownNamedConfig, Some("slow-api")));
}

#[test]
fn a_locked_instance_keeps_what_code_wrote_and_tells_what_it_ignores() {
    let registry = configured(toml("[instances.a.rate_limiter]\npermits = 1\nmax_wait = '3s'\n"));
    limiter(&registry, "a", |it| it.permits(9).locked());
    let config = registry.rate_limiter("a").unwrap().config();
    assert_eq!((config.permits, config.max_wait), (9, Duration::from_secs(3)));
    let overrides = registry.locked_overrides();
    assert_eq!(overrides.len(), 1);
    assert_eq!(
        (overrides[0].key, overrides[0].value.as_str(), overrides[0].place.as_str()),
        ("permits", "1", "app.toml:2")
    );
    assert_eq!(registry.verify()[0].code, Code::OverrideIgnored);
}

#[test]
fn a_locked_instance_keeps_the_config_that_code_builds_on() {
    let registry = configured(toml(
        "[configs.x.rate_limiter]\npermits = 3\n[configs.y.rate_limiter]\npermits = 4\n[instances.a.rate_limiter]\nconfig = 'y'\n",
    ));
    limiter(&registry, "a", |it| it.base("x").locked());
    assert_eq!(permits(&registry, "a"), 3);
    let [ignored] = &registry.locked_overrides()[..] else { panic!("one is ignored") };
    assert_eq!((ignored.key, ignored.value.as_str(), ignored.place.as_str()), ("config", "y", "app.toml:6"));
    assert_eq!(registry.verify()[0].code, Code::OverrideIgnored);
    // Nothing is ignored where code builds on nothing.
    limiter(&registry, "b", |it| it.permits(9).locked());
    registry.configure(toml("[configs.y.rate_limiter]\npermits = 4\nmax_wait = '1s'\n[instances.b.rate_limiter]\nconfig = 'y'\n[configs.x.rate_limiter]\n")).unwrap();
    let config = registry.rate_limiter("b").unwrap().config();
    assert_eq!((config.permits, config.max_wait), (9, Duration::from_secs(1)));
    assert!(registry.verify().is_empty());
}

#[test]
fn files_count_in_the_order_given_and_the_environment_after_them() {
    let (one, two) =
        ("[instances.a.rate_limiter]\npermits = 1\nmax_wait = '1s'\n", "instances: {a: {rate_limiter: {permits: 2}}}");
    let sources = Sources::new().text("1.toml", Format::Toml, one).text("2.yaml", Format::Yaml, two);
    let registry = configured(sources.clone());
    limiter(&registry, "a", |it| it);
    assert_eq!(permits(&registry, "a"), 2);
    assert_eq!(registry.rate_limiter("a").unwrap().config().max_wait, Duration::from_secs(1));
    registry.configure(sources.variables([("RESILIENCE__INSTANCES__A__RATE_LIMITER__PERMITS", "3")])).unwrap();
    assert_eq!(permits(&registry, "a"), 3);
}

/// Values of one key in the layers, weakest first, against a naive merge.
fn layers() -> impl Strategy<Value = [Option<u32>; 5]> {
    prop::array::uniform5(prop::option::of(1_u32..1_000))
}

proptest! {
    #[test]
    fn precedence_equals_a_naive_merge(permits_of in layers(), period_of in layers()) {
        let key = |name: &str, value: Option<u32>, unit: &str| {
            value.map_or(String::new(), |it| format!("{name} = {}\n", if unit.is_empty() { it.to_string() } else { format!("'{it}{unit}'") }))
        };
        let both = |at: usize| key("permits", permits_of[at], "") + &key("period", period_of[at], "s");
        let text = format!(
            "[defaults.rate_limiter]\n{}[configs.far.rate_limiter]\n{}[configs.near.rate_limiter]\nbase = 'far'\n{}\
             [instances.a.rate_limiter]\nconfig = 'near'\n{}",
            both(0), both(1), both(2), both(4),
        );
        let registry = configured(toml(&text));
        let code = |it: resilience::ratelimiter::Builder| {
            let it = permits_of[3].into_iter().fold(it, resilience::ratelimiter::Builder::permits);
            period_of[3].into_iter().fold(it, |it, seconds| it.period(Duration::from_secs(seconds.into())))
        };
        Pipeline::builder(&registry, "a").rate_limiter(code).build().unwrap();
        let config = registry.rate_limiter("a").unwrap().config();
        let naive = |of: [Option<u32>; 5], default| of.into_iter().flatten().last().unwrap_or(default);
        prop_assert_eq!(config.permits, naive(permits_of, 50));
        prop_assert_eq!(config.period, Duration::from_secs(naive(period_of, 1).into()));
    }
}

/// Law 1: reading the values of a configuration back makes the same configuration.
#[test]
fn every_configuration_survives_its_values() {
    use resilience::{Settings, breaker, bulkhead, ratelimiter, retry, timeout};

    fn survives<S: Settings>(config: S) {
        assert_eq!(S::from_values(&config.values()), Some(config));
    }
    survives(ratelimiter::Config { permits: 7, max_wait: Duration::MAX, ..ratelimiter::Config::default() });
    survives(bulkhead::Config { max_queue: Some(0), ..bulkhead::Config::default() });
    survives(bulkhead::Config::default());
    survives(timeout::Config { enabled: false, ..timeout::Config::default() });
    survives(retry::Config {
        retry_on: [Kind::TIMED_OUT, Kind::FAILED].into(),
        backoff: retry::Backoff::Linear,
        jitter: retry::Jitter::Decorrelated,
        budget_percent: Some(0.7),
        max_duration: Some(Duration::from_nanos(1)),
        ..retry::Config::default()
    });
    survives(retry::Config::default());
    survives(breaker::Config {
        window_type: breaker::WindowType::Time,
        slow_call_duration: Some(Duration::from_secs(1)),
        ignore_on: Kind::BULKHEAD_FULL.into(),
        on_dropped: breaker::OnDropped::Failure,
        ..breaker::Config::default()
    });
    survives(breaker::Config::default());
    _ = registry();
}
