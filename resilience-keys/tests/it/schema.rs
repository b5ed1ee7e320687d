use std::sync::LazyLock;

use jsonschema::Validator;
use resilience_keys::{Default, Key, SECTIONS, Section, Value, ValueKind, parse_duration, schema};
use serde_json::{Value as Json, json};

use crate::durations::{ACCEPTED, REJECTED};

static DOCUMENT: LazyLock<Json> = LazyLock::new(|| serde_json::from_str(&schema()).expect("it is JSON"));
static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
    assert!(jsonschema::draft202012::meta::is_valid(&DOCUMENT));
    jsonschema::draft202012::new(&DOCUMENT).expect("it is a schema")
});

#[track_caller]
fn holds(config: &Json, good: bool) {
    let errors: Vec<_> = VALIDATOR.iter_errors(config).map(|error| error.to_string()).collect();
    assert_eq!(errors.is_empty(), good, "{config}: {errors:?}");
}

fn allows(section: &Section, key: &Key, value: &Json) -> bool {
    VALIDATOR.is_valid(&json!({ "defaults": { section.name: { key.name: value } } }))
}

fn keys() -> impl Iterator<Item = (&'static Section, &'static Key)> {
    SECTIONS.iter().flat_map(|section| section.keys.iter().map(move |key| (*section, key)))
}

#[test]
fn a_configuration_of_every_level_is_valid() {
    holds(&json!({}), true);
    holds(
        &json!({
            "defaults": { "rate_limiter": { "max_wait": "100ms" }, "retry": { "retry_on": ["timed_out", "http_503"] } },
            "configs": {
                "fast": { "rate_limiter": { "permits": 1_000_000_000 } },
                "slow-api": { "rate_limiter": { "base": "fast", "permits": 5, "period": "1m 30s" }, "bulkhead": {} },
            },
            "instances": {
                "geo.coding#v2(&str, ñ)": { "rate_limiter": { "config": "slow-api", "permits": 8, "enabled": false } },
                "": { "circuit_breaker": { "window_type": "time", "failure_rate_threshold": 33.3 } },
            },
        }),
        true,
    );
}

#[test]
fn what_is_misplaced_or_misspelt_is_marked() {
    for config in [
        json!([]),
        json!({ "default": {} }),
        json!({ "defaults": { "ratelimiter": {} } }),
        json!({ "defaults": { "rate_limiter": { "permit": 3 } } }),
        json!({ "defaults": { "rate_limiter": 3 } }),
        json!({ "defaults": { "circuit_breaker": { "max_wait": "1s" } } }),
        json!({ "defaults": { "rate_limiter": { "base": "fast" } } }),
        json!({ "defaults": { "rate_limiter": { "config": "fast" } } }),
        json!({ "configs": { "slow": { "rate_limiter": { "config": "fast" } } } }),
        json!({ "configs": { "slow": { "rate_limiter": { "base": 1 } } } }),
        json!({ "configs": { "slow": { "base": "fast" } } }),
        json!({ "configs": { "rate_limiter": { "permits": 3 } } }),
        json!({ "instances": { "geo": { "rate_limiter": { "base": "fast" } } } }),
        json!({ "instances": { "geo": { "config": "fast" } } }),
        json!({ "instances": { "geo": { "limiter": {} } } }),
    ] {
        holds(&config, false);
    }
}

#[test]
fn a_count_is_allowed_where_the_check_allows_it() {
    for (section, key) in keys() {
        let ValueKind::Count { min, max } = key.value else { continue };
        let (min, max) = (i64::try_from(min).unwrap(), i64::try_from(max).unwrap());
        for count in [-1, 0, 1, min - 1, min, max, max + 1] {
            let checked = key.check_count(count.into()).is_ok();
            assert_eq!(allows(section, key, &json!(count)), checked, "{} = {count}", key.name);
        }
        assert!(!allows(section, key, &json!(3.7)) && !allows(section, key, &json!("3")), "{}", key.name);
    }
}

#[test]
fn a_number_is_allowed_where_the_check_allows_it() {
    for (section, key) in keys() {
        let (ValueKind::Percent | ValueKind::Factor { .. }) = key.value else { continue };
        for number in [-1.0, 0.0, f64::MIN_POSITIVE, 0.5, 0.999, 1.0, 50.0, 100.0, 100.1, 1e300] {
            let checked = key.check_number(number).is_ok();
            assert_eq!(allows(section, key, &json!(number)), checked, "{} = {number}", key.name);
        }
        assert!(allows(section, key, &json!(50)) && !allows(section, key, &json!("50")), "{}", key.name);
    }
}

#[test]
fn words_booleans_and_kinds_are_allowed_as_the_checks_allow_them() {
    for (section, key) in keys() {
        let samples = ["count", "time", "Time", "full", "ignore", "fixed", ""];
        match key.value {
            ValueKind::Word(_) => {
                for word in samples {
                    assert_eq!(allows(section, key, &json!(word)), key.check_word(word).is_ok(), "{word}");
                }
            }
            ValueKind::Bool => {
                assert!(allows(section, key, &json!(true)) && !allows(section, key, &json!("true")));
            }
            ValueKind::Kinds => {
                for name in ["timed_out", "http_503", "", "Time", "a b", "a-b", "größe", "a\n"] {
                    let checked = key.check_kinds([name]).is_ok();
                    assert_eq!(allows(section, key, &json!([name])), checked, "{name:?}");
                }
                assert!(allows(section, key, &json!([])) && !allows(section, key, &json!("timed_out")));
            }
            _ => {}
        }
    }
}

// B58
#[test]
fn the_pattern_of_durations_is_the_grammar() {
    let (limiter, wait, period) = (SECTIONS[0], SECTIONS[0].get("max_wait"), SECTIONS[0].get("period"));
    for (text, duration) in ACCEPTED {
        assert!(allows(limiter, wait, &json!(text)), "{text:?}");
        assert_eq!(allows(limiter, period, &json!(text)), !duration.is_zero(), "{text:?}");
    }
    for (text, ..) in REJECTED {
        assert!(!allows(limiter, wait, &json!(text)), "{text:?}");
        assert!(!allows(limiter, period, &json!(text)), "{text:?}");
    }
    assert!(!allows(limiter, wait, &json!(5)) && !allows(limiter, wait, &json!(0)));
    let units = ["d", "h", "min", "s", "ms", "µs", "ns"];
    for pair in units.windows(2) {
        for (space, good) in [("", true), (" ", true), ("  ", false), ("\t", false)] {
            let text = format!("12{}{space}034{}", pair[0], pair[1]);
            assert_eq!(allows(limiter, wait, &json!(text)), good, "{text:?}");
        }
    }
    let letters = ["0", "7", "d", "h", "m", "s", "n", "u", " ", "."];
    let mut texts = vec![String::new()];
    for _ in 0..4 {
        texts = texts.iter().flat_map(|text| letters.map(|letter| format!("{text}{letter}"))).collect();
        for text in &texts {
            let duration = parse_duration(text).ok();
            assert_eq!(allows(limiter, wait, &json!(text)), duration.is_some(), "{text:?}");
            assert_eq!(allows(limiter, period, &json!(text)), duration.is_some_and(|it| !it.is_zero()), "{text:?}");
        }
    }
}

#[test]
fn every_key_is_described_with_its_default() {
    for (section, key) in keys() {
        let schema = &DOCUMENT["$defs"][format!("{}.{}", section.name, key.name)];
        let description = schema["description"].as_str().unwrap();
        assert!(description.starts_with(key.doc) && description.contains(&key.allowed().to_string()), "{description}");
        assert!(description.ends_with(&format!("Default: {}.", key.default)), "{description}");
        match key.default {
            Default::Value(text) => {
                assert!(allows(section, key, &schema["default"]), "{}", key.name);
                let written = schema["default"].as_str().map_or(schema["default"].to_string(), str::to_owned);
                assert_eq!(written, text, "{}", key.name);
            }
            Default::Derived(_) | Default::Unset => assert_eq!(schema["default"], Json::Null, "{}", key.name),
        }
    }
}

#[test]
fn a_literal_is_json_and_the_schema_allows_it() {
    for (section, key) in keys() {
        for value in [
            Value::Count(50),
            Value::Duration(std::time::Duration::from_millis(1500)),
            Value::Number(33.3),
            Value::Number(1e300),
            Value::Bool(false),
            Value::Word("time"),
            Value::Kinds(vec!["timed_out".to_owned(), "failed".to_owned()]),
        ] {
            let Ok(value) = key.check(value) else { continue };
            let literal: Json = serde_json::from_str(&value.literal().to_string()).expect("it is JSON");
            assert!(allows(section, key, &literal), "{} = {literal}", key.name);
        }
    }
}
