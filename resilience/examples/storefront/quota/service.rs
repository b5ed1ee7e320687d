//! The price service: it answers 429 to what is beyond its quota.

use std::sync::Arc;

use axum::{Router, extract::State, http::StatusCode, routing::get};
use resilience::Clock;

use super::{tally::Tally, windows::Quota};

pub(crate) struct Service {
    pub(crate) quota: Quota,
    pub(crate) clock: Clock,
    pub(crate) tally: Arc<Tally>,
}

pub(crate) fn router(service: Arc<Service>) -> Router {
    Router::new().route("/price/{article}", get(price)).with_state(service)
}

async fn price(State(service): State<Arc<Service>>) -> Result<&'static str, StatusCode> {
    let now = service.clock.now();
    if service.quota.admit(now) {
        service.tally.count(now, |calls| calls.answered += 1);
        Ok("9.99")
    } else {
        service.tally.count(now, |calls| calls.refused += 1);
        Err(StatusCode::TOO_MANY_REQUESTS)
    }
}
