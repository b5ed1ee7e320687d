//! What is served, and to whom.

use std::sync::Arc;

use axum::{
    Router,
    extract::{DefaultBodyLimit, OriginalUri, Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::{Next, from_fn_with_state, map_response},
    response::{IntoResponse, Response},
    routing::{any, get, post},
};

use crate::{act, assets, dashboard::Inner, feed, inspect, shields::shield, sign_in};

/// More than any form or action of the page has.
const LONGEST_BODY: usize = 16 * 1024;

pub(crate) fn router(inner: &Arc<Inner>) -> Router {
    let mut router = assets::routes()
        .route("/", get(page))
        .route("/stream", get(feed::open))
        .route("/instance", get(inspect::instance));
    if inner.token.is_some() {
        router = router.route("/sign-in", any(sign_in::already)).route("/sign-out", post(sign_in::sign_out));
    }
    if inner.actions {
        router = router.route("/act", post(act::act));
    }
    router
        .fallback(|| async { StatusCode::NOT_FOUND })
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(from_fn_with_state(Arc::clone(inner), admit))
        .layer(map_response(shield))
        .with_state(Arc::clone(inner))
}

/// Nobody gets past here without the token.
async fn admit(State(inner): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    match &inner.token {
        Some(token) if !token.is_in(request.headers()) => sign_in::answer(token, request).await,
        _ => next.run(request).await,
    }
}

/// The links of the page go from its own path, which therefore ends in a slash.
async fn page(OriginalUri(uri): OriginalUri) -> Response {
    let last = uri.path().rsplit('/').next().unwrap_or_default();
    if last.is_empty() {
        return assets::PAGE.into_response();
    }
    match HeaderValue::try_from(format!("./{last}/")) {
        Ok(here) => (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, here)]).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}
