//! How long calls wait for a limiter that hands out a permit every five milliseconds, when they come at half its rate, at its
//! rate and at twice its rate; and how punctual it is beside an ideal one.
//!
//! Prints JSON: `cargo xtask bench latency` reads it. `--seconds N` says how long each run is.

mod limiter;
mod traffic;

use std::{env, time::Duration};

use hdrhistogram::Histogram;
use limiter::Limiter;
use resilience_benches::Punctuality;
use serde::Serialize;
use tokio::{runtime::Builder, task::LocalSet};
use traffic::{Run, Traffic};

const INTERVAL: Duration = Duration::from_millis(5);

#[derive(Serialize)]
struct Latency {
    name: &'static str,
    /// `open` or `closed`.
    traffic: &'static str,
    /// Calls that come, in parts of the limiter's rate.
    load: f64,
    calls: usize,
    waits: Quantiles,
    /// Permits per time, in parts of an ideal limiter's.
    rate: f64,
    /// By how much starts were later than an ideal limiter's.
    late: Quantiles,
    /// By how many microseconds one was earlier.
    early: f64,
    /// By how many of those due later one was overtaken.
    overtaken: usize,
}

/// Microseconds.
#[derive(Serialize)]
struct Quantiles {
    half: f64,
    most: f64,
    nearly_all: f64,
    longest: f64,
}

fn main() {
    let seconds = env::args().skip_while(|argument| argument != "--seconds").nth(1);
    let seconds = seconds.map_or(10, |seconds| seconds.parse().expect("--seconds takes a number"));
    let length = Duration::from_secs(seconds);
    let mut all = Vec::new();
    for traffic in [Traffic::Open, Traffic::Closed] {
        for load in [0.5, 1.0, 2.0] {
            all.extend(limiter::ALL.map(|limiter| measure(limiter, traffic, load, length)));
        }
    }
    println!("{}", serde_json::to_string(&all).expect("plain numbers"));
}

/// In a runtime of its own, so that what one leaves behind disturbs nobody.
fn measure(limiter: fn(Duration) -> Limiter, traffic: Traffic, load: f64, length: Duration) -> Latency {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime without workers");
    let run = LocalSet::new().block_on(&runtime, async {
        let limiter = limiter(INTERVAL);
        (limiter.name, traffic.run(&limiter, INTERVAL, load, length).await)
    });
    let (name, Run { starts, waits }) = run;
    let punctuality = Punctuality::of(INTERVAL, &starts).expect("more than one call");
    let mut late = traffic::histogram();
    for late_by in &punctuality.late {
        late.saturating_record(late_by.as_nanos() as u64);
    }
    Latency {
        name,
        traffic: traffic.name(),
        load,
        calls: starts.len(),
        waits: Quantiles::of(&waits),
        rate: punctuality.rate,
        late: Quantiles::of(&late),
        early: micros(punctuality.early.as_nanos() as u64),
        overtaken: punctuality.overtaken,
    }
}

impl Quantiles {
    fn of(nanos: &Histogram<u64>) -> Self {
        let at = |quantile| micros(nanos.value_at_quantile(quantile));
        Self { half: at(0.5), most: at(0.99), nearly_all: at(0.999), longest: micros(nanos.max()) }
    }
}

fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1000.0
}
