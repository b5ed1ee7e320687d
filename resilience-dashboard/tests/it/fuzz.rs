//! Whatever is sent, there is an answer.

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Method, Request, Uri},
};
use proptest::{collection::vec, prelude::*, sample::select};
use resilience_dashboard::Dashboard;
use tower::ServiceExt;

use crate::{TOKEN, registry};

fn method() -> impl Strategy<Value = Method> {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::OPTIONS, Method::CONNECT];
    prop_oneof![select(known.to_vec()), "[A-Z!#$]{1,9}".prop_filter_map("a method", |it| it.parse().ok())]
}

fn uri() -> impl Strategy<Value = Uri> {
    let known = ["/", "/stream", "/instance", "/act", "/sign-in", "/sign-out", "/main.js", "/codes", ""];
    let tail = prop_oneof![Just(String::new()), "\\?id=[ -~]{0,20}", "\\PC{0,30}", "[/%?#=&.0-9a-f]{0,30}"];
    (select(known.to_vec()), tail).prop_filter_map("an address", |(path, tail)| format!("{path}{tail}").parse().ok())
}

fn header() -> impl Strategy<Value = (HeaderName, HeaderValue)> {
    let names =
        ["authorization", "cookie", "content-type", "content-length", "sec-fetch-site", "accept", "range", "host"];
    let values = prop_oneof![
        select(vec![
            "Bearer open sesame",
            "resilience-dashboard=6f70656e20736573616d65",
            "application/json",
            "application/x-www-form-urlencoded",
            "same-origin",
        ])
        .prop_map(|it| it.as_bytes().to_vec()),
        vec(any::<u8>(), 0..40),
    ];
    (select(names.to_vec()), values).prop_filter_map("a header", |(name, value)| {
        Some((HeaderName::from_static(name), HeaderValue::from_bytes(&value).ok()?))
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let actions = select(vec!["force_open", "reset", "disable", "reload", "check", "x"]);
    let action = (actions, "\\PC{0,10}", "\\PC{0,10}").prop_map(|(action, id, value)| {
        let body = serde_json::json!({
            "action": action, "instance": id, "kind": "retry", "key": "delay", "value": value
        });
        body.to_string().into_bytes()
    });
    prop_oneof![vec(any::<u8>(), 0..200), action, "token=[ -~]{0,40}".prop_map(String::into_bytes)]
}

proptest! {
    #[test]
    fn no_request_panics_the_server_and_none_passes_the_token(
        locked: bool, method in method(), uri in uri(), headers in vec(header(), 0..4), body in body(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (registry, _clock) = registry(&["search"]);
        let builder = Dashboard::builder(&registry).actions(true);
        let router = if locked { builder.token(TOKEN) } else { builder }.build().router();
        let mut request = Request::builder().method(method).uri(uri).body(Body::from(body)).unwrap();
        request.headers_mut().extend(headers);
        let knows = |it: &HeaderValue| {
            let it = String::from_utf8_lossy(it.as_bytes()).into_owned();
            it.contains("Bearer open sesame") || it.contains("6f70656e20736573616d65")
        };
        let may = !locked || request.headers().values().any(knows);
        let answer = runtime.block_on(router.oneshot(request)).unwrap();
        prop_assert!(may || answer.status() == 401 || answer.status() == 303, "{answer:?}");
        prop_assert!(answer.status() != 500, "{answer:?}");
        prop_assert!(answer.headers().contains_key("content-security-policy"));
    }
}
