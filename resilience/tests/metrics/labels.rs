//! Ids that are not easy to write down.

use std::collections::BTreeSet;

use proptest::prelude::*;
use resilience::prelude::*;

use crate::Scraper;

/// Scrapes a registry with instances of these ids, and says which ids its text shows.
fn shown<'a>(ids: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let registry = Registry::new();
    let scraper = Scraper::new(&registry);
    for id in ids {
        Pipeline::builder(&registry, id).timeout(|it| it).build().unwrap().execute(|| Ok::<_, ()>(())).unwrap();
    }
    let text = scraper.scrape();
    let series = text.of("resilience_calls_total").filter(|(labels, _)| labels["outcome"] == "success");
    series.inspect(|(_, calls)| assert_eq!(*calls, 1.0)).map(|(labels, _)| labels["instance"].clone()).collect()
}

#[test]
fn ids_that_need_escapes_come_out_as_they_are() {
    let ids = [
        "a", "a\"", "a\\\"", "a\\\\\"", "a\\", "a\\\\", "a\n", "a\\n", "a\\\n", "\\", "\"", "\n", "}", ",", "=", "é ☃",
    ];
    assert_eq!(shown(ids), ids.map(str::to_owned).into());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn two_ids_are_two_series(ids in prop::collection::btree_set(r#"[a\\"n\n]{1,4}"#, 1..20)) {
        prop_assert_eq!(shown(ids.iter().map(String::as_str)), ids);
    }
}
