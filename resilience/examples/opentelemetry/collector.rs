//! A stand-in for an OpenTelemetry collector: OTLP over HTTP, as JSON.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, Uri},
};
use serde_json::Value;
use tokio::net::TcpListener;

/// What came, by the path to which it came.
type Inbox = Arc<Mutex<Vec<(String, Value)>>>;

pub(crate) struct Collector {
    url: String,
    inbox: Inbox,
}

impl Collector {
    /// Takes what comes, until the program ends.
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let inbox = Inbox::default();
        let router = Router::new().fallback(take).with_state(Arc::clone(&inbox));
        tokio::spawn(axum::serve(listener, router).into_future());
        Ok(Self { url, inbox })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// How many spans there were of each name and outcome.
    pub(crate) fn spans(&self) -> Vec<String> {
        let mut counts = BTreeMap::new();
        for span in self.came_to("/v1/traces", ["resourceSpans", "scopeSpans", "spans"]) {
            let attributes = attributes(&span);
            let of = |key: &str| attributes.get(key).cloned().unwrap_or_default();
            let name = format!("{} {}: {}", span["name"].as_str().unwrap_or_default(), of("id"), of("outcome"));
            *counts.entry(name).or_insert(0) += 1;
        }
        counts.into_iter().map(|(name, count)| format!("{name} {count}")).collect()
    }

    /// The last value of each series that is not zero.
    pub(crate) fn metrics(&self) -> Vec<String> {
        let mut series = BTreeMap::new();
        for metric in self.came_to("/v1/metrics", ["resourceMetrics", "scopeMetrics", "metrics"]) {
            let name = metric["name"].as_str().unwrap_or_default();
            let points = ["sum", "gauge"].iter().filter_map(|shape| metric[*shape]["dataPoints"].as_array());
            for point in points.flatten() {
                let labels: Vec<_> =
                    attributes(point).into_iter().map(|(key, value)| format!("{key}={value}")).collect();
                let value = number(&point["asInt"]).or_else(|| number(&point["asDouble"])).unwrap_or_default();
                series.insert(format!("{name} {}", labels.join(" ")), value);
            }
        }
        let shown = series.into_iter().filter(|(_, value)| *value != 0.0);
        shown.map(|(series, value)| format!("{series}: {value}")).collect()
    }

    /// All that came to a path, out of the lists in which it is packed.
    fn came_to(&self, path: &str, lists: [&str; 3]) -> Vec<Value> {
        let inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let mut values: Vec<Value> =
            inbox.iter().filter(|(to, _)| to == path).map(|(_, value)| value.clone()).collect();
        for list in lists {
            values = values.iter().filter_map(|value| value[list].as_array()).flatten().cloned().collect();
        }
        values
    }
}

async fn take(State(inbox): State<Inbox>, uri: Uri, body: String) -> Result<&'static str, StatusCode> {
    let value = serde_json::from_str(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    inbox.lock().unwrap_or_else(PoisonError::into_inner).push((uri.path().to_owned(), value));
    Ok("{}")
}

/// The attributes of a span or a point that are texts.
fn attributes(of: &Value) -> BTreeMap<String, String> {
    let list = of["attributes"].as_array().into_iter().flatten();
    let texts =
        list.filter_map(|it| Some((it["key"].as_str()?.to_owned(), it["value"]["stringValue"].as_str()?.to_owned())));
    texts.collect()
}

/// OTLP writes long numbers as texts.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}
