//! The files of the page, which are part of the binary.

use axum::{
    Router,
    http::header,
    response::{Html, IntoResponse},
    routing::get,
};

pub(crate) const SIGN_IN: Html<&str> = Html(include_str!("../assets/sign-in.html"));
pub(crate) const SIGN_IN_AGAIN: Html<&str> = Html(include_str!("../assets/sign-in-again.html"));
pub(crate) const PAGE: Html<&str> = Html(include_str!("../assets/page.html"));
const CODES: Html<&str> = Html(include_str!("../assets/codes.html"));

const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// By their paths under that of the page. Scripts find one another, and the rest of the server, by these.
const FILES: [(&str, &str, &str); 12] = [
    ("/style.css", CSS, include_str!("../assets/style.css")),
    ("/icon.svg", SVG, include_str!("../assets/icon.svg")),
    ("/actions.js", JAVASCRIPT, include_str!("../assets/actions.js")),
    ("/detail.js", JAVASCRIPT, include_str!("../assets/detail.js")),
    ("/dom.js", JAVASCRIPT, include_str!("../assets/dom.js")),
    ("/feed.js", JAVASCRIPT, include_str!("../assets/feed.js")),
    ("/grid.js", JAVASCRIPT, include_str!("../assets/grid.js")),
    ("/log.js", JAVASCRIPT, include_str!("../assets/log.js")),
    ("/main.js", JAVASCRIPT, include_str!("../assets/main.js")),
    ("/spark.js", JAVASCRIPT, include_str!("../assets/spark.js")),
    ("/state.js", JAVASCRIPT, include_str!("../assets/state.js")),
    ("/tile.js", JAVASCRIPT, include_str!("../assets/tile.js")),
];

pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let router = Router::new().route("/codes", get(|| async { CODES }));
    FILES.into_iter().fold(router, |router, (path, kind, text)| {
        router.route(path, get(move || async move { ([(header::CONTENT_TYPE, kind)], text).into_response() }))
    })
}
