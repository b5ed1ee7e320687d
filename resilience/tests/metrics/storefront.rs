//! The example `storefront` with its metrics served, scraped over HTTP while its customers call.

use std::{
    env::{self, consts::EXE_SUFFIX},
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::text::Text;

/// The running example; ended if the test ends before it.
struct Storefront {
    child: Child,
    url: String,
    /// Told once the outage is over.
    over: Receiver<()>,
}

impl Storefront {
    fn start() -> Self {
        let test = env::current_exe().expect("a test knows where it is");
        let profile = test.ancestors().nth(2).expect("tests are in a folder of their profile");
        let mut command = Command::new(profile.join("examples").join(format!("storefront{EXE_SUFFIX}")));
        command.args(["outage", "--seconds", "1", "--customers", "10", "--metrics", "127.0.0.1:0"]);
        command.env("http_proxy", "http://127.0.0.1:9").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("`cargo test` builds the example");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut lines = lines.map_while(Result::ok);
        let line = lines.find(|line| line.starts_with("metrics: ")).expect("it says where the metrics are");
        let url = line.trim_start_matches("metrics: ").trim_end_matches("/metrics").to_owned();
        let (sender, over) = mpsc::channel();
        // Somebody reads to the end, so that the example never waits for a reader.
        thread::spawn(move || {
            for _ in lines.filter(|line| line.starts_with("metrics: still")) {
                _ = sender.send(());
            }
        });
        Self { child, url, over }
    }

    async fn get(&self, path: &str) -> String {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        client.get(format!("{}/{path}", self.url)).send().await.unwrap().text().await.unwrap()
    }
}

impl Drop for Storefront {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Counters that are in both, and have shrunk.
fn shrunk(before: &Text, after: &Text) -> Vec<String> {
    let counters = before.series.iter().filter(|((name, _), _)| name.ends_with("_total") || name.ends_with("_count"));
    let fell = counters.filter(|(series, value)| after.series.get(*series).is_none_or(|now| now < value));
    fell.map(|(series, _)| format!("{series:?}")).collect()
}

#[tokio::test]
async fn the_storefront_serves_what_its_snapshots_say() {
    let mut storefront = Storefront::start();
    let mut before = Text::default();
    while storefront.over.try_recv().is_err() {
        let now = Text::parse(&storefront.get("metrics").await);
        assert_eq!(shrunk(&before, &now), Vec::<String>::new());
        before = now;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let text = Text::parse(&storefront.get("metrics").await);
    let snapshot: Value = serde_json::from_str(&storefront.get("snapshot").await).unwrap();

    let number = |kind: &str, key: &str| snapshot[kind][0][key].as_f64().unwrap_or_else(|| panic!("{kind} {key}"));
    let id = snapshot["retries"][0]["instance"].as_str().unwrap();
    let own = [("instance", id)];
    let calls = |kind: &str, outcome: &str| {
        text.get("resilience_calls_total", &[("kind", kind), ("instance", id), ("outcome", outcome)]).unwrap()
    };
    for (result, key) in [("retried", "retries"), ("recovered", "recovered"), ("exhausted", "exhausted")] {
        let shown = text.get("resilience_retry_attempts_total", &[("instance", id), ("result", result)]);
        assert_eq!(shown, Some(number("retries", key)), "{result}");
    }
    let timed_out = [("kind", "timeout"), ("instance", id), ("code", "R4C-RT-003")];
    assert_eq!(text.get("resilience_rejections_total", &timed_out), Some(number("timeouts", "timed_out")));
    assert!(number("timeouts", "timed_out") > 0.0, "the service hung");
    assert_eq!(text.get("resilience_rate_limiter_permits", &own), Some(number("rate_limiters", "permits")));
    for (name, key) in [("in_use", "in_use"), ("queued", "queued"), ("max", "max_concurrent")] {
        assert_eq!(text.get(&format!("resilience_bulkhead_{name}"), &own), Some(number("bulkheads", key)), "{name}");
    }
    let state = text.get("resilience_circuit_breaker_state", &own);
    assert_eq!((state, snapshot["circuit_breakers"][0]["state"].as_str()), (Some(0.0), Some("closed")));
    for rate in ["failure_rate", "slow_call_rate"] {
        let shown = text.get(&format!("resilience_circuit_breaker_{rate}"), &own).unwrap();
        assert!((shown * 100.0 - number("circuit_breakers", rate)).abs() < 1e-9, "{rate}");
    }
    // Permits may have come back between the two answers.
    let available = text.get("resilience_rate_limiter_available_permits", &own).unwrap();
    assert!(available > 0.0 && available <= number("rate_limiters", "available_permits"));

    // Nobody is on the way any more: what the retry lets through is what the breaker saw, and so on.
    let sum = |kind: &str| {
        ["success", "failure", "rejected", "ignored", "dropped"].map(|it| calls(kind, it)).iter().sum::<f64>()
    };
    let refused = |kind: &str| {
        let of = text.of("resilience_rejections_total").filter(|(labels, _)| labels["kind"] == kind);
        of.map(|(_, count)| count).sum::<f64>()
    };
    assert!(sum("retry") > 0.0 && sum("circuit_breaker") <= sum("retry") + number("retries", "retries"));
    assert_eq!(sum("rate_limiter"), sum("circuit_breaker") - refused("circuit_breaker"));
    assert!(sum("timeout") >= sum("rate_limiter") - refused("rate_limiter") - calls("rate_limiter", "dropped"));
    assert_eq!(sum("bulkhead"), sum("timeout"));

    // Enter.
    drop(storefront.child.stdin.take());
    assert!(storefront.child.wait().unwrap().success());
}
