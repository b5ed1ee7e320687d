//! What the page can do, where code allows it.

use std::{fmt::Display, sync::Arc};

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use resilience_breaker::{CircuitBreaker, RegistryExt};
use resilience_core::{
    Id, Registry,
    config::{Entry, Format, Reload, Sources},
    keys::{SECTIONS, Section},
    nearest,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    audit::{Acted, KIND},
    dashboard::Inner,
    inspect,
    sign_in::is_from_here,
};

#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
enum Action {
    ForceOpen { instance: String },
    Reset { instance: String },
    Disable { instance: String },
    Reload,
    Check { instance: String, kind: String, key: String, value: String },
}

#[derive(Serialize)]
struct Answer {
    done: bool,
    text: String,
}

/// Only scripts of the page itself send JSON: another site's form cannot, and its script would have to ask first.
pub(crate) async fn act(State(inner): State<Arc<Inner>>, headers: HeaderMap, body: Bytes) -> Response {
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if !is_json {
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "application/json").into_response();
    }
    if !is_from_here(&headers) {
        return (StatusCode::FORBIDDEN, "from another site").into_response();
    }
    let action = match serde_json::from_slice::<Action>(&body) {
        Ok(action) => action,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    let registry = inner.hub.registry().clone();
    // Reloads read files.
    match tokio::task::spawn_blocking(move || action.run(&registry)).await {
        Ok(answer) => inspect::json(&answer),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

impl Action {
    /// Does it, and tells the bus, whatever came of it.
    fn run(&self, registry: &Registry) -> Answer {
        let (instance, result) = match self {
            Self::ForceOpen { instance } => (instance, breaker(registry, instance, CircuitBreaker::force_open)),
            Self::Reset { instance } => (instance, breaker(registry, instance, CircuitBreaker::reset)),
            Self::Disable { instance } => (instance, breaker(registry, instance, CircuitBreaker::disable)),
            Self::Reload => {
                (&"config".to_owned(), registry.reload().map(|it| told(&it, "nothing changed")).map_err(text))
            }
            Self::Check { instance, kind, key, value } => (instance, check(registry, instance, kind, key, value)),
        };
        let done = result.is_ok();
        let (Ok(text) | Err(text)) = result;
        // An id that somebody made up is not kept for ever.
        let id = Id::find(instance).unwrap_or_else(|| Id::new("unknown"));
        let acted = Acted { action: self.name(), done, answer: text.clone() };
        registry.events().publish(KIND, id, registry.clock().now(), &acted);
        Answer { done, text }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::ForceOpen { .. } => "force_open",
            Self::Reset { .. } => "reset",
            Self::Disable { .. } => "disable",
            Self::Reload => "reload",
            Self::Check { .. } => "check",
        }
    }
}

fn breaker(registry: &Registry, instance: &str, act: fn(&CircuitBreaker)) -> Result<String, String> {
    let breaker = registry.circuit_breaker(instance).map_err(text)?;
    let before = breaker.state();
    act(&breaker);
    Ok(format!("{before} -> {}", breaker.state()))
}

/// What the sources in force and this value on top of them would change.
fn check(registry: &Registry, instance: &str, kind: &str, key: &str, value: &str) -> Result<String, String> {
    let kinds: Vec<_> = SECTIONS.iter().map(|section| section.name).collect();
    let section = SECTIONS.iter().find(|section| section.name == kind);
    let section: &Section = section.ok_or_else(|| unknown("kind of policy", kind, &kinds))?;
    let keys: Vec<_> = section.keys.iter().map(|key| key.name).collect();
    let is_it = |it: &Entry| it.kind == kind && it.instance.as_str() == instance;
    if !registry.config().entries().iter().any(is_it) {
        return Err(format!("there is no {kind} `{}`", instance.escape_debug()));
    }
    let parsed = section.key(key).ok_or_else(|| unknown("key", key, &keys))?.parse(value).map_err(text)?;
    let literal: Value = serde_json::from_str(&parsed.literal().to_string()).map_err(text)?;
    let sources = registry.sources().map_or_else(Sources::new, |sources| Sources::clone(&sources));
    let edit = json!({ "instances": { instance: { kind: { key: literal } } } });
    let sources = sources.text("the dashboard", Format::Json, edit.to_string());
    let reload = registry.check(&sources).map_err(text)?;
    Ok(told(&reload, "would change nothing: it is so already, or code or a variable says otherwise"))
}

fn told(reload: &Reload, nothing: &str) -> String {
    let lines: Vec<_> = reload.changes.iter().map(text).chain(reload.warnings.iter().map(text)).collect();
    if lines.is_empty() { nothing.to_owned() } else { lines.join("\n") }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let near = nearest(name, known.iter().copied()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    format!("there is no {what} `{}`; allowed: {}{near}", name.escape_debug(), known.join(", "))
}

fn text(it: impl Display) -> String {
    it.to_string()
}
