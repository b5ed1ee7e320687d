//! What is served, to whom, and what it costs.

mod act;
mod assets;
mod feed;
mod foreign;
mod fuzz;
mod token;

use std::time::Duration;

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Request, StatusCode, request},
};
use resilience_breaker::PipelineExt as _;
use resilience_bulkhead::PipelineExt as _;
use resilience_core::{ManualClock, Pipeline, Registry};
use resilience_dashboard::Dashboard;
use resilience_ratelimiter::PipelineExt as _;
use resilience_retry::PipelineExt as _;
use resilience_timeout::PipelineExt as _;
use tower::ServiceExt;

const SECOND: Duration = Duration::from_secs(1);
const TOKEN: &str = "open sesame";

/// A registry on a clock that stands still, with one instance of each policy under each id.
fn registry(ids: &[&str]) -> (Registry, ManualClock) {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).seed(1).build();
    for id in ids {
        let pipeline = Pipeline::builder(&registry, *id)
            .retry(|it| it.max_attempts(2))
            .circuit_breaker(|it| it.window_size(4).minimum_calls(4).wait_in_open(10 * SECOND))
            .rate_limiter(|it| it.permits(10).period(SECOND))
            .timeout(|it| it.timeout(SECOND))
            .bulkhead(|it| it.max_concurrent(2));
        pipeline.build().expect("valid");
    }
    (registry, clock)
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }
}

async fn send(router: &Router, request: Request<Body>) -> Answer {
    let response = router.clone().oneshot(request).await.expect("never fails");
    let (status, headers) = (response.status(), response.headers().clone());
    let body = axum::body::to_bytes(response.into_body(), 1 << 24).await.expect("it ends");
    Answer { status, headers, body: String::from_utf8(body.to_vec()).expect("text") }
}

fn request(method: &str, path: &str) -> request::Builder {
    Request::builder().method(method).uri(path)
}

async fn get(router: &Router, path: &str) -> Answer {
    send(router, request("GET", path).body(Body::empty()).expect("a request")).await
}

#[test]
fn a_dashboard_is_a_cheap_handle_that_shows_no_token() {
    fn shared<T: Clone + Send + Sync + 'static>(_: &T) {}
    let (registry, _) = registry(&["search"]);
    let dashboard = Dashboard::builder(&registry).token(TOKEN).actions(true).build();
    shared(&dashboard);
    assert_eq!(format!("{dashboard:?}"), "Dashboard { clients: 0, token: true, actions: true }");
}
