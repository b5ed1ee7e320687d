//! What the keys default to and how they read.

use resilience_breaker::{Builder, Config, OnDropped, WindowType};
use resilience_core::{
    Kind, Settings,
    keys::{CIRCUIT_BREAKER, Default::Value},
};

use crate::{MS, SECOND};

#[test]
fn entries_follow_the_table_of_keys_and_defaults_are_those_of_the_table() {
    let entries = Config::default().entries();
    assert!(entries.iter().map(|(name, _)| *name).eq(CIRCUIT_BREAKER.keys.iter().map(|key| key.name)), "{entries:?}");
    for (key, (_, value)) in CIRCUIT_BREAKER.keys.iter().zip(&entries) {
        if let Value(default) = key.default {
            assert_eq!(default, value, "{}", key.name);
        }
    }
    assert_eq!(Builder::new().config(), Config::default());
}

#[test]
fn the_minimum_of_a_small_window_is_its_size_and_a_longer_wait_is_its_own_maximum() {
    let config = |set: fn(Builder) -> Builder| set(Builder::new()).config();
    assert_eq!([10, 20, 30].map(|size| Builder::new().window_size(size).config().minimum_calls), [10, 20, 20]);
    let by_time = config(|it| it.window_type(WindowType::Time).window_size(10));
    assert_eq!(by_time.minimum_calls, 20, "a time window has no size");
    assert_eq!(config(|it| it.wait_in_open(601 * SECOND)).max_wait_in_open, 601 * SECOND);
    assert_eq!(config(|it| it.wait_in_open(SECOND)).max_wait_in_open, 600 * SECOND);
}

#[test]
fn each_key_has_a_method_and_differs_in_an_entry() {
    let set: [fn(Builder) -> Builder; 16] = [
        |it| it.window_type(WindowType::Time),
        |it| it.window_size(101),
        |it| it.window_duration(SECOND),
        |it| it.minimum_calls(3),
        |it| it.failure_rate_threshold(1.5),
        |it| it.slow_call_duration(MS),
        |it| it.slow_call_rate_threshold(10.0),
        |it| it.wait_in_open(MS),
        |it| it.wait_in_open_multiplier(1.5),
        |it| it.max_wait_in_open(700 * SECOND),
        |it| it.permitted_in_half_open(1),
        |it| it.max_wait_in_half_open(MS),
        |it| it.record_on(Kind::FAILED),
        |it| it.ignore_on(Kind::FAILED),
        |it| it.on_dropped(OnDropped::Failure),
        |it| it.enabled(false),
    ];
    let default = Config::default().entries();
    for (at, set) in set.into_iter().enumerate() {
        let entries = set(Builder::new()).config().entries();
        let differs: Vec<_> = (0..entries.len()).filter(|n| entries[*n] != default[*n]).collect();
        assert_eq!(differs, [at], "{entries:?}");
    }
}
