//! Without the token, nothing but 401.

use axum::{
    Router,
    body::Body,
    http::{StatusCode, header},
};
use resilience_dashboard::Dashboard;

use crate::{Answer, TOKEN, get, registry, request, send};

const COOKIE: &str = "resilience-dashboard=6f70656e20736573616d65";

fn locked() -> Router {
    Dashboard::builder(&registry(&["search"]).0).token(TOKEN).actions(true).build().router()
}

async fn sign_in(router: &Router, form: &str, headers: &[(&str, &str)]) -> Answer {
    let mut builder = request("POST", "/sign-in").header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    send(router, builder.body(Body::from(form.to_owned())).unwrap()).await
}

#[tokio::test]
async fn without_the_token_everything_is_401_and_says_nothing() {
    let router = locked();
    let paths =
        ["/", "/main.js", "/style.css", "/icon.svg", "/codes", "/stream", "/instance?id=search", "/act", "/x", "//"];
    for path in paths {
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
            for token in ["", "Bearer open", "Basic open sesame", "Bearer OPEN SESAME"] {
                let request = request(method, path).header(header::AUTHORIZATION, token);
                let answer = send(&router, request.body(Body::empty()).unwrap()).await;
                assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path} {token}");
                assert!(!answer.body.contains("search"), "{method} {path}");
                assert!(answer.header("www-authenticate").starts_with("Bearer "));
                assert!(answer.header("content-security-policy").starts_with("default-src 'none'"));
            }
        }
    }
}

#[tokio::test]
async fn the_token_opens_in_a_header_or_in_the_cookie_and_never_in_the_address() {
    let router = locked();
    for (name, value) in [(header::AUTHORIZATION, "Bearer open sesame"), (header::COOKIE, COOKIE)] {
        let request = request("GET", "/").header(name, value).body(Body::empty()).unwrap();
        assert_eq!(send(&router, request).await.status, StatusCode::OK);
    }
    for path in ["/?token=open%20sesame", "/?resilience-dashboard=6f70656e20736573616d65"] {
        assert_eq!(get(&router, path).await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
}

#[tokio::test]
async fn the_form_gives_a_cookie_that_scripts_and_other_sites_cannot_use() {
    let router = locked();
    let answer = sign_in(&router, "token=open+sesame", &[("sec-fetch-site", "same-origin")]).await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, "./"));
    assert_eq!(answer.header("set-cookie"), format!("{COOKIE}; HttpOnly; SameSite=Strict"));

    let request = request("POST", "/sign-out").header(header::COOKIE, COOKIE).body(Body::empty()).unwrap();
    let answer = send(&router, request).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert!(
        answer.header("set-cookie").starts_with("resilience-dashboard=; ")
            && answer.header("set-cookie").ends_with("Max-Age=0")
    );
}

#[tokio::test]
async fn whoever_is_signed_in_goes_from_the_form_to_the_page() {
    let router = locked();
    for (method, form) in [("POST", "token=open+sesame"), ("POST", "token=wrong"), ("GET", "")] {
        let request = request(method, "/sign-in").header(header::COOKIE, COOKIE);
        let answer = send(&router, request.body(Body::from(form)).unwrap()).await;
        assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, "./"), "{method} {form}");
        assert_eq!(answer.header("set-cookie"), "");
    }
}

#[tokio::test]
async fn a_wrong_form_is_401_and_sets_no_cookie() {
    let router = locked();
    for form in ["token=open", "token=", "", "open+sesame", "token=%ff", "token=open+sesame&token=x"] {
        let answer = sign_in(&router, form, &[]).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{form}");
        assert_eq!(answer.header("set-cookie"), "");
        assert!(answer.body.contains("That is not the token"), "{form}");
    }
    let answer = sign_in(&router, "token=open+sesame", &[("sec-fetch-site", "cross-site")]).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    let long = format!("token={}", "a".repeat(20_000));
    assert_eq!(sign_in(&router, &long, &[]).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn where_there_is_no_token_there_is_no_signing_in_or_out() {
    let router = Dashboard::new(&registry(&[]).0).router();
    assert_eq!(get(&router, "/").await.status, StatusCode::OK);
    for path in ["/sign-in", "/sign-out"] {
        let answer = send(&router, request("POST", path).body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
}
