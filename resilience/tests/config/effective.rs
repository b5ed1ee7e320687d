//! The configuration in force, printed back.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use proptest::{collection::btree_map, prelude::*, sample};
use resilience::{
    config::{Format, Origin, Sources},
    keys::{Key, SECTIONS, Section, Value, ValueKind},
    prelude::*,
    ratelimiter,
};

use crate::{configured, limiter, registry, toml};

#[test]
fn each_value_is_printed_with_where_it_came_from() {
    let file = "[defaults.rate_limiter]\nmax_wait = '100ms'\n[configs.slow.rate_limiter]\nperiod = '1m30s'\n\
                [instances.\"a b\".rate_limiter]\nconfig = 'slow'\n";
    let variable = ("RESILIENCE__INSTANCES__A_B__RATE_LIMITER__ENABLED", "false");
    let registry = configured(toml(file).variables([variable]));
    Pipeline::builder(&registry, "a b").rate_limiter(|it| it.permits(8)).bulkhead(|it| it).build().unwrap();
    Pipeline::builder(&registry, "B").retry(|it| it.retry_on([Kind::TIMED_OUT])).build().unwrap();
    let text = registry.config().to_toml();
    let expected = "\
[instances.B.retry]
max_attempts = 3  # default
delay = \"100ms\"  # default
backoff = \"exponential\"  # default
multiplier = 2  # default
max_delay = \"30s\"  # default
jitter = \"full\"  # default
retry_on = [\"timed_out\"]  # code
abort_on = []  # default
budget_min_per_second = 1  # default
budget_window = \"10s\"  # default
enabled = true  # default

[instances.\"a b\".rate_limiter]
permits = 8  # code
period = \"1m30s\"  # app.toml:4
max_wait = \"100ms\"  # app.toml:2
enabled = false  # environment variable RESILIENCE__INSTANCES__A_B__RATE_LIMITER__ENABLED

[instances.\"a b\".bulkhead]
max_concurrent = 25  # default
max_wait = \"0s\"  # default
enabled = true  # default
";
    assert_eq!(text, expected);
}

#[test]
fn without_sources_code_and_the_defaults_are_printed() {
    let registry = registry();
    limiter(&registry, "a", |it| it.permits(50));
    let config = registry.config();
    let origins: Vec<_> = config.entries().iter().map(|it| (it.key, it.value.to_string(), it.origin.clone())).collect();
    assert_eq!(origins[0], ("permits", "50".to_owned(), Origin::Code), "as by default, and yet written");
    assert_eq!(origins[1], ("period", "1s".to_owned(), Origin::Default));
}

#[test]
fn what_code_changed_by_hand_is_code_s_and_the_next_reload_takes_it_back() {
    let registry = configured(toml("[instances.a.rate_limiter]\npermits = 8\n"));
    limiter(&registry, "a", |it| it);
    let handle = registry.rate_limiter("a").unwrap();
    handle.reconfigure(ratelimiter::Config { permits: 9, ..handle.config() }).unwrap();
    assert!(registry.config().to_toml().contains("permits = 9  # code\n"));
    registry.reload().unwrap();
    assert!(registry.config().to_toml().contains("permits = 8  # app.toml:2\n"));
}

#[test]
fn a_locked_instance_shows_what_holds() {
    let registry = configured(toml("[instances.a.rate_limiter]\npermits = 8\nmax_wait = '1s'\n"));
    limiter(&registry, "a", |it| it.permits(9).locked());
    let text = registry.config().to_toml();
    assert!(text.contains("permits = 9  # code\n") && text.contains("max_wait = \"1s\"  # app.toml:3\n"), "{text}");
}

/// In the middle of a reload a value may be shown as if code had set it, but never with somebody else's place.
#[test]
fn a_value_is_never_shown_with_the_place_of_another() {
    let text = |n: u32| format!("[instances.a.rate_limiter]\npermits = {n}\n");
    let named = |n: u32| Sources::new().text(n.to_string(), Format::Toml, text(n));
    let registry = configured(named(1));
    limiter(&registry, "a", |it| it);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let config = registry.config();
                let permits = &config.entries()[0];
                match &permits.origin {
                    Origin::Source(place) => assert_eq!(*place, format!("{}:2", permits.value)),
                    origin => assert_eq!(*origin, Origin::Code),
                }
            }
        });
        for n in 0..2_000 {
            registry.configure(named(1 + n % 2)).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// A value that the key takes.
fn value(key: &'static Key) -> BoxedStrategy<Value> {
    match key.value {
        ValueKind::Count { min, max } => (min..=max.min(2_000)).prop_map(Value::Count).boxed(),
        ValueKind::Duration { zero, max } => {
            let least = u64::from(!zero);
            let nanos = prop_oneof![least..10_000_000_000, least..=u64::MAX];
            nanos.prop_map(move |it| Value::Duration(Duration::from_nanos(it).min(max))).boxed()
        }
        ValueKind::Percent => (0.0..=100.0_f64).prop_map(|it| Value::Number(if it > 0.0 { it } else { 1.0 })).boxed(),
        ValueKind::Factor { min } => (min..1e18).prop_map(Value::Number).boxed(),
        ValueKind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        ValueKind::Word(words) => sample::select(words).prop_map(Value::Word).boxed(),
        ValueKind::Kinds => {
            let names = ["timed_out", "failed", "panicked", "bulkhead_full"].map(str::to_owned).to_vec();
            sample::subsequence(names, 0..=4).prop_map(Value::Kinds).boxed()
        }
    }
}

/// Lines of some of the section's keys.
fn lines(section: &'static Section) -> impl Strategy<Value = String> {
    let line = |key: &'static Key| {
        let line = value(key).prop_map(move |value| format!("{} = {}\n", key.name, value.literal()));
        prop::option::weighted(0.2, line)
    };
    let lines: Vec<_> = section.keys.iter().map(line).collect();
    lines.prop_map(|lines| lines.into_iter().flatten().collect())
}

/// Tables under this header, for some sections.
fn tables(around: &str) -> impl Strategy<Value = String> + use<> {
    let table = |section: &'static Section| {
        let header = format!("[{around}.{}]\n", section.name);
        lines(section).prop_map(move |lines| header.clone() + &lines)
    };
    SECTIONS.iter().copied().map(table).collect::<Vec<_>>().prop_map(|tables| tables.concat())
}

/// A name in quotes, each letter of it escaped.
fn quoted(name: &str) -> String {
    let escaped: Vec<_> = name.chars().map(|letter| format!("\\U{:08X}", u32::from(letter))).collect();
    format!("\"{}\"", escaped.concat())
}

/// Names of instances, and a text about them.
fn configuration() -> impl Strategy<Value = (Vec<String>, String)> {
    let name = prop_oneof!["[a-z.]{0,3}", any::<String>()];
    let instances = btree_map(name, any::<bool>(), 1..4).prop_flat_map(|names| {
        let tables: Vec<_> = names.keys().map(|name| tables(&format!("instances.{}", quoted(name)))).collect();
        (Just(names.into_keys().collect::<Vec<_>>()), tables)
    });
    (tables("defaults"), instances).prop_map(|(defaults, (names, tables))| (names, defaults + &tables.concat()))
}

/// A registry with these instances, and nothing about them in code; `None` if two values contradict each other.
fn load(names: &[String], text: &str) -> Option<Registry> {
    let registry = registry();
    for name in names {
        let builder = Pipeline::builder(&registry, name).retry(|it| it).circuit_breaker(|it| it).rate_limiter(|it| it);
        builder.timeout(|it| it).bulkhead(|it| it).build().expect("the defaults are valid");
    }
    registry.configure(toml(text)).ok()?;
    Some(registry)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law 2: load(print(load(text))) = load(text)
    #[test]
    fn what_is_printed_loads_as_what_it_was((names, text) in configuration()) {
        let Some(first) = load(&names, &text) else { return Err(TestCaseError::reject("a contradiction")) };
        let printed = first.config().to_toml();
        let Some(second) = load(&names, &printed) else { panic!("refused:\n{printed}") };
        let values = |of: &Registry| {
            let config = of.config();
            let entry = |it: &resilience::config::Entry| (it.instance, it.kind, it.key, it.value.clone());
            config.entries().iter().map(entry).collect::<Vec<_>>()
        };
        prop_assert_eq!(values(&first), values(&second));
        prop_assert!(second.verify().is_empty(), "every id is read as it is");
        // Once more, and on top of itself, it changes nothing.
        let sources = Sources::new().text("app.toml", Format::Toml, &printed);
        prop_assert!(first.configure(sources).unwrap().changes.is_empty());
        prop_assert_eq!(first.config().to_toml(), second.config().to_toml());
    }
}
