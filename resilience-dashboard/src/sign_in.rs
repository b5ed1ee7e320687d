//! How a browser, which cannot send a header of its own with the first request, brings the token: by a form, and in a
//! cookie from then on.

use axum::{
    Form, RequestExt,
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;

use crate::{
    assets::{SIGN_IN, SIGN_IN_AGAIN},
    token::{COOKIE, Token},
};

/// The browser may say that another site's page is behind a request.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

#[derive(Deserialize)]
struct SignIn {
    token: String,
}

/// To somebody without the token: 401, or the cookie.
pub(crate) async fn answer(token: &Token, request: Request) -> Response {
    if request.method() == Method::POST && request.uri().path() == "/sign-in" && is_from_here(request.headers()) {
        return match request.extract::<Form<SignIn>, _>().await {
            Ok(Form(given)) if token.is(given.token.as_bytes()) => signed_in(&token.hex()),
            _ => (StatusCode::UNAUTHORIZED, CHALLENGE, SIGN_IN_AGAIN).into_response(),
        };
    }
    (StatusCode::UNAUTHORIZED, CHALLENGE, SIGN_IN).into_response()
}

const CHALLENGE: [(HeaderName, &str); 1] = [(header::WWW_AUTHENTICATE, "Bearer realm=\"resilience dashboard\"")];

/// The cookie has no path of its own: browsers take that of the form, whatever prefix a proxy adds.
fn signed_in(value: &str) -> Response {
    to_the_page(&format!("{COOKIE}={value}; HttpOnly; SameSite=Strict"))
}

/// Somebody with the token finds the form in another tab, or goes back to it.
pub(crate) async fn already() -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, "./")]).into_response()
}

pub(crate) async fn sign_out() -> Response {
    to_the_page(&format!("{COOKIE}=; HttpOnly; SameSite=Strict; Max-Age=0"))
}

fn to_the_page(cookie: &str) -> Response {
    let cookie = HeaderValue::try_from(cookie).expect("hexadecimal digits");
    let here = HeaderValue::from_static("./");
    (StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, here)]).into_response()
}

/// Unless the browser says that it comes from another site.
pub(crate) fn is_from_here(headers: &HeaderMap) -> bool {
    headers.get(SITE).is_none_or(|site| site == "same-origin" || site == "none")
}
