//! Cases from the field.

use std::time::Duration;

use resilience::{
    Code,
    breaker::State,
    config::{Format, Sources},
    prelude::*,
};

use crate::{configured, limiter, permits, problems, registry, toml};

fn env(name: &str, value: &str) -> Sources {
    Sources::new().variables([(name, value)])
}

/// B08
#[test]
fn a_reload_that_changes_nothing_refills_no_bucket() {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).build();
    let text = "[instances.a.rate_limiter]\npermits = 10\n[instances.a.circuit_breaker]\nwindow_size = 10\n\
                minimum_calls = 5\nwait_in_open = '1s'\n[instances.a.bulkhead]\nmax_concurrent = 3\n";
    registry.configure(toml(text)).unwrap();
    let builder = Pipeline::builder(&registry, "a").rate_limiter(|it| it).circuit_breaker(|it| it).bulkhead(|it| it);
    builder.build().unwrap();
    let (limiter, breaker) = (registry.rate_limiter("a").unwrap(), registry.circuit_breaker("a").unwrap());
    let bulkhead = registry.bulkhead("a").unwrap();
    let _held = bulkhead.try_enter().unwrap();
    limiter.try_acquire_n(10).unwrap();
    for _ in 0..5 {
        breaker.try_acquire().unwrap().failure();
    }
    clock.advance(Duration::from_millis(100));
    limiter.try_acquire().unwrap();
    clock.advance(Duration::from_millis(500));
    limiter.try_acquire_n(5).unwrap();
    for n in 0..100 {
        // Another instance's section changes, and ours does not.
        let other = format!("{text}[instances.other.rate_limiter]\npermits = {}\n", n + 1);
        assert!(registry.configure(toml(&other)).unwrap().changes.is_empty());
        assert!(registry.reload().unwrap().changes.is_empty());
    }
    assert!(limiter.try_acquire().is_err());
    assert_eq!((breaker.state(), breaker.snapshot().open_for), (State::Open, Some(Duration::from_millis(400))));
    assert_eq!(bulkhead.snapshot().in_use, 1);
    clock.advance(Duration::from_millis(100));
    assert!(limiter.try_acquire().is_ok() && limiter.try_acquire().is_err());
}

/// B49
#[test]
fn a_variable_sets_a_key_of_an_instance_whose_id_it_cannot_spell() {
    let registry = configured(env("RESILIENCE__INSTANCES__GEO_CODING__RATE_LIMITER__MAX_WAIT", "250ms"));
    limiter(&registry, "geo-coding", |it| it);
    assert_eq!(registry.rate_limiter("geo-coding").unwrap().config().max_wait, Duration::from_millis(250));

    let other = Pipeline::builder(&registry, "geo_coding").rate_limiter(|it| it).build().unwrap();
    drop(other); // only one of the two is in the files, and neither was there when the variable was read
}

/// B49
#[test]
fn a_variable_that_means_two_ids_is_an_error_that_names_both() {
    let both = "[instances.geo-coding.rate_limiter]\npermits = 1\n[instances.geo_coding.rate_limiter]\npermits = 2\n";
    let variable = ("RESILIENCE__INSTANCES__GEO_CODING__RATE_LIMITER__MAX_WAIT", "1s");
    let problems = problems(registry().configure(toml(both).variables([variable])));
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("geo-coding, geo_coding") && problems[0].contains("R4C-CFG-005"), "{problems:?}");
}

/// B49
#[test]
fn what_a_variable_may_be() {
    let single = env("RESILIENCE_INSTANCES_GEO_CODING_RATE_LIMITER_MAX_WAIT", "1s");
    let warnings = registry().configure(single).unwrap().warnings;
    assert_eq!(warnings[0].nearest.as_deref(), Some("RESILIENCE__INSTANCES__GEO_CODING__RATE_LIMITER__MAX_WAIT"));

    let permits_of_a = "RESILIENCE__INSTANCES__A__RATE_LIMITER__PERMITS";
    let empty = configured(env(permits_of_a, ""));
    limiter(&empty, "a", |it| it);
    assert_eq!(permits(&empty, "a"), 50, "as if unset");

    let problems = problems(registry().configure(env(permits_of_a, "abc")));
    assert!(problems[0].contains(permits_of_a) && problems[0].contains("abc"), "{problems:?}");
    assert!(registry().configure(env("FOREIGN__INSTANCES__A__X", "abc")).unwrap().warnings.is_empty());
}

/// B49
#[test]
fn the_environment_beats_the_file_beats_code() {
    let registry = configured(toml("[instances.a.rate_limiter]\npermits = 2\n"));
    limiter(&registry, "a", |it| it.permits(1));
    limiter(&registry, "b", |it| it.permits(1));
    assert_eq!((permits(&registry, "a"), permits(&registry, "b")), (2, 1));
    let variable = ("RESILIENCE__INSTANCES__A__RATE_LIMITER__PERMITS", "3");
    registry.configure(toml("[instances.a.rate_limiter]\npermits = 2\n").variables([variable])).unwrap();
    assert_eq!((permits(&registry, "a"), permits(&registry, "b")), (3, 1));
}

/// B52
#[test]
fn all_mistakes_are_told_at_once_with_place_path_and_the_nearest_name() {
    let text = "[instances.geocoding.rate_limiter]\npermit = 3\n\n[instances.geocoding.circuit_breaker]\nmax_wait = '1s'\n\n\
                [configs.fast.rate_limiter]\npermits = 5\n\n[instances.search.rate_limiter]\nconfig = 'fsat'\n";
    let problems = problems(registry().configure(toml(text)));
    let all = problems.join("\n");
    assert!(all.contains("app.toml:2: `instances.geocoding.rate_limiter.permit`: unknown key"), "{all}");
    assert!(all.contains("did you mean `permits`? (R4C-CFG-001)"), "{all}");
    assert!(all.contains("app.toml:5: `instances.geocoding.circuit_breaker.max_wait`: unknown key"), "{all}");
    assert!(all.contains("app.toml:11:") && all.contains("did you mean `fast`? (R4C-REG-004)"), "{all}");
    assert_eq!(problems.len(), 3, "{all}");
}

/// B52
#[test]
fn an_id_that_no_code_uses_is_a_warning() {
    let registry = configured(toml("[instances.nobody.rate_limiter]\npermits = 3\n"));
    let warnings = registry.verify();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].to_string().starts_with("app.toml:2: `instances.nobody`"), "{}", warnings[0]);
    limiter(&registry, "nobody", |it| it);
    assert!(registry.verify().is_empty());
}

/// B53
#[test]
fn numbers_out_of_range_are_refused_in_files_and_variables_alike() {
    let cases = [
        ("rate_limiter", "permits", &["10_000_000_000", "-1", "0", "3.7", "true", "''", "'10'"][..]),
        ("circuit_breaker", "failure_rate_threshold", &["150", "-1", "nan", "0", "'50'"]),
        ("retry", "max_attempts", &["0", "-1"]),
        ("bulkhead", "max_concurrent", &["2147483648", "0"]),
        ("timeout", "timeout", &["'0'", "5", "'-1s'"]),
    ];
    for (policy, key, values) in cases {
        for value in values {
            let problems = problems(registry().configure(toml(&format!("[instances.a.{policy}]\n{key} = {value}\n"))));
            assert_eq!(problems.len(), 1, "{policy}.{key} = {value}: {problems:?}");
            assert!(
                problems[0].starts_with("app.toml:2: `instances.a.") && problems[0].contains("allowed: "),
                "{problems:?}"
            );
            let text = value.trim_matches('\'');
            if text.is_empty() || *value == "'10'" || *value == "'50'" {
                continue; // unset, and a number: a variable has no quotes
            }
            let variable = format!("RESILIENCE__INSTANCES__A__{}__{}", policy.to_uppercase(), key.to_uppercase());
            assert!(registry().configure(env(&variable, text)).is_err(), "{variable}={text}");
        }
    }
    let good = "[instances.a.circuit_breaker]\nfailure_rate_threshold = 100\n";
    assert!(registry().configure(toml(good)).is_ok());
}

/// B53
#[test]
fn booleans_and_words_are_what_they_are_called() {
    for (line, code) in
        [("enabled = 'yes'", "R4C-ATR-006"), ("enabled = 1", "R4C-ATR-006"), ("jitter = 'ful'", "R4C-ATR-011")]
    {
        let problems = problems(registry().configure(toml(&format!("[defaults.retry]\n{line}\n"))));
        assert!(problems.len() == 1 && problems[0].contains(code), "{problems:?}");
    }
}

/// B55
#[test]
fn a_reload_is_all_or_nothing_and_the_last_good_configuration_stays() {
    let registry = configured(toml("[instances.a.rate_limiter]\npermits = 5\n"));
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = std::sync::Arc::clone(&heard);
    let _listening = registry.events().subscribe(move |event| {
        if event.policy == "config" {
            list.lock().unwrap().push(event.payload.to_string());
        }
    });
    let builder = Pipeline::builder(&registry, "a").rate_limiter(|it| it).circuit_breaker(|it| it);
    builder.build().unwrap();

    let half = "[instances.a.rate_limiter]\npermits = 6\n[instances.a.circuit_breaker]\nfailure_rate_threshold = 500\n";
    let error = registry.configure(toml(half)).unwrap_err();
    assert_eq!(error.code(), Code::ReloadRefused);
    assert_eq!(permits(&registry, "a"), 5);
    assert!(registry.configure(toml("[instances.a.rate_limiter\npermits = 6")).is_err(), "broken TOML");
    assert_eq!((permits(&registry, "a"), heard.lock().unwrap().len()), (5, 2));
    assert!(heard.lock().unwrap()[0].contains("failure_rate_threshold = 500"));

    let fixed = half.replace("500", "60");
    let changes = registry.configure(toml(&fixed)).unwrap().changes;
    let shown: Vec<_> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "circuit_breaker `a`: failure_rate_threshold 50 -> 60 (app.toml:4)",
            "rate_limiter `a`: permits 5 -> 6 (app.toml:2)"
        ]
    );
    assert!(registry.circuit_breaker("a").unwrap().config().failure_rate_threshold > 59.0);
    assert_eq!((registry.reloads().applied, registry.reloads().refused), (2, 2));
}

/// B55
#[test]
fn the_environment_holds_when_the_file_changes() {
    let variable = [("RESILIENCE__INSTANCES__A__RATE_LIMITER__PERMITS", "7")];
    let registry = configured(toml("[instances.a.rate_limiter]\npermits = 5\n").variables(variable));
    limiter(&registry, "a", |it| it);
    registry.configure(toml("[instances.a.rate_limiter]\npermits = 6\n").variables(variable)).unwrap();
    assert_eq!(permits(&registry, "a"), 7);
}

/// B55
#[test]
fn two_reloads_that_race_end_at_one_of_them_everywhere() {
    for round in 0..50 {
        let registry = registry();
        for id in ["a", "b", "c", "d"] {
            limiter(&registry, id, |it| it);
        }
        let text = |permits: u32| toml(&format!("[defaults.rate_limiter]\npermits = {permits}\n"));
        std::thread::scope(|scope| {
            for permits in [6, 8] {
                let registry = &registry;
                scope.spawn(move || registry.configure(text(permits)).unwrap());
            }
            // And one that is created meanwhile.
            scope.spawn(|| limiter(&registry, "e", |it| it));
        });
        let all = ["a", "b", "c", "d", "e"].map(|id| permits(&registry, id));
        assert!(all == [6; 5] || all == [8; 5], "round {round}: {all:?}");
    }
}

/// B58
#[test]
fn durations_have_one_grammar_in_files_and_variables() {
    let good =
        [("0", 0), ("0s", 0), ("1s", 1_000), ("500ms", 500), ("1m", 60_000), ("1m30s", 90_000), ("1m 30s", 90_000)];
    for (text, millis) in good {
        for sources in [
            toml(&format!("[instances.a.rate_limiter]\nmax_wait = '{text}'\n")),
            env("RESILIENCE__INSTANCES__A__RATE_LIMITER__MAX_WAIT", text),
        ] {
            let registry = configured(sources);
            limiter(&registry, "a", |it| it);
            assert_eq!(registry.rate_limiter("a").unwrap().config().max_wait, Duration::from_millis(millis), "{text}");
        }
    }
    for text in [
        " ", "5", "-1s", "1 2s", "1. 5s", "1e3s", "PT1S", "1M", "1S", "1m1m", "s", "1s,", "1 s", " 1s ", "1.5s",
        "30s1m",
    ] {
        assert!(
            registry().configure(toml(&format!("[instances.a.rate_limiter]\nmax_wait = '{text}'\n"))).is_err(),
            "{text}"
        );
        assert!(registry().configure(env("RESILIENCE__INSTANCES__A__RATE_LIMITER__MAX_WAIT", text)).is_err(), "{text}");
    }
    assert!(registry().configure(toml("[instances.a.rate_limiter]\nmax_wait = 5\n")).is_err());
    let json =
        Sources::new().text("a.json", Format::Json, r#"{"instances": {"a": {"rate_limiter": {"max_wait": 5}}}}"#);
    assert!(problems(registry().configure(json))[0].contains("R4C-ATR-001"));
}
