use std::time::Duration;

use resilience_keys::{CIRCUIT_BREAKER, Code, Problem, RATE_LIMITER, RETRY, nearest};

#[track_caller]
fn reads(problem: impl Into<Problem>, text: &str) {
    assert_eq!(problem.into().to_string(), text);
}

#[test]
fn a_problem_says_all_there_is_to_know_on_one_line() {
    let permits = RATE_LIMITER.get("permits");
    reads(
        permits.check_count(10_000_000_000).unwrap_err(),
        "`permits = 10000000000`: a value of the wrong type or out of range; \
         allowed: 1 to 1_000_000_000 (R4C-CFG-002)",
    );
    reads(
        permits.wrong_type("3.7").at("rate_limiter").at("instances.\"a.b\"").in_file("app.toml", 7),
        "app.toml:7: `instances.\"a.b\".rate_limiter.permits = 3.7`: \
         a value of the wrong type or out of range; \
         allowed: a whole number, 1 to 1_000_000_000 (R4C-CFG-002)",
    );
    reads(
        permits.wrong_type("").found_in("RESILIENCE__DEFAULTS__RATE_LIMITER__PERMITS"),
        "RESILIENCE__DEFAULTS__RATE_LIMITER__PERMITS: `permits = \"\"`: \
         a value of the wrong type or out of range; \
         allowed: a whole number, 1 to 1_000_000_000 (R4C-CFG-002)",
    );
    reads(
        RATE_LIMITER.get("period").check_duration(Duration::ZERO).unwrap_err(),
        "`period = 0`: a zero duration where none is allowed; \
         allowed: more than 0, at most 100 years (R4C-ATR-002)",
    );
    reads(
        RATE_LIMITER.get("period").wrong_type("PT1S"),
        "`period = PT1S`: not a valid duration; \
         allowed: a duration with its unit, such as 1m30s, more than 0, at most 100 years (R4C-ATR-001)",
    );
    reads(
        CIRCUIT_BREAKER.get("failure_rate_threshold").check_number(f64::NAN).unwrap_err(),
        "`failure_rate_threshold = NaN`: a percentage or factor outside its range, \
         or not a number; allowed: more than 0, at most 100 (R4C-ATR-004)",
    );
    reads(
        RETRY.get("jitter").check_word("ful").unwrap_err(),
        "`jitter = ful`: an unknown kind or word; \
         allowed: none, full, equal, decorrelated; did you mean `full`? (R4C-ATR-011)",
    );
    reads(
        RATE_LIMITER.get("enabled").wrong_type("yes"),
        "`enabled = yes`: not a boolean; allowed: true or false (R4C-ATR-006)",
    );
    reads(
        Problem::contradiction(RETRY.get("max_delay"), "1s", RETRY.get("delay"), "at least `delay` (2s)"),
        "`max_delay = 1s`: two values that contradict each other; \
         allowed: at least `delay` (2s) (R4C-ATR-005)",
    );
}

#[test]
fn an_unknown_key_is_named_with_those_there_are() {
    reads(
        Problem::unknown_key(&RATE_LIMITER, "burst"),
        "`burst`: unknown key; allowed: permits, period, max_wait, enabled (R4C-CFG-001)",
    );
    reads(
        Problem::new(Code::UnreadableSource, "app.toml", "", ""),
        "`app.toml`: a source that cannot be read or parsed (R4C-CFG-003)",
    );
}

#[test]
fn what_one_cannot_see_is_escaped() {
    reads(
        Problem::unknown_key(&RATE_LIMITER, "per\u{200b}mits\n").found_in("C:\\app\n.toml"),
        "C:\\app\\n.toml: `per\\u{200b}mits\\n`: unknown key; \
         allowed: permits, period, max_wait, enabled; did you mean `permits`? (R4C-CFG-001)",
    );
}

#[test]
fn durations_read_as_one_would_say_them() {
    let value = |nanos| {
        let period = RATE_LIMITER.get("period");
        let century = Duration::from_secs(3_155_760_000);
        period.check_duration(century + Duration::from_nanos(nanos)).unwrap_err().value
    };
    assert_eq!(&*value(1), "36525d1ns");
    assert_eq!(&*value(31_557_600_000_000_000), "101 years");
    assert_eq!(&*value(31_557_600_000_000_001), "36890d6h1ns");
}

#[test]
fn the_nearest_name_is_the_one_that_was_meant() {
    let known = || RATE_LIMITER.keys.iter().chain(CIRCUIT_BREAKER.keys).map(|key| key.name);
    for (name, meant) in [
        ("permit", Some("permits")),
        ("permits", Some("permits")),
        ("PERMITS", Some("permits")),
        ("pemrits", Some("permits")),
        ("max-wait", Some("max_wait")),
        ("maxWait", Some("max_wait")),
        ("failure_threshold", Some("failure_rate_threshold")),
        ("wait_in_opne", Some("wait_in_open")),
        ("burst", None),
        ("x", None),
        ("", None),
        ("größe", None),
    ] {
        assert_eq!(nearest(name, known()), meant, "{name}");
    }
    assert_eq!(nearest("fsat", ["slow", "fast"]), Some("fast"));
    assert_eq!(nearest("geo_1", ["geo_2", "geo_3"]), Some("geo_2"), "the first of equals");
    assert_eq!(nearest("ab", ["ac"]), None, "two letters are too few to guess");
    assert_eq!(nearest("ÉTÉ", ["été"]), Some("été"));
    assert_eq!(nearest(&"a".repeat(1_000_000), known()), None);
}
