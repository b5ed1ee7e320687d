use std::time::Duration;

use resilience_keys::{BULKHEAD, CIRCUIT_BREAKER, Code, Key, RATE_LIMITER, RETRY, TIMEOUT};

const CENTURY: Duration = Duration::from_secs(3_155_760_000);
const TICK: Duration = Duration::from_nanos(1);

#[track_caller]
fn counts(key: &Key, good: &[u64], bad: &[(i128, Code)]) {
    for value in good {
        assert_eq!(key.check_count(i128::from(*value)), Ok(*value), "{}", key.name);
    }
    for (value, code) in bad {
        let problem = key.check_count(*value).unwrap_err();
        assert_eq!((problem.code, &*problem.value), (*code, &*value.to_string()), "{}", key.name);
    }
}

#[test]
fn counts_at_below_and_above_their_bounds() {
    let permits = RATE_LIMITER.get("permits");
    let (below, above) = (Code::CountBelowOne, Code::OutOfRange);
    counts(permits, &[1, 2, 1_000_000_000], &[(0, below), (-1, below), (i128::MIN, below)]);
    counts(permits, &[], &[(1_000_000_001, above), (10_000_000_000, above), (i128::MAX, above)]);
    counts(BULKHEAD.get("max_concurrent"), &[1, 2_147_483_647], &[(0, below), (2_147_483_648, above)]);
    counts(CIRCUIT_BREAKER.get("window_size"), &[1, 100_000], &[(0, below), (100_001, above)]);
    counts(RETRY.get("max_attempts"), &[1, 4_294_967_295], &[(0, below), (1 << 32, above)]);
    // Zero is fine here, so what lies below it is not "a count below 1".
    counts(BULKHEAD.get("max_queue"), &[0, 4_294_967_295], &[(-1, above), (1 << 32, above)]);
}

#[test]
fn durations_at_below_and_above_their_bounds() {
    let code = |key: &Key, value| key.check_duration(value).map_err(|problem| problem.code);
    let period = RATE_LIMITER.get("period");
    assert_eq!(code(period, Duration::ZERO), Err(Code::ZeroDuration));
    assert_eq!(code(period, TICK), Ok(TICK));
    assert_eq!(code(period, CENTURY), Ok(CENTURY));
    assert_eq!(code(period, CENTURY + TICK), Err(Code::OutOfRange));
    assert_eq!(code(period, Duration::MAX), Err(Code::OutOfRange));

    for key in [RATE_LIMITER.get("max_wait"), CIRCUIT_BREAKER.get("max_wait_in_half_open")] {
        assert_eq!(code(key, Duration::ZERO), Ok(Duration::ZERO));
        assert_eq!(code(key, Duration::MAX), Ok(Duration::MAX));
    }
    for key in [TIMEOUT.get("timeout"), CIRCUIT_BREAKER.get("wait_in_open")] {
        assert_eq!(code(key, Duration::ZERO), Err(Code::ZeroDuration));
        assert_eq!(code(key, Duration::MAX), Ok(Duration::MAX));
    }
}

#[test]
fn percentages_and_factors_at_below_and_above_their_bounds() {
    let code = |key: &Key, value| key.check_number(value).map_err(|problem| problem.code);
    let percent = CIRCUIT_BREAKER.get("failure_rate_threshold");
    for good in [f64::MIN_POSITIVE, 0.5, 33.3, 100.0] {
        assert_eq!(code(percent, good), Ok(good));
    }
    for bad in [0.0, -0.0, -1.0, 100.000_000_1, 150.0, f64::NAN, f64::INFINITY] {
        assert_eq!(code(percent, bad), Err(Code::BadPercentage), "{bad}");
    }
    let factor = RETRY.get("multiplier");
    for good in [1.0, 1.5, f64::MAX] {
        assert_eq!(code(factor, good), Ok(good));
    }
    for bad in [0.999_999, 0.0, -2.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(code(factor, bad), Err(Code::BadPercentage), "{bad}");
    }
}

#[test]
fn words_are_exact_and_near_ones_are_named() {
    let window = CIRCUIT_BREAKER.get("window_type");
    assert_eq!(window.check_word("count"), Ok("count"));
    for (word, near) in [("coutn", Some("count")), ("Time", Some("time")), ("sliding", None)] {
        let problem = window.check_word(word).unwrap_err();
        assert_eq!((problem.code, problem.nearest.as_deref()), (Code::UnknownWord, near));
    }
}

#[test]
fn a_budget_is_refused_with_its_own_code() {
    let budgets = [
        RETRY.get("budget_percent").check_number(0.0).unwrap_err(),
        RETRY.get("budget_min_per_second").check_count(-1).unwrap_err(),
    ];
    let window = RETRY.get("budget_window").check_duration(Duration::ZERO).unwrap_err();
    for problem in budgets.into_iter().chain([window]) {
        assert_eq!(problem.code, Code::BadBudget, "{problem}");
    }
}

#[test]
fn a_value_of_another_type_is_refused_and_never_panics() {
    for (key, code) in [
        (RATE_LIMITER.get("permits"), Code::OutOfRange),
        (RATE_LIMITER.get("period"), Code::InvalidDuration),
        (RATE_LIMITER.get("enabled"), Code::NotABoolean),
        (CIRCUIT_BREAKER.get("failure_rate_threshold"), Code::BadPercentage),
        (RETRY.get("multiplier"), Code::BadPercentage),
        (RETRY.get("jitter"), Code::UnknownWord),
        (RETRY.get("retry_on"), Code::OutOfRange),
    ] {
        assert_eq!(key.wrong_type("?").code, code, "{}", key.name);
    }
    let (permits, period) = (RATE_LIMITER.get("permits"), RATE_LIMITER.get("period"));
    assert_eq!(period.check_count(5).unwrap_err(), period.wrong_type(5));
    assert_eq!(period.check_word("5").unwrap_err(), period.wrong_type(5));
    assert_eq!(permits.check_number(3.7).unwrap_err(), permits.wrong_type(3.7));
    assert_eq!(permits.check_duration(TICK).unwrap_err(), permits.wrong_type("1ns"));
}

#[test]
fn every_kind_has_a_unit() {
    let of = |section: resilience_keys::Section, name| section.get(name).unit();
    assert_eq!(of(RATE_LIMITER, "permits"), "count");
    assert_eq!(of(RATE_LIMITER, "period"), "duration");
    assert_eq!(of(RATE_LIMITER, "enabled"), "boolean");
    assert_eq!(of(CIRCUIT_BREAKER, "failure_rate_threshold"), "%");
    assert_eq!(of(RETRY, "multiplier"), "factor");
    assert_eq!(of(RETRY, "jitter"), "word");
    assert_eq!(of(RETRY, "retry_on"), "kinds");
}
