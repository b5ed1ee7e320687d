//! What holds for one instance, and where each value came from.

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use resilience_core::config::Origin;
use serde::{Deserialize, Serialize};

use crate::{dashboard::Inner, hub::Hub, tally::News};

/// How many reloads are shown.
const LAST: usize = 5;

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
    /// The last of these, the latest first.
    last: Vec<News>,
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
    // The registry says what holds for all of its instances, which takes a while if there are many.
    let inspected = tokio::task::spawn_blocking(move || inspect(&inner.hub, &which.id));
    match inspected.await {
        Ok(inspected) => json(&inspected),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn inspect(hub: &Hub, id: &str) -> Inspected {
    let registry = hub.registry();
    let effective = registry.config();
    let mine = effective.entries().iter().filter(|entry| entry.instance.as_str() == id);
    let config = mine.map(|entry| Row {
        kind: entry.kind,
        key: entry.key,
        value: entry.value.to_string(),
        origin: entry.origin.to_string(),
        set: entry.origin != Origin::Default,
    });
    let reloads = registry.reloads();
    Inspected { config: config.collect(), reloads: [reloads.applied, reloads.refused], last: hub.reloads(LAST) }
}

pub(crate) fn json(value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).expect("texts and numbers");
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}
