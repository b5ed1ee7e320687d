//! Names and forms that people build dashboards and alerts on: a difference here is a change for all of them.

use std::time::Duration;

use resilience::{
    FallbackApplied, Id, Layer, Rejection,
    breaker::{self, End},
    bulkhead,
    config::{Format, Sources},
    event::{Event, Filter, Payload, Receiver},
    prelude::*,
    ratelimiter, retry, timeout,
};

const MS: Duration = Duration::from_millis(1);

fn registry() -> (ManualClock, Registry) {
    let clock = ManualClock::new();
    let registry = Registry::builder().clock(&clock).seed(1).build();
    clock.advance(Duration::from_secs(2));
    (clock, registry)
}

fn received(receiver: &mut Receiver) -> Vec<String> {
    std::iter::from_fn(|| receiver.try_recv().ok()).map(|it| serde_json::to_string(&it).unwrap()).collect()
}

/// As these payloads are told of the instance `search` after two seconds.
fn forms(policy: &'static str, payloads: &[&dyn Payload]) -> Vec<String> {
    let (clock, registry) = registry();
    let mut receiver = registry.events().subscribe_channel(100);
    for payload in payloads {
        registry.events().publish(policy, Id::new("search"), clock.now(), *payload);
    }
    received(&mut receiver)
}

fn rejection(code: Code, kind: Kind, layer: Layer) -> Rejection {
    Rejection::new(code, kind, Id::new("search"), layer)
}

#[test]
fn rate_limiter() {
    use ratelimiter::{Config, Event};
    let rejected = rejection(Code::RateLimitExceeded, Kind::RATE_LIMIT_EXCEEDED, Layer::RATE_LIMITER);
    let from = Config::default();
    let told = forms(
        "rate_limiter",
        &[
            &Event::Rejected(rejected.with_retry_after(250 * MS)),
            &Event::WaitStarted { permits: 2, start: Nanos::ZERO.after(2500 * MS), wait: 500 * MS },
            &Event::GivenBack { permits: 2 },
            &Event::Reconfigured { from, to: Config { permits: 7, ..from } },
        ],
    );
    assert_eq!(
        told,
        [
            r#"{"time":2.0,"kind":"rate_limiter","instance":"search","type":"rejected","payload":{"code":"R4C-RT-001","reason":"rate_limit_exceeded","retry_after":0.25,"late":false}}"#,
            r#"{"time":2.0,"kind":"rate_limiter","instance":"search","type":"wait_started","payload":{"permits":2,"start":2.5,"wait":0.5}}"#,
            r#"{"time":2.0,"kind":"rate_limiter","instance":"search","type":"given_back","payload":{"permits":2}}"#,
            r#"{"time":2.0,"kind":"rate_limiter","instance":"search","type":"reconfigured","payload":{"changes":[{"key":"permits","from":"50","to":"7"}]}}"#,
        ]
    );
}

#[test]
fn circuit_breaker() {
    use breaker::Event;
    let (_, registry) = registry();
    let breaker = registry.get_or_create::<breaker::CircuitBreaker>("search", &breaker::Config::default()).unwrap();
    let mut receiver = registry.events().subscribe_channel(100);
    breaker.force_open();
    let config = breaker.config();
    breaker.reconfigure(breaker::Config { minimum_calls: 7, ..config }).unwrap();
    let mut told = received(&mut receiver);
    let rejected = rejection(Code::CallNotPermitted, Kind::CALL_NOT_PERMITTED, Layer::CIRCUIT_BREAKER);
    told.extend(forms(
        "circuit_breaker",
        &[
            &Event::Rejected(rejected),
            &Event::Recorded { end: End::Failure(Kind::FAILED), elapsed: Some(1500 * MS), slow: true },
            &Event::Recorded { end: End::Success, elapsed: None, slow: false },
        ],
    ));
    assert_eq!(
        told,
        [
            r#"{"time":2.0,"kind":"circuit_breaker","instance":"search","type":"transition","payload":{"from":"closed","to":"forced_open","cause":"manual","calls":0,"failed":0,"slow":0}}"#,
            r#"{"time":2.0,"kind":"circuit_breaker","instance":"search","type":"reconfigured","payload":{"changes":[{"key":"minimum_calls","from":"20","to":"7"}]}}"#,
            r#"{"time":2.0,"kind":"circuit_breaker","instance":"search","type":"rejected","payload":{"code":"R4C-RT-002","reason":"call_not_permitted","retry_after":null,"late":false}}"#,
            r#"{"time":2.0,"kind":"circuit_breaker","instance":"search","type":"recorded","payload":{"end":"failure","reason":"failed","elapsed":1.5,"slow":true}}"#,
            r#"{"time":2.0,"kind":"circuit_breaker","instance":"search","type":"recorded","payload":{"end":"success","reason":null,"elapsed":null,"slow":false}}"#,
        ]
    );
}

#[test]
fn retry() {
    use retry::{Config, Event, Reason};
    let from = Config::default();
    let told = forms(
        "retry",
        &[
            &Event::Retried { attempt: 2, delay: 100 * MS, kind: Kind::FAILED },
            &Event::Exhausted { attempts: 3, reason: Reason::NotRetryable },
            &Event::SucceededAfterRetries { attempts: 2 },
            &Event::Reconfigured { from, to: Config { max_attempts: 7, ..from } },
        ],
    );
    assert_eq!(
        told,
        [
            r#"{"time":2.0,"kind":"retry","instance":"search","type":"retried","payload":{"attempt":2,"delay":0.1,"reason":"failed"}}"#,
            r#"{"time":2.0,"kind":"retry","instance":"search","type":"exhausted","payload":{"attempts":3,"cause":"not_retryable"}}"#,
            r#"{"time":2.0,"kind":"retry","instance":"search","type":"succeeded_after_retries","payload":{"attempts":2}}"#,
            r#"{"time":2.0,"kind":"retry","instance":"search","type":"reconfigured","payload":{"changes":[{"key":"max_attempts","from":"3","to":"7"}]}}"#,
        ]
    );
}

#[test]
fn timeout() {
    use timeout::{Config, Event};
    let from = Config::default();
    let told = forms(
        "timeout",
        &[
            &Event::TimedOut { limit: 100 * MS, late: true, elapsed: 150 * MS },
            &Event::Reconfigured { from, to: Config { timeout: 700 * MS, ..from } },
        ],
    );
    assert_eq!(
        told,
        [
            r#"{"time":2.0,"kind":"timeout","instance":"search","type":"timed_out","payload":{"limit":0.1,"late":true,"elapsed":0.15}}"#,
            r#"{"time":2.0,"kind":"timeout","instance":"search","type":"reconfigured","payload":{"changes":[{"key":"timeout","from":"2s","to":"700ms"}]}}"#,
        ]
    );
}

#[test]
fn bulkhead() {
    use bulkhead::{Config, Event};
    let from = Config::default();
    let told = forms(
        "bulkhead",
        &[
            &Event::Rejected(rejection(Code::BulkheadFull, Kind::BULKHEAD_FULL, Layer::BULKHEAD)),
            &Event::WaitStarted { queued: 3, until: Nanos::ZERO.after(2500 * MS) },
            &Event::WaitStarted { queued: 3, until: Nanos::NEVER },
            &Event::WaitEnded { waited: 250 * MS },
            &Event::Left { waited: 500 * MS },
            &Event::Reconfigured { from, to: Config { max_concurrent: 7, ..from } },
        ],
    );
    assert_eq!(
        told,
        [
            r#"{"time":2.0,"kind":"bulkhead","instance":"search","type":"rejected","payload":{"code":"R4C-RT-004","reason":"bulkhead_full","retry_after":null,"late":false}}"#,
            r#"{"time":2.0,"kind":"bulkhead","instance":"search","type":"wait_started","payload":{"queued":3,"until":2.5}}"#,
            r#"{"time":2.0,"kind":"bulkhead","instance":"search","type":"wait_started","payload":{"queued":3,"until":null}}"#,
            r#"{"time":2.0,"kind":"bulkhead","instance":"search","type":"wait_ended","payload":{"waited":0.25}}"#,
            r#"{"time":2.0,"kind":"bulkhead","instance":"search","type":"left","payload":{"waited":0.5}}"#,
            r#"{"time":2.0,"kind":"bulkhead","instance":"search","type":"reconfigured","payload":{"changes":[{"key":"max_concurrent","from":"25","to":"7"}]}}"#,
        ]
    );
}

#[test]
fn fallback_and_listeners() {
    let told = forms("fallback", &[&FallbackApplied { kind: Kind::FAILED }]);
    assert_eq!(
        told,
        [r#"{"time":2.0,"kind":"fallback","instance":"search","type":"applied","payload":{"reason":"failed"}}"#,]
    );

    let (_, registry) = registry();
    let mut receiver = registry.events().subscribe_channel(100);
    let _bad = registry.events().subscribe(|_| std::panic::resume_unwind(Box::new("bad")));
    registry.events().publish("fallback", Id::new("search"), Nanos::ZERO, &FallbackApplied { kind: Kind::FAILED });
    assert_eq!(
        received(&mut receiver)[1],
        r#"{"time":0.0,"kind":"fallback","instance":"search","type":"listener_panicked","payload":{}}"#
    );
}

#[test]
fn configuration() {
    let (_, registry) = registry();
    registry.get_or_create::<ratelimiter::RateLimiter>("search", &ratelimiter::Config::default()).unwrap();
    let reloads = Filter::new().policy("config");
    let mut receiver = registry.events().filtered(reloads).subscribe_channel(100);
    for permits in ["7", "0"] {
        let text = format!("[instances.search.rate_limiter]\npermits = {permits}\n");
        _ = registry.configure(Sources::new().text("app.toml", Format::Toml, text));
    }
    assert_eq!(
        received(&mut receiver),
        [
            r#"{"time":2.0,"kind":"config","instance":"config","type":"applied","payload":{"changes":[{"kind":"rate_limiter","instance":"search","key":"permits","from":"50","to":"7","place":"app.toml:2"}],"warnings":[]}}"#,
            r#"{"time":2.0,"kind":"config","instance":"config","type":"refused","payload":{"code":"R4C-CFG-004","problems":[{"code":"R4C-ATR-003","path":"instances.search.rate_limiter.permits","text":"app.toml:2: `instances.search.rate_limiter.permits = 0`: a count below 1; allowed: 1 to 1_000_000_000 (R4C-ATR-003)"}]}}"#,
        ]
    );
}

#[test]
fn an_id_is_escaped_in_json_and_in_the_text() {
    let (clock, registry) = registry();
    let id = "a\"b\\c\nd";
    let limiter = registry.get_or_create::<ratelimiter::RateLimiter>(
        id,
        &ratelimiter::Config { permits: 1, max_wait: Duration::ZERO, ..Default::default() },
    );
    let limiter = limiter.unwrap();
    let texts = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let _listening = registry.events().subscribe({
        let texts = std::sync::Arc::clone(&texts);
        move |event: &Event<'_>| texts.lock().unwrap().push((event.to_string(), serde_json::to_string(event).unwrap()))
    });
    limiter.try_acquire().unwrap();
    _ = limiter.try_acquire().unwrap_err();
    let (text, json) = texts.lock().unwrap()[0].clone();
    assert!(text.starts_with(r#"[2s] rate_limiter `a\"b\\c\nd`: rejected: R4C-RT-001"#), "{text}");
    assert_eq!(text.lines().count(), 1);
    assert!(json.contains(r#""instance":"a\"b\\c\nd""#), "{json}");
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["instance"], id);
    assert_eq!(value["time"], clock.now().as_u64() as f64 / 1e9);
}
