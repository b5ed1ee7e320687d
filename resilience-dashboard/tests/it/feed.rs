//! The stream: all there is, then changes; and what it costs.

use axum::{
    Router,
    body::Body,
    http::{StatusCode, header},
};
use resilience_breaker::RegistryExt as _;
use resilience_core::{
    ManualClock, Registry,
    config::{Format, Sources},
    event::Level,
};
use resilience_dashboard::Dashboard;
use resilience_ratelimiter::RegistryExt as _;
use resilience_timeout::RegistryExt as _;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{SECOND, registry, request};

/// A page that reads.
pub(crate) struct Page(Body);

impl Page {
    pub(crate) async fn open(router: &Router) -> Self {
        let response = router.clone().oneshot(request("GET", "/stream").body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        Self(response.into_body())
    }

    /// The next event: its name, and what it says.
    pub(crate) async fn next(&mut self) -> Option<(String, Value)> {
        let frame = std::future::poll_fn(|cx| {
            let body = std::pin::Pin::new(&mut self.0);
            http_body::Body::poll_frame(body, cx)
        });
        let bytes = frame.await?.expect("never fails").into_data().expect("data");
        let text = std::str::from_utf8(&bytes).expect("text");
        let (name, data) =
            text.strip_suffix("\n\n").and_then(|it| it.split_once('\n')).expect("two lines and an empty one");
        let data = serde_json::from_str(data.strip_prefix("data: ").expect("data")).expect("JSON");
        Some((name.strip_prefix("event: ").expect("a name").to_owned(), data))
    }

    pub(crate) async fn changes(&mut self) -> Value {
        let (name, data) = self.next().await.expect("more");
        assert_eq!(name, "changes");
        data
    }
}

/// Lets the sampler go to sleep, then wakes it a second later.
pub(crate) async fn tick(clock: &ManualClock) {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    clock.advance(SECOND);
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|it| it.as_str().unwrap_or_else(|| it["id"].as_str().unwrap())).collect()
}

fn setup(ids: &[&str]) -> (Registry, ManualClock, Dashboard) {
    let (registry, clock) = registry(ids);
    let dashboard = Dashboard::new(&registry);
    (registry, clock, dashboard)
}

#[tokio::test]
async fn a_page_gets_all_there_is_and_then_what_changes() {
    let (registry, clock, dashboard) = setup(&["search", "maps"]);
    let mut page = Page::open(&dashboard.router()).await;
    let (name, all) = page.next().await.unwrap();
    assert_eq!((name.as_str(), ids(&all["tiles"])), ("all", vec!["maps", "search"]));
    let maps = &all["tiles"][0];
    assert_eq!(maps["circuit_breaker"]["state"], "closed");
    assert_eq!((&maps["rate_limiter"]["available"], &maps["rate_limiter"]["permits"]), (&10.into(), &10.into()));
    assert_eq!(maps["bulkhead"]["max_concurrent"], 2);
    assert_eq!(maps["retry"]["max_attempts"], 2);
    assert_eq!(maps["timeout"]["limit"], 1.0);
    assert_eq!(maps["history"]["rejected"], json!([0]));
    assert_eq!(all["actions"], false);

    tick(&clock).await;
    assert_eq!(ids(&page.changes().await["tiles"]), [""; 0], "nothing changed");

    registry.circuit_breaker("search").unwrap().force_open();
    tick(&clock).await;
    let changes = page.changes().await;
    assert_eq!(ids(&changes["tiles"]), ["search"]);
    assert_eq!(changes["tiles"][0]["circuit_breaker"]["state"], "forced_open");
    assert_eq!(changes["news"][0]["text"], "closed -> forced_open (manual)");
    assert_eq!(changes["news"][0]["warn"], true);

    for kind in ["circuit_breaker", "rate_limiter", "retry", "timeout", "bulkhead"] {
        assert!(registry.remove(kind, "search"));
    }
    tick(&clock).await;
    assert_eq!(ids(&page.changes().await["gone"]), ["search"]);
}

#[tokio::test]
async fn rejections_are_counted_by_code_and_an_open_breaker_says_until_when() {
    let (registry, clock, dashboard) = setup(&["search"]);
    let mut page = Page::open(&dashboard.router()).await;
    page.next().await.unwrap();
    let breaker = registry.circuit_breaker("search").unwrap();
    for _ in 0..4 {
        _ = breaker.execute(|| Err::<(), _>(()));
    }
    for _ in 0..3 {
        assert!(breaker.try_acquire().is_err());
    }
    let limiter = registry.rate_limiter("search").unwrap();
    assert!(limiter.try_acquire_n(10).is_ok() && limiter.try_acquire().is_err());
    let late = || {
        clock.advance(2 * SECOND);
        Ok::<_, ()>(())
    };
    assert!(registry.timeout("search").unwrap().execute(late).is_err());
    tick(&clock).await;
    let changes = page.changes().await;
    let tile = &changes["tiles"][0];
    assert_eq!(tile["circuit_breaker"]["state"], "open");
    assert_eq!(tile["circuit_breaker"]["open_until"], 10.0);
    assert_eq!((&tile["share"], &tile["rejected"]), (&100.into(), &5.into()));
    let codes: Vec<_> =
        tile["rejections"].as_array().unwrap().iter().map(|it| json!([it["code"], it["count"]])).collect();
    let expected = [("R4C-RT-001", 1), ("R4C-RT-002", 3), ("R4C-RT-003", 1)].map(|(code, count)| json!([code, count]));
    assert_eq!(codes, expected);

    // Nothing more was rejected: the count of the last second is news, and that is all.
    tick(&clock).await;
    assert_eq!(page.changes().await["tiles"][0]["rejected"], 0);
    tick(&clock).await;
    assert_eq!(ids(&page.changes().await["tiles"]), [""; 0]);
}

#[tokio::test]
async fn a_second_page_sees_the_same_and_the_history_of_the_first() {
    let (registry, clock, dashboard) = setup(&["search"]);
    let router = dashboard.router();
    let mut first = Page::open(&router).await;
    first.next().await.unwrap();
    for _ in 0..2 {
        tick(&clock).await;
        first.changes().await;
    }
    let mut second = Page::open(&router).await;
    let (_, all) = second.next().await.unwrap();
    assert_eq!(all["tiles"][0]["history"]["share"].as_array().unwrap().len(), 3);
    assert_eq!(dashboard.clients(), 2);
    registry.circuit_breaker("search").unwrap().disable();
    tick(&clock).await;
    assert_eq!(first.changes().await, second.changes().await);
}

#[tokio::test]
async fn whoever_reloads_the_page_finds_the_history_again_and_later_nothing_is_left() {
    let (registry, clock, dashboard) = setup(&["search"]);
    let idle = registry.events().listener_count();
    let router = dashboard.router();
    let mut page = Page::open(&router).await;
    page.next().await.unwrap();
    assert_eq!(registry.events().listener_count(), idle + 1);
    tick(&clock).await;
    drop(page);
    tick(&clock).await;
    let (_, all) = Page::open(&router).await.next().await.unwrap();
    assert_eq!(all["tiles"][0]["history"]["share"].as_array().unwrap().len(), 3);
    for _ in 0..6 {
        tick(&clock).await;
    }
    assert_eq!((dashboard.clients(), registry.events().listener_count()), (0, idle));
    let (_, all) = Page::open(&router).await.next().await.unwrap();
    assert_eq!(all["tiles"][0]["history"]["share"].as_array().unwrap().len(), 1, "a new sampler");
}

#[tokio::test]
async fn nobody_hears_calls_that_succeed_and_rejections_only_while_somebody_looks() {
    let (registry, _clock, dashboard) = setup(&["search"]);
    let heard = || [Level::Info, Level::Debug, Level::Trace].map(|level| registry.events().is_heard_at(level));
    assert_eq!(heard(), [true, false, false]);
    let page = Page::open(&dashboard.router()).await;
    assert_eq!(heard(), [true, true, false]);
    drop(page);
}

#[tokio::test]
async fn one_page_too_many_is_told_to_come_later() {
    let (registry, _clock) = registry(&[]);
    let dashboard = Dashboard::builder(&registry).max_clients(2).build();
    let router = dashboard.router();
    let pages = [Page::open(&router).await, Page::open(&router).await];
    let answer = crate::get(&router, "/stream").await;
    assert_eq!((answer.status, answer.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, "5"));
    drop(pages);
    Page::open(&router).await;
}

/// What lies between takes its frames, so it seems to read.
#[tokio::test]
async fn after_a_minute_the_oldest_page_gives_its_place_to_one_that_finds_none() {
    let (registry, clock) = registry(&["search"]);
    let router = Dashboard::builder(&registry).max_clients(2).build().router();
    let mut pages = [Page::open(&router).await, Page::open(&router).await];
    for page in &mut pages {
        page.next().await.unwrap();
    }
    for second in 1..=60 {
        let answer = crate::get(&router, "/stream").await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "after {} s", second - 1);
        tick(&clock).await;
        for page in &mut pages {
            page.changes().await;
        }
    }
    let mut third = Page::open(&router).await;
    assert!(third.next().await.is_some() && pages[0].next().await.is_none());
    tick(&clock).await;
    pages[1].changes().await;
}

#[tokio::test]
async fn a_page_that_does_not_read_is_dropped_and_the_others_are_not() {
    let (_registry, clock, dashboard) = setup(&["search"]);
    let router = dashboard.router();
    let mut stuck = Page::open(&router).await;
    let mut reads = Page::open(&router).await;
    reads.next().await.unwrap();
    for _ in 0..20 {
        tick(&clock).await;
        reads.changes().await;
    }
    assert_eq!(dashboard.clients(), 1);
    let mut frames = 0;
    while stuck.next().await.is_some() {
        frames += 1;
    }
    assert_eq!(frames, 8, "what it had room for, and then the end");
}

#[tokio::test]
async fn closing_ends_every_page_and_takes_no_more() {
    let (_registry, _clock, dashboard) = setup(&["search"]);
    let router = dashboard.router();
    let mut page = Page::open(&router).await;
    dashboard.close();
    assert!(page.next().await.is_some());
    assert!(page.next().await.is_none());
    assert_eq!(crate::get(&router, "/stream").await.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[test]
fn a_sampler_that_goes_with_its_runtime_is_started_again_by_the_next_page() {
    let (_registry, clock, dashboard) = setup(&["search"]);
    let router = dashboard.router();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let first = runtime();
    let mut page = first.block_on(Page::open(&router));
    drop(first);
    runtime().block_on(async {
        assert!(page.next().await.is_some());
        assert!(page.next().await.is_none());
        let mut page = Page::open(&router).await;
        page.next().await.unwrap();
        tick(&clock).await;
        page.changes().await;
    });
}

#[tokio::test]
async fn a_reload_before_anybody_looked_is_among_the_news() {
    let (registry, _clock, dashboard) = setup(&["search"]);
    registry.reload().unwrap();
    let (_, all) = Page::open(&dashboard.router()).await.next().await.unwrap();
    assert_eq!(all["news"][0]["text"], "reloaded, nothing changed");
}

#[tokio::test]
async fn a_message_that_is_too_long_is_cut() {
    let ids: Vec<_> = (0..200).map(|number| format!("é-{number}")).collect();
    let (registry, _clock, dashboard) = setup(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let source = "[defaults.rate_limiter]\nmax_wait = '3s'\n";
    registry.configure(Sources::new().text("app.toml", Format::Toml, source)).unwrap();
    let (_, all) = Page::open(&dashboard.router()).await.next().await.unwrap();
    let text = all["news"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("reloaded; ") && text.ends_with('…'), "{text}");
    assert_eq!(text.chars().count(), 2_000);
}

#[tokio::test]
async fn an_instance_shows_its_configuration_with_where_it_comes_from() {
    let (registry, _clock, dashboard) = setup(&["search", "a/b?c=<b>&d"]);
    let source = "[defaults.rate_limiter]\nmax_wait = '3s'\n";
    registry.configure(Sources::new().text("app.toml", Format::Toml, source)).unwrap();
    let wrong = Sources::new().text("app.toml", Format::Toml, "[defaults.rate_limiter]\nmax_wit = '3s'\n");
    registry.configure(wrong).unwrap_err();
    let router = dashboard.router();
    for id in ["search", "a%2Fb%3Fc%3D%3Cb%3E%26d"] {
        let answer = crate::get(&router, &format!("/instance?id={id}")).await;
        let answer: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(answer["reloads"], json!([1, 1]));
        let last = answer["last"].as_array().unwrap();
        assert_eq!((last.len(), &last[0]["warn"], &last[1]["warn"]), (2, &true.into(), &false.into()));
        assert!(last[0]["text"].as_str().unwrap().contains("R4C-CFG-001"), "{last:?}");
        assert!(last[1]["text"].as_str().unwrap().contains("max_wait 0ns -> 3s (app.toml:2)"), "{last:?}");
        let rows = answer["config"].as_array().unwrap();
        let row = |key: &str| rows.iter().find(|it| it["key"] == key).map(|it| [&it["value"], &it["origin"]]).unwrap();
        assert_eq!(row("permits"), ["10", "code"]);
        assert_eq!(row("max_wait"), ["3s", "app.toml:2"]);
        assert_eq!(row("failure_rate_threshold"), ["50", "default"]);
    }
    let nobody: Value = serde_json::from_str(&crate::get(&router, "/instance?id=nobody").await.body).unwrap();
    assert_eq!(nobody["config"], json!([]));
    assert_eq!(crate::get(&router, "/instance").await.status, StatusCode::BAD_REQUEST);
}
