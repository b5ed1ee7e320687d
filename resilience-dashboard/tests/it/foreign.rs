//! A policy that is not ours: it is shown, and cannot hurt the page.

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
};

use axum::http::StatusCode;
use resilience_core::{
    Admission, ConfigError, Cx, Env, Id, Managed, Outcome, Policy, Problem, Settings, SinglePass, Verdict, at,
    event::{Fields, Payload},
};
use resilience_dashboard::Dashboard;

use crate::{
    feed::{Page, tick},
    get, registry,
};

/// Lets every call pass, and panics when it is asked what it shows, if it is told to.
#[derive(Debug)]
struct Foreign {
    id: Id,
    panics: AtomicBool,
}

impl Foreign {
    fn panics(&self, panics: bool) {
        // Ordering: Relaxed; one thread.
        self.panics.store(panics, Ordering::Relaxed);
    }
}

impl Policy for Foreign {
    type At = at::Inside<at::RateLimiter>;
    type Permit = ();

    fn id(&self) -> Id {
        self.id
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        Admission::Go(())
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        Verdict::Return
    }
}

impl SinglePass for Foreign {}

#[derive(Clone, Debug, PartialEq)]
struct Nothing;

impl Settings for Nothing {
    fn entries(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn problems(&self) -> Vec<Problem> {
        Vec::new()
    }
}

impl Managed for Foreign {
    const KIND: &'static str = "foreign";
    type Config = Nothing;
    type Snapshot = ();

    fn create(id: Id, _: Nothing, _: &Env) -> Result<Self, ConfigError> {
        Ok(Self { id, panics: AtomicBool::new(false) })
    }

    fn config(&self) -> Nothing {
        Nothing
    }

    fn snapshot(&self) {
        // Ordering: Relaxed; one thread.
        assert!(!self.panics.load(Ordering::Relaxed), "told to");
    }

    fn reconfigure(&self, _: Nothing) -> Result<(), ConfigError> {
        Ok(())
    }
}

#[derive(Clone, Debug)]
struct Rejected(&'static str);

impl Payload for Rejected {
    fn name(&self) -> &'static str {
        "rejected"
    }

    fn fields(&self) -> Fields<'_> {
        vec![("code", self.0.into())]
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[tokio::test]
async fn its_rejections_are_counted_if_they_have_one_of_our_codes() {
    let (registry, clock) = registry(&[]);
    registry.get_or_create::<Foreign>("search", &Nothing).unwrap();
    let mut page = Page::open(&Dashboard::new(&registry).router()).await;
    let (_, all) = page.next().await.unwrap();
    assert_eq!(all["tiles"][0]["others"], serde_json::json!(["foreign"]));
    for code in ["R4C-RT-004", "R4C-RT-004", "R4C-XX", "<b>"] {
        registry.events().publish("foreign", Id::new("search"), clock.clock().now(), &Rejected(code));
    }
    tick(&clock).await;
    let changes = page.changes().await;
    let rejections = changes["tiles"][0]["rejections"].as_array().unwrap().clone();
    assert_eq!(rejections.len(), 1);
    assert_eq!((&rejections[0]["code"], &rejections[0]["count"]), (&"R4C-RT-004".into(), &2.into()));
}

#[tokio::test]
async fn a_panic_in_its_snapshot_ends_the_pages_until_it_is_over() {
    let (registry, clock) = registry(&["search"]);
    let foreign = registry.get_or_create::<Foreign>("search", &Nothing).unwrap();
    let dashboard = Dashboard::new(&registry);
    let router = dashboard.router();
    let idle = registry.events().listener_count();
    let mut page = Page::open(&router).await;
    page.next().await.unwrap();

    foreign.panics(true);
    tick(&clock).await;
    assert!(page.next().await.is_none(), "what is not known is not shown");
    let answer = get(&router, "/stream").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(answer.body.contains("a policy panicked"), "{}", answer.body);
    assert_eq!((dashboard.clients(), registry.events().listener_count()), (0, idle));
    assert_eq!(get(&router, "/").await.status, StatusCode::OK);

    foreign.panics(false);
    let mut page = Page::open(&router).await;
    page.next().await.unwrap();
    tick(&clock).await;
    page.changes().await;
}
