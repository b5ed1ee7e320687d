//! The chapter on metrics says what the table says.

use resilience_core::keys::metric::METRICS;

const PAGE: &str = include_str!("../../docs/metrics.md");

#[test]
fn the_page_lists_every_metric_as_the_table_has_it() {
    let rows: Vec<_> = PAGE.lines().filter(|line| line.starts_with("| `")).collect();
    let expected = METRICS.iter().map(|metric| {
        let labels: Vec<_> = metric.labels.iter().map(|label| format!("`{}`", label.name)).collect();
        format!("| `{}` | {} | {} | {} |", metric.name, metric.shape.name(), labels.join(", "), metric.doc)
    });
    assert_eq!(rows, expected.collect::<Vec<_>>());
}

#[test]
fn the_page_names_every_value_of_a_label() {
    let values = METRICS.iter().flat_map(|metric| metric.labels).flat_map(|label| label.values);
    for value in values.filter(|value| !value.starts_with("R4C")) {
        assert!(PAGE.contains(&format!("`{value}`")), "{value}");
    }
}
