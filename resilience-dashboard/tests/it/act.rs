//! Actions: 404 unless code allows them, and each is an event.

use axum::{
    Router,
    body::Body,
    http::{StatusCode, header},
};
use resilience_breaker::{RegistryExt as _, State};
use resilience_core::{
    Registry,
    config::{Format, Sources},
    event::{Filter, Receiver},
};
use resilience_dashboard::{Acted, Dashboard};
use resilience_ratelimiter::RegistryExt as _;
use serde_json::{Value, json};

use crate::{Answer, registry, request, send};

async fn act(router: &Router, action: &Value) -> Answer {
    let request = request("POST", "/act").header(header::CONTENT_TYPE, "application/json");
    send(router, request.body(Body::from(action.to_string())).unwrap()).await
}

/// What was answered, which is also what the bus was told.
async fn done(router: &Router, heard: &mut Receiver, action: Value) -> (bool, String) {
    let answer = act(router, &action).await;
    assert_eq!(answer.status, StatusCode::OK, "{action}: {}", answer.body);
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    let event = heard.try_recv().expect("each action is an event");
    let acted = event.payload::<Acted>().unwrap();
    assert_eq!(acted.action, action["action"]);
    assert_eq!((acted.done, &*acted.answer), (answer["done"].as_bool().unwrap(), answer["text"].as_str().unwrap()));
    let instance = action["instance"].as_str().unwrap_or("config");
    let known = ["search", "config"].contains(&instance);
    assert_eq!(event.instance.as_str(), if known { instance } else { "unknown" });
    assert!(heard.try_recv().is_err());
    (acted.done, acted.answer.clone())
}

fn open(registry: &Registry) -> (Router, Receiver) {
    let heard = registry.events().filtered(Filter::new().policy("dashboard")).subscribe_channel(10);
    (Dashboard::builder(registry).actions(true).build().router(), heard)
}

#[tokio::test]
async fn unless_code_allows_them_every_action_is_404() {
    let (registry, _) = registry(&["search"]);
    let router = Dashboard::new(&registry).router();
    for action in ["force_open", "reset", "disable", "reload", "check"] {
        let answer = act(&router, &json!({ "action": action, "instance": "search" })).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{action}");
    }
    for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let answer = send(&router, request(method, "/act").body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{method}");
    }
    assert_eq!(registry.circuit_breaker("search").unwrap().state(), State::Closed);
}

#[tokio::test]
async fn a_breaker_is_forced_open_disabled_and_reset() {
    let (registry, _) = registry(&["search"]);
    let (router, mut heard) = open(&registry);
    let breaker = registry.circuit_breaker("search").unwrap();
    for (action, state, text) in [
        ("force_open", State::ForcedOpen, "closed -> forced_open"),
        ("disable", State::Disabled, "forced_open -> disabled"),
        ("reset", State::Closed, "disabled -> closed"),
    ] {
        let answer = done(&router, &mut heard, json!({ "action": action, "instance": "search" })).await;
        assert_eq!((answer, breaker.state()), ((true, text.to_owned()), state));
    }
}

#[tokio::test]
async fn an_instance_that_is_not_there_is_told_and_its_name_is_not_kept() {
    let (registry, _) = registry(&["search"]);
    let (router, mut heard) = open(&registry);
    let (is_done, text) = done(&router, &mut heard, json!({ "action": "reset", "instance": "serch" })).await;
    assert!(!is_done && text.contains("R4C-REG-009") && text.contains("search"), "{text}");
    assert!(resilience_core::Id::find("serch").is_none());
}

#[tokio::test]
async fn a_value_is_tried_out_and_changes_nothing() {
    let (registry, _) = registry(&["search"]);
    let source = "[instances.search.rate_limiter]\npermits = 20\n";
    registry.configure(Sources::new().text("app.toml", Format::Toml, source)).unwrap();
    let (router, mut heard) = open(&registry);
    for (kind, key, value, expected, is_done) in [
        ("rate_limiter", "permits", "30", "rate_limiter `search`: permits 20 -> 30 (the dashboard:1)", true),
        ("rate_limiter", "permits", "20", "would change nothing", true),
        ("rate_limiter", "permits", "0", "R4C-ATR-003", false),
        ("rate_limiter", "permit", "1", "did you mean `permits`?", false),
        ("rate_limter", "permits", "1", "did you mean `rate_limiter`?", false),
        ("retry", "delay", "soon", "R4C-ATR-001", false),
        ("retry", "retry_on", "timed_out, failed", "retry_on", true),
        // Two that contradict each other.
        ("circuit_breaker", "max_wait_in_open", "1s", "R4C-CFG-004", false),
    ] {
        let action = json!({ "action": "check", "instance": "search", "kind": kind, "key": key, "value": value });
        let (ok, text) = done(&router, &mut heard, action).await;
        assert_eq!(ok, is_done, "{kind}.{key} = {value}: {text}");
        assert!(text.contains(expected), "{kind}.{key} = {value}: {text}");
    }
    let nobody = json!({ "action": "check", "instance": "serch", "kind": "retry", "key": "delay", "value": "1s" });
    assert_eq!(done(&router, &mut heard, nobody).await, (false, "there is no retry `serch`".to_owned()));
    assert_eq!(registry.rate_limiter("search").unwrap().config().permits, 20);
    assert_eq!(registry.reloads().applied, 1);
}

#[tokio::test]
async fn a_reload_reads_the_sources_again() {
    let (registry, _) = registry(&["search"]);
    let (router, mut heard) = open(&registry);
    assert_eq!(done(&router, &mut heard, json!({ "action": "reload" })).await, (true, "nothing changed".to_owned()));
    assert_eq!(registry.reloads().applied, 1);
}

#[tokio::test]
async fn only_json_from_the_page_itself_acts() {
    let (registry, _) = registry(&["search"]);
    let (router, mut heard) = open(&registry);
    let body = json!({ "action": "force_open", "instance": "search" }).to_string();
    for (kind, site, status) in [
        ("text/plain", "same-origin", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("application/x-www-form-urlencoded", "same-origin", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("application/json", "cross-site", StatusCode::FORBIDDEN),
        ("application/json", "same-site", StatusCode::FORBIDDEN),
    ] {
        let request = request("POST", "/act").header(header::CONTENT_TYPE, kind).header("sec-fetch-site", site);
        let answer = send(&router, request.body(Body::from(body.clone())).unwrap()).await;
        assert_eq!(answer.status, status, "{kind} {site}");
    }
    for body in [json!({}), json!({ "action": "explode" }), json!({ "action": "reset" }), json!([1])] {
        assert_eq!(act(&router, &body).await.status, StatusCode::BAD_REQUEST, "{body}");
    }
    assert!(heard.try_recv().is_err());
    assert_eq!(registry.circuit_breaker("search").unwrap().state(), State::Closed);
}
