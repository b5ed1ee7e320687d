//! A page with buttons that break the services and mend them.

use std::{fmt::Write, sync::Arc};

use axum::{
    Router,
    extract::{Path, State},
    response::{Html, Redirect},
    routing::{get, post},
};
use resilience::dashboard::Dashboard;

use super::goods::{Goods, Health, NAMES};

pub(crate) fn router(goods: &Arc<Goods>, dashboard: &Dashboard) -> Router {
    let desk = Router::new().route("/", get(show)).route("/{name}/{health}", post(set)).with_state(Arc::clone(goods));
    desk.nest_service("/resilience", dashboard.router())
}

async fn show(State(goods): State<Arc<Goods>>) -> Html<String> {
    let mut rows = String::new();
    for name in NAMES {
        let now = goods.health(name);
        _ = write!(rows, "<h2>{name}: {}</h2>", now.word());
        for health in Health::ALL {
            let (word, off) = (health.word(), if health == now { " disabled" } else { "" });
            _ = write!(rows, r#"<form method="post" action="{name}/{word}"><button{off}>{word}</button></form>"#);
        }
    }
    Html(include_str!("desk.html").replace("<!-- rows -->", &rows))
}

async fn set(State(goods): State<Arc<Goods>>, Path((name, health)): Path<(String, String)>) -> Redirect {
    if let Some(health) = Health::ALL.into_iter().find(|it| it.word() == health) {
        goods.set(&name, health);
    }
    Redirect::to("/")
}
