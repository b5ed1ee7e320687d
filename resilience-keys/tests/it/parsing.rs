use std::time::Duration;

use proptest::prelude::*;
use resilience_keys::{BULKHEAD, CIRCUIT_BREAKER, Code, Key, RATE_LIMITER, RETRY, SECTIONS, Value, ValueKind};

#[track_caller]
fn refused(key: &Key, code: Code, texts: &[&str]) {
    for text in texts {
        let problem = key.parse(text).expect_err(text);
        let shown = if text.is_empty() { "\"\"" } else { text };
        assert_eq!((problem.code, &*problem.value), (code, shown), "{} = {text:?}", key.name);
    }
}

// B53
#[test]
fn counts_are_never_clamped_or_wrapped() {
    let permits = RATE_LIMITER.get("permits");
    refused(permits, Code::OutOfRange, &["10_000_000_000", "10000000000", "1_000_000_001", "4294967297"]);
    let huge = "9".repeat(100);
    refused(permits, Code::OutOfRange, &["340282366920938463463374607431768211457", &huge]);
    refused(permits, Code::CountBelowOne, &["-1", "0", "-0", "-10_000", &format!("-{huge}")]);
    refused(permits, Code::OutOfRange, &["3.7", "true", "", "3.0", "1e3", "ten", "0x10", "NaN"]);
    for (text, count) in [("1", 1), ("50", 50), ("1_000", 1000), ("1_0", 10), ("1_000_000_000", 1_000_000_000)] {
        assert_eq!(permits.parse(text), Ok(Value::Count(count)));
    }
    refused(RETRY.get("max_attempts"), Code::CountBelowOne, &["0"]);
    refused(BULKHEAD.get("max_concurrent"), Code::OutOfRange, &["2147483648", "18446744073709551616"]);
    assert_eq!(BULKHEAD.get("max_queue").parse("0"), Ok(Value::Count(0)));
    refused(BULKHEAD.get("max_queue"), Code::OutOfRange, &["-1"]);
}

#[test]
fn a_count_is_digits_with_single_underscores_between() {
    let signs_and_spaces = ["+5", " 5", "5 ", "5\n", "- 5", "--5", "-", "_5", "5_", "5__0", "_", "1,000", "1 000"];
    refused(RATE_LIMITER.get("permits"), Code::OutOfRange, &signs_and_spaces);
    refused(RATE_LIMITER.get("permits"), Code::OutOfRange, &["05", "00", "0_1", "５", "٣", "5s", "\u{feff}5"]);
}

// B53
#[test]
fn percentages_are_plain_decimal_numbers_in_their_range() {
    let rate = CIRCUIT_BREAKER.get("failure_rate_threshold");
    refused(rate, Code::BadPercentage, &["150", "-1", "NaN", "0", "0.0", "-0.5", "100.1", "nan", "inf", "-inf"]);
    refused(
        rate,
        Code::BadPercentage,
        &["", "1e1", "1E1", ".5", "5.", "5.5.5", "5,5", "+5", " 5", "50%", "05", "0.5_0"],
    );
    refused(rate, Code::BadPercentage, &["1.-5", "1.+5", "1. 5", "true", &"9".repeat(400)]);
    for (text, number) in [("100", 100.0), ("99.5", 99.5), ("0.001", 0.001), ("33.30", 33.3), ("100.0", 100.0)] {
        assert_eq!(rate.parse(text), Ok(Value::Number(number)));
    }
    let factor = RETRY.get("multiplier");
    refused(factor, Code::BadPercentage, &["0.999", "-2", "inf", "1e3", &"9".repeat(400)]);
    assert_eq!(factor.parse("1_000.25"), Ok(Value::Number(1000.25)));
    refused(RETRY.get("budget_percent"), Code::BadBudget, &["0", "101", "many"]);
}

#[test]
fn a_boolean_is_true_or_false() {
    let enabled = RATE_LIMITER.get("enabled");
    assert_eq!(enabled.parse("true"), Ok(Value::Bool(true)));
    assert_eq!(enabled.parse("false"), Ok(Value::Bool(false)));
    refused(enabled, Code::NotABoolean, &["", "True", "TRUE", "yes", "no", "on", "off", "1", "0", " true", "t"]);
}

#[test]
fn a_word_is_one_of_the_table() {
    let jitter = RETRY.get("jitter");
    assert_eq!(jitter.parse("equal"), Ok(Value::Word("equal")));
    refused(jitter, Code::UnknownWord, &["", "Equal", " equal", "equal,full", "fulll"]);
    assert_eq!(jitter.parse("fulll").unwrap_err().nearest.as_deref(), Some("full"));
}

#[test]
fn kinds_are_names_with_commas_between() {
    let kinds = |names: &[&str]| Ok(Value::Kinds(names.iter().map(ToString::to_string).collect()));
    let retry_on = RETRY.get("retry_on");
    for (text, names) in [
        ("timed_out", &["timed_out"] as &[_]),
        ("timed_out,failed", &["timed_out", "failed"]),
        (" timed_out ,  http_503", &["timed_out", "http_503"]),
        ("b,a,b", &["b", "a", "b"]),
        ("[]", &[]),
    ] {
        assert_eq!(retry_on.parse(text), kinds(names), "{text:?}");
    }
    for (text, name) in [
        ("", "\"\""),
        (" ", "\"\""),
        ("a,", "\"\""),
        (",a", "\"\""),
        ("a,,b", "\"\""),
        ("good, timed-out, b", "timed-out"),
        ("Failed", "Failed"),
        ("a b", "a b"),
        ("a\tb", "a\tb"),
        ("a\t,b", "a\t"),
        ("größe", "größe"),
        ("[a]", "[a]"),
    ] {
        let problem = retry_on.parse(text).unwrap_err();
        assert_eq!((problem.code, &*problem.value), (Code::UnknownWord, name), "{text:?}");
    }
}

#[test]
fn a_typed_value_is_checked_like_a_text() {
    let permits = RATE_LIMITER.get("permits");
    assert_eq!(permits.check(Value::Count(5)), Ok(Value::Count(5)));
    assert_eq!(permits.check(Value::Count(0)).unwrap_err().code, Code::CountBelowOne);
    assert_eq!(permits.check(Value::Number(5.0)).unwrap_err(), permits.wrong_type("5"));
    let rate = CIRCUIT_BREAKER.get("failure_rate_threshold");
    assert_eq!(rate.check(Value::Count(50)), Ok(Value::Number(50.0)), "TOML has 50 as a whole number");
    assert_eq!(rate.check(Value::Count(101)).unwrap_err().code, Code::BadPercentage);
    let period = RATE_LIMITER.get("period");
    assert_eq!(period.check(Value::Duration(Duration::ZERO)).unwrap_err().code, Code::ZeroDuration);
    // B58: a whole number is no duration.
    assert_eq!(period.check(Value::Count(5)).unwrap_err(), period.wrong_type(5));
    assert_eq!(RETRY.get("jitter").check(Value::Word("tiem")).unwrap_err().code, Code::UnknownWord);
    let spaced = Value::Kinds(vec!["a".into(), "b c".into()]);
    assert_eq!(&*RETRY.get("retry_on").check(spaced).unwrap_err().value, "b c");
    assert_eq!(RETRY.get("retry_on").check(Value::Kinds(Vec::new())), Ok(Value::Kinds(Vec::new())));
}

fn samples() -> [Value; 6] {
    [
        Value::Count(7),
        Value::Duration(Duration::from_secs(7)),
        Value::Number(7.5),
        Value::Bool(true),
        Value::Word("time"),
        Value::Kinds(vec!["a".to_owned()]),
    ]
}

#[test]
fn a_value_of_another_type_is_refused_by_every_key() {
    let fits = |key: &Key, value: &Value| {
        use ValueKind as K;
        match (key.value, value) {
            (K::Count { .. } | K::Factor { .. } | K::Percent, Value::Count(_))
            | (K::Factor { .. } | K::Percent, Value::Number(_))
            | (K::Duration { .. }, Value::Duration(_))
            | (K::Bool, Value::Bool(_))
            | (K::Kinds, Value::Kinds(_)) => true,
            (K::Word(words), Value::Word(word)) => words.contains(word),
            _ => false,
        }
    };
    for key in SECTIONS.iter().flat_map(|section| section.keys) {
        for value in samples() {
            assert_eq!(key.check(value.clone()).is_ok(), fits(key, &value), "{} = {value}", key.name);
        }
    }
}

#[test]
fn a_value_is_written_for_files_in_the_form_that_all_formats_share() {
    for (value, literal) in [
        (Value::Count(1_000_000), "1000000"),
        (Value::Duration(Duration::from_secs(90)), "\"1m30s\""),
        (Value::Number(50.0), "50"),
        (Value::Number(33.3), "33.3"),
        (Value::Number(1e300), "1e300"),
        (Value::Number(0.000_000_1), "0.0000001"),
        (Value::Bool(false), "false"),
        (Value::Word("time"), "\"time\""),
        (Value::Kinds(Vec::new()), "[]"),
        (Value::Kinds(vec!["a".to_owned(), "b".to_owned()]), "[\"a\", \"b\"]"),
    ] {
        assert_eq!(value.literal().to_string(), literal);
    }
}

/// Some value that the key allows.
fn allowed(key: &'static Key) -> BoxedStrategy<Value> {
    match key.value {
        ValueKind::Count { min, max } => (min..=max).prop_map(Value::Count).boxed(),
        ValueKind::Duration { max, .. } => (0..=max.as_secs(), 1..1_000_000_000_u32)
            .prop_map(move |(seconds, nanos)| Value::Duration(Duration::new(seconds, nanos).min(max)))
            .boxed(),
        ValueKind::Percent => (f64::MIN_POSITIVE..=100.0).prop_map(Value::Number).boxed(),
        ValueKind::Factor { min } => (min..=f64::MAX).prop_map(Value::Number).boxed(),
        ValueKind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        ValueKind::Word(words) => proptest::sample::select(words).prop_map(Value::Word).boxed(),
        ValueKind::Kinds => proptest::collection::vec("[a-z0-9_]{1,9}", 0..5).prop_map(Value::Kinds).boxed(),
    }
}

fn key() -> impl Strategy<Value = &'static Key> {
    let keys: Vec<&Key> = SECTIONS.iter().flat_map(|section| section.keys).collect();
    proptest::sample::select(keys)
}

proptest! {
    #[test]
    fn every_allowed_value_is_written_so_that_its_key_reads_it_back(
        (key, value) in key().prop_flat_map(|key| (Just(key), allowed(key))),
    ) {
        prop_assert_eq!(key.check(value.clone()), Ok(value.clone()));
        prop_assert_eq!(key.parse(&value.to_string()), Ok(value));
    }

    #[test]
    fn any_text_is_read_or_refused_by_any_key(key in key(), text in "\\PC*|[0-9._-]{0,8}") {
        if let Ok(value) = key.parse(&text) {
            prop_assert_eq!(key.parse(&value.to_string()), Ok(value));
        }
    }

    #[test]
    fn counts_are_read_as_digits_are(text in "-?[0-9_]{0,12}") {
        let plain = text.replace('_', "").parse::<i128>().ok();
        let strict = plain.filter(|_| {
            let digits = text.trim_start_matches('-');
            !digits.starts_with('_') && !digits.ends_with('_') && !text.contains("__")
                && (digits == "0" || !digits.starts_with('0'))
        });
        let key = BULKHEAD.get("max_queue");
        let read = strict.and_then(|count| key.check_count(count).ok());
        prop_assert_eq!(key.parse(&text).ok(), read.map(Value::Count));
    }
}
