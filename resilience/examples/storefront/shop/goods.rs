//! What the shop depends on: services that answer, until somebody breaks one.

use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    extract::{Path, State},
    http::StatusCode,
    routing::get,
};
use resilience::Random;
use tokio::time::sleep;

use crate::timeline::lock;

pub(crate) const NAMES: [&str; 3] = ["prices", "stock", "reviews"];

/// How a service is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Health {
    #[default]
    Healthy,
    /// Answers, after a second.
    Slow,
    /// Answers at once, with 503.
    Broken,
    /// Never answers.
    Hanging,
}

#[derive(Default)]
pub(crate) struct Goods(Mutex<[Health; NAMES.len()]>);

impl Goods {
    pub(crate) fn health(&self, name: &str) -> Health {
        place(name).map_or(Health::default(), |place| lock(&self.0)[place])
    }

    pub(crate) fn set(&self, name: &str, health: Health) {
        if let Some(place) = place(name) {
            lock(&self.0)[place] = health;
        }
    }
}

impl Health {
    pub(crate) const ALL: [Self; 4] = [Self::Healthy, Self::Slow, Self::Broken, Self::Hanging];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Slow => "slow",
            Self::Broken => "broken",
            Self::Hanging => "hanging",
        }
    }
}

fn place(name: &str) -> Option<usize> {
    NAMES.iter().position(|it| *it == name)
}

/// At the paths that the client of the prices asks: `/price/stock`, say.
pub(crate) fn router(goods: &Arc<Goods>) -> Router {
    let state = (Arc::clone(goods), Random::new());
    Router::new().route("/price/{name}", get(answer)).with_state(state)
}

async fn answer(
    State((goods, random)): State<(Arc<Goods>, Random)>,
    Path(name): Path<String>,
) -> Result<&'static str, StatusCode> {
    match goods.health(&name) {
        Health::Healthy => sleep(Duration::from_millis(10 + random.next_u64() % 40)).await,
        Health::Slow => sleep(Duration::from_secs(1)).await,
        Health::Broken => return Err(StatusCode::SERVICE_UNAVAILABLE),
        Health::Hanging => pending().await,
    }
    // No service is perfect.
    if random.next_u64() % 50 == 0 { Err(StatusCode::SERVICE_UNAVAILABLE) } else { Ok("9.99") }
}
