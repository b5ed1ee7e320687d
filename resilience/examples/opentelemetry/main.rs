//! Spans and metrics of a pipeline on their way to an OpenTelemetry collector:
//!
//! ```text
//! cargo run --example opentelemetry --features full
//! ```
//!
//! | file | concept |
//! | --- | --- |
//! | `telemetry` | **what a service sets up**: spans through `tracing-opentelemetry`, metrics through the crate `metrics` |
//! | `collector` | a stand-in for the collector, on this machine: it takes what comes, and says what that was |
//! | `main` | a service: calls that succeed, fail, and are rejected |

mod collector;
mod telemetry;

use std::{error::Error, fmt::Display};

use resilience::prelude::*;

use crate::{collector::Collector, telemetry::Telemetry};

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let collector = runtime.block_on(Collector::start())?;
    let registry = Registry::new();
    let telemetry = Telemetry::start(&registry, collector.url())?;

    let search = Pipeline::builder(&registry, "search")
        .circuit_breaker(|it| it.window_size(8).minimum_calls(8))
        .build()?
        .traced();
    for n in 0..10 {
        // Four of eight fail: the breaker opens, and rejects the last two.
        let answer = search.execute(|| if n < 4 { Ok(n) } else { Err("down") });
        tracing::debug!(?answer, "a search has ended");
    }

    telemetry.stop()?;
    show("spans", &collector.spans());
    show("metrics", &collector.metrics());
    Ok(())
}

fn show(title: &str, lines: &[impl Display]) {
    println!("{title}:");
    for line in lines {
        println!("  {line}");
    }
}
