//! The page and its files.

use axum::{Router, http::StatusCode};
use resilience_dashboard::Dashboard;

use crate::{get, registry};

#[tokio::test]
async fn the_page_and_all_it_links_to_are_served() {
    let router = Dashboard::new(&registry(&[]).0).router();
    let page = get(&router, "/").await;
    assert_eq!((page.status, page.header("content-type")), (StatusCode::OK, "text/html; charset=utf-8"));
    let codes = get(&router, "/codes").await;
    let mut seen = 0;
    for text in [&page.body, &codes.body] {
        for link in ["href=\"", "src=\""].iter().flat_map(|start| text.split(start).skip(1)) {
            let link = link.split(['"', '#']).next().expect("it ends");
            if !link.is_empty() && link != "./" {
                let answer = get(&router, &format!("/{link}")).await;
                assert_eq!(answer.status, StatusCode::OK, "{link}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 4, "{seen}");
}

#[tokio::test]
async fn every_script_that_another_one_imports_is_served() {
    let router = Dashboard::new(&registry(&[]).0).router();
    let (mut todo, mut seen) = (vec!["main.js".to_owned()], Vec::new());
    while let Some(name) = todo.pop() {
        if seen.contains(&name) {
            continue;
        }
        let script = get(&router, &format!("/{name}")).await;
        assert_eq!(script.status, StatusCode::OK, "{name}");
        assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
        todo.extend(script.body.split("from \"./").skip(1).map(|it| it.split('"').next().expect("a name").to_owned()));
        seen.push(name);
    }
    assert!(seen.len() > 3, "{seen:?}");
}

#[tokio::test]
async fn nothing_in_the_files_can_run_what_somebody_else_wrote() {
    let router = Dashboard::new(&registry(&[]).0).router();
    for path in ["/", "/codes", "/main.js", "/nothing"] {
        let policy = get(&router, path).await.header("content-security-policy").to_owned();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{path}: {policy}");
        assert!(!policy.contains("unsafe") && !policy.contains("sha256-") && !policy.contains("nonce-"), "{policy}");
    }
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets")).expect("a folder") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let is_html = path.extension().is_some_and(|it| it == "html");
        let banned: &[&str] = if is_html {
            &["<style", " style=", " onclick=", " onload=", "<script>", "javascript:"]
        } else {
            &["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
        };
        for word in banned {
            assert!(!text.contains(word), "{word} in {}", path.display());
        }
        // Offline: no address of another host, but that of the namespace of SVG.
        let addresses = text.split("http").skip(1).filter(|it| it.starts_with("://") || it.starts_with("s://"));
        for address in addresses {
            assert!(address.starts_with("://www.w3.org/2000/svg"), "{} in {}", &address[..20], path.display());
        }
    }
}

#[tokio::test]
async fn the_page_has_a_path_that_ends_in_a_slash() {
    let dashboard = Dashboard::new(&registry(&[]).0);
    let app = Router::new().nest_service("/ops/resilience", dashboard.router());
    let answer = get(&app, "/ops/resilience").await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::PERMANENT_REDIRECT, "./resilience/"));
    for path in ["/ops/resilience/", "/ops/resilience/style.css"] {
        assert_eq!(get(&app, path).await.status, StatusCode::OK, "{path}");
    }
    // A path cannot lead elsewhere.
    let app = Router::new().nest_service("/evil.example", dashboard.router());
    assert_eq!(get(&app, "/evil.example").await.header("location"), "./evil.example/");
    assert_eq!(get(&dashboard.router(), "//evil.example").await.status, StatusCode::NOT_FOUND);
}
