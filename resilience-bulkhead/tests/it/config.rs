use std::time::Duration;

use resilience_bulkhead::{Bulkhead, Config};
use resilience_core::{Settings, keys::BULKHEAD};

use crate::SECOND;

#[test]
fn the_defaults_are_those_of_the_table_of_keys() {
    let entries = Config::default().entries();
    let defaults = BULKHEAD.keys.iter().map(|key| (key.name, key.default.to_string()));
    let shown = entries.iter().map(|(key, value)| (*key, value.replace("0ns", "0")));
    assert!(shown.eq(defaults), "{entries:?}");
    assert_eq!(Bulkhead::builder().config(), Config::default());
}

#[test]
fn each_key_has_a_method_and_differs_in_the_entries() {
    let builder = Bulkhead::builder().max_concurrent(3).max_wait(SECOND).max_queue(9).enabled(false);
    let config = builder.config();
    let expected = Config { max_concurrent: 3, max_wait: Duration::from_secs(1), max_queue: Some(9), enabled: false };
    assert_eq!(config, expected);
    let texts: Vec<_> = config.entries().into_iter().map(|(_, value)| value).collect();
    assert_eq!(texts, ["3", "1s", "9", "false"]);
}
