//! What holds for one instance, and where each value came from.

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    http::header,
    response::{IntoResponse, Response},
};
use resilience_core::config::Origin;
use serde::{Deserialize, Serialize};

use crate::dashboard::Inner;

#[derive(Deserialize)]
pub(crate) struct Which {
    id: String,
}

#[derive(Serialize)]
struct Inspected {
    /// Empty for an instance that is not there, or whose policies have no table of keys.
    config: Vec<Row>,
    /// How often the sources were taken, and refused.
    reloads: [u64; 2],
}

#[derive(Serialize)]
struct Row {
    kind: &'static str,
    key: &'static str,
    value: String,
    origin: String,
    /// Whether somebody set it.
    set: bool,
}

pub(crate) async fn instance(State(inner): State<Arc<Inner>>, Query(which): Query<Which>) -> Response {
    let registry = inner.hub.registry();
    let effective = registry.config();
    let mine = effective.entries().iter().filter(|entry| entry.instance.as_str() == which.id);
    let config = mine.map(|entry| Row {
        kind: entry.kind,
        key: entry.key,
        value: entry.value.to_string(),
        origin: entry.origin.to_string(),
        set: entry.origin != Origin::Default,
    });
    let reloads = registry.reloads();
    json(&Inspected { config: config.collect(), reloads: [reloads.applied, reloads.refused] })
}

pub(crate) fn json(value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).expect("texts and numbers");
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}
