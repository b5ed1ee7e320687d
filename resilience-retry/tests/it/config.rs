//! What the keys default to and how they read.

use std::time::Duration;

use resilience_core::{
    Settings,
    keys::{Default::Value, RETRY},
};
use resilience_retry::{Builder, Config};

use crate::SECOND;

#[test]
fn entries_follow_the_table_of_keys_and_defaults_are_those_of_the_table() {
    let entries = Config::default().entries();
    let names: Vec<_> = entries.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, RETRY.keys.iter().map(|key| key.name).collect::<Vec<_>>());
    for (key, (_, value)) in RETRY.keys.iter().zip(&entries) {
        if let Value(default) = key.default {
            assert_eq!(default, value, "{}", key.name);
        }
    }
    assert_eq!(Config::default(), Builder::new().config());
}

#[test]
fn the_cap_defaults_to_a_longer_delay() {
    let cap = |delay| Builder::new().delay(delay).config().max_delay;
    assert_eq!([cap(SECOND), cap(60 * SECOND), cap(Duration::MAX)], [30 * SECOND, 60 * SECOND, Duration::MAX]);
}

#[test]
fn configurations_that_differ_differ_in_an_entry() {
    let one = Config::default();
    let others = [
        Config { max_duration: Some(SECOND), ..one },
        Config { budget_percent: Some(20.0), ..one },
        Config { retry_on: resilience_core::Kind::FAILED.into(), ..one },
        Config { abort_on: resilience_core::KindSet::ALL, ..one },
        Config { enabled: false, ..one },
    ];
    for other in others {
        let pairs = one.entries().into_iter().zip(other.entries());
        assert_eq!(pairs.filter(|(one, other)| one != other).count(), 1, "{other:?}");
    }
}
