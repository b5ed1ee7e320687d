//! The dashboard and the alert rules name metrics and labels that there are.

use std::collections::BTreeSet;

use resilience::keys::metric::METRICS;
use serde_json::Value;
use yaml_rust2::{Yaml, YamlLoader};

use crate::promql::{Query, placeholders};

const DASHBOARD: &str = include_str!("../../../docs/dashboards/grafana.json");
const ALERTS: &str = include_str!("../../../docs/dashboards/alerts.yml");

/// What Grafana puts in place of its variables.
fn filled(expression: &str) -> String {
    expression.replace("$__rate_interval", "1m").replace("$__interval", "1m").replace("\"$instance\"", "\".*\"")
}

fn read(expression: &str) -> Query {
    Query::parse(&filled(expression)).unwrap_or_else(|why| panic!("{why}\nin {expression}"))
}

fn dashboard() -> Value {
    serde_json::from_str(DASHBOARD).unwrap()
}

fn alerts() -> Vec<Yaml> {
    let documents = YamlLoader::load_from_str(ALERTS).unwrap();
    documents[0]["groups"][0]["rules"].as_vec().unwrap().clone()
}

/// All expressions of the dashboard, each with what is shown of its labels.
fn shown() -> Vec<(String, String)> {
    let dashboard = dashboard();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let panels = dashboard["panels"].as_array().unwrap().iter().filter(|panel| panel["type"] != "row");
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap().clone());
    let mut shown: Vec<_> = targets.map(|it| (text(&it["expr"]), text(&it["legendFormat"]))).collect();
    let notes = dashboard["annotations"]["list"].as_array().unwrap();
    shown.extend(notes.iter().map(|it| (text(&it["expr"]), text(&it["titleFormat"]))));
    shown
}

#[test]
fn the_dashboard_shows_what_there_is() {
    for (expression, legend) in shown() {
        let query = read(&expression);
        for label in placeholders(&legend) {
            assert!(query.kept.contains(&label), "`{label}` is not in the result of {expression}");
        }
    }
}

#[test]
fn the_dashboard_leaves_out_no_metric() {
    let used: BTreeSet<_> = shown().iter().flat_map(|(expression, _)| read(expression).metrics).collect();
    let all: BTreeSet<_> = METRICS.iter().map(|metric| metric.name).collect();
    assert_eq!(used, all);
}

#[test]
fn the_dashboard_has_a_row_for_each_kind_of_policy_and_a_variable_for_the_instance() {
    let dashboard = dashboard();
    let rows = dashboard["panels"].as_array().unwrap().iter().filter(|panel| panel["type"] == "row");
    let rows: Vec<_> = rows.map(|row| row["title"].as_str().unwrap().to_lowercase().replace(' ', "_")).collect();
    let kinds = resilience::keys::SECTIONS.iter().map(|section| section.name);
    assert_eq!(kinds.filter(|kind| !rows.contains(&(*kind).to_owned())).count(), 0, "{rows:?}");
    let instance = &dashboard["templating"]["list"][1];
    assert_eq!(instance["name"], "instance");
    assert_eq!(instance["query"]["query"], "label_values(resilience_calls_total, instance)");
    read("sum by (instance) (resilience_calls_total)");
}

#[test]
fn alerts_ask_for_what_there_is() {
    let alerts = alerts();
    assert!(alerts.len() >= 5);
    let mut names = BTreeSet::new();
    for alert in alerts {
        assert!(names.insert(alert["alert"].as_str().unwrap().to_owned()));
        let query = read(alert["expr"].as_str().unwrap());
        let notes = alert["annotations"].as_hash().unwrap();
        for (_, note) in notes {
            for label in placeholders(note.as_str().unwrap()) {
                let label = label.strip_prefix("$labels.").expect("a label");
                assert!(query.kept.contains(label), "{label} in {note:?}");
            }
        }
        assert!(["info", "warning", "critical"].contains(&alert["labels"]["severity"].as_str().unwrap()));
    }
}

/// The check itself finds what it is for.
#[test]
fn a_typo_is_found() {
    read("sum by (instance) (rate(resilience_calls_total{outcome=~\"failure|rejected\"}[5m])) > 1");
    for wrong in [
        "sum by (instance) (resilience_call_total)",
        "sum by (instanse) (resilience_calls_total)",
        "sum by (code) (resilience_calls_total)",
        "summ(resilience_calls_total)",
        "resilience_calls_total{outcom=\"success\"}",
        "resilience_calls_total{outcome=\"sucess\"}",
        "resilience_calls_total{outcome=~\"failure|reject\"}",
        "resilience_calls_total{kind=\"limiter\"}",
        "resilience_rejections_total{code=\"RT-999\"}",
        "resilience_bulkhead_max_bucket",
        "sum by (le) (resilience_wait_seconds_sum)",
        "rate(resilience_calls_total[5m]",
        "rate(resilience_calls_total[5x])",
        "resilience_calls_total{outcome=\"success}",
        "sum by (instance) (resilience_bulkhead_max) and",
    ] {
        assert!(Query::parse(wrong).is_err(), "{wrong}");
    }
}
