//! The price service, which follows the script.

use std::{future::pending, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Path, State},
    http::StatusCode,
    routing::get,
};
use resilience::Clock;
use tokio::time::sleep;

use super::{
    journal::Journal,
    script::{Health, Script},
};

/// How long an answer takes, and how long when the service is slow.
pub(crate) const QUICK: Duration = Duration::from_millis(5);
pub(crate) const SLOW: Duration = Duration::from_millis(800);

/// Nobody sells it: 404.
pub(crate) const NOT_SOLD: &str = "unicorn";

pub(crate) struct Upstream {
    pub(crate) script: Script,
    pub(crate) clock: Clock,
    pub(crate) journal: Arc<Journal>,
}

pub(crate) fn router(upstream: Arc<Upstream>) -> Router {
    Router::new().route("/price/{article}", get(price)).with_state(upstream)
}

async fn price(State(upstream): State<Arc<Upstream>>, Path(article): Path<String>) -> Result<&'static str, StatusCode> {
    let now = upstream.clock.now();
    upstream.journal.count(now, |second| second.arrived += 1);
    match upstream.script.health(now) {
        Health::Healthy => sleep(QUICK).await,
        Health::Slow => sleep(SLOW).await,
        Health::Failing => return Err(StatusCode::SERVICE_UNAVAILABLE),
        Health::Hanging => pending().await,
    }
    if article == NOT_SOLD { Err(StatusCode::NOT_FOUND) } else { Ok("9.99") }
}
