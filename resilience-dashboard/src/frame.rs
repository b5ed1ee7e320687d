//! Server-sent events. JSON has no line breaks, so each is one line of data.

use axum::body::Bytes;
use serde::Serialize;

use crate::board::{All, Changes};

pub(crate) fn all(all: &All<'_>) -> Bytes {
    frame("all", all)
}

pub(crate) fn changes(changes: &Changes) -> Bytes {
    frame("changes", changes)
}

fn frame(event: &str, data: &impl Serialize) -> Bytes {
    let data = serde_json::to_string(data).expect("texts and numbers");
    format!("event: {event}\ndata: {data}\n\n").into()
}
