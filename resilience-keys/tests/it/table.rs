use std::collections::HashSet;

use resilience_keys::{BULKHEAD, CIRCUIT_BREAKER, Code, Default, RATE_LIMITER, RETRY, SECTIONS, TIMEOUT};

/// One line per section: every key with what it allows and its default.
fn printed(section: &resilience_keys::Section) -> String {
    let rows = section.keys.iter();
    let rows = rows.map(|key| format!("{}: {} ({})", key.name, key.allowed(), key.default));
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_rate_limiter_is_as_specified() {
    assert_eq!(
        printed(&RATE_LIMITER),
        "permits: 1 to 1_000_000_000 (50)\n\
         period: more than 0, at most 100 years (1s)\n\
         max_wait: any duration (0)\n\
         enabled: true or false (true)"
    );
}

#[test]
fn the_circuit_breaker_is_as_specified() {
    assert_eq!(
        printed(&CIRCUIT_BREAKER),
        "window_type: count, time (count)\n\
         window_size: 1 to 100_000 (100)\n\
         window_duration: more than 0 (10s)\n\
         minimum_calls: 1 to 4_294_967_295 (20, or `window_size` if smaller)\n\
         failure_rate_threshold: more than 0, at most 100 (50)\n\
         slow_call_duration: more than 0 (none)\n\
         slow_call_rate_threshold: more than 0, at most 100 (100)\n\
         wait_in_open: more than 0 (30s)\n\
         wait_in_open_multiplier: 1 or more (1)\n\
         max_wait_in_open: more than 0 (10m, or `wait_in_open` if larger)\n\
         permitted_in_half_open: 1 to 4_294_967_295 (5)\n\
         max_wait_in_half_open: any duration (60s)\n\
         record_on: a list of kinds (all failures)\n\
         ignore_on: a list of kinds (none)\n\
         on_dropped: ignore, failure (ignore)\n\
         enabled: true or false (true)"
    );
}

#[test]
fn the_retry_is_as_specified() {
    assert_eq!(
        printed(&RETRY),
        "max_attempts: 1 to 4_294_967_295 (3)\n\
         delay: any duration (100ms)\n\
         backoff: fixed, linear, exponential (exponential)\n\
         multiplier: 1 or more (2)\n\
         max_delay: any duration (30s, or `delay` if larger)\n\
         jitter: none, full, equal, decorrelated (full)\n\
         max_duration: more than 0 (none)\n\
         retry_on: a list of kinds (all failures and rejections)\n\
         abort_on: a list of kinds (none)\n\
         budget_percent: more than 0, at most 100 (none)\n\
         budget_min_per_second: 0 to 4_294_967_295 (1)\n\
         budget_window: more than 0 (10s)\n\
         enabled: true or false (true)"
    );
}

#[test]
fn timeout_and_bulkhead_are_as_specified() {
    assert_eq!(printed(&TIMEOUT), "timeout: more than 0 (2s)\nenabled: true or false (true)");
    assert_eq!(
        printed(&BULKHEAD),
        "max_concurrent: 1 to 2_147_483_647 (25)\n\
         max_wait: any duration (0)\n\
         max_queue: 0 to 4_294_967_295 (none)\n\
         enabled: true or false (true)"
    );
}

#[test]
fn names_are_unique_and_every_key_is_explained() {
    for section in SECTIONS {
        let names: HashSet<_> = section.keys.iter().map(|key| key.name).collect();
        assert_eq!(names.len(), section.keys.len(), "{}", section.name);
        for key in section.keys {
            assert_eq!(section.key(key.name), Some(key));
            assert_eq!(section.get(key.name), key);
            assert!(key.doc.ends_with('.') && !key.doc.starts_with(' '), "{}", key.name);
            assert!(!key.doc.contains("  ") && !key.doc.contains('\n'), "{}", key.name);
        }
        assert_eq!(section.key(""), None);
        assert_eq!(section.key("enable"), None);
        assert_eq!(section.key("enabled_"), None);
    }
}

#[test]
#[should_panic(expected = "no such key")]
fn get_panics_for_a_name_that_only_begins_like_a_key() {
    RATE_LIMITER.get("permit");
}

#[test]
fn every_default_is_an_allowed_value() {
    let defaults = SECTIONS.iter().flat_map(|section| section.keys);
    for key in defaults {
        let Default::Value(text) = key.default else {
            continue;
        };
        assert!(key.parse(text).is_ok(), "{}", key.name);
    }
}

#[test]
fn only_the_budget_has_a_code_of_its_own() {
    for key in SECTIONS.iter().flat_map(|section| section.keys) {
        let budget = key.name.starts_with("budget_");
        assert_eq!(key.code, budget.then_some(Code::BadBudget), "{}", key.name);
    }
}
