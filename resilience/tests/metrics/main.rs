//! What recorders show, through the real Prometheus exporter: `text` reads what it writes.

#![expect(clippy::float_cmp, reason = "counts, and shares of small numbers, are exact")]

mod dashboards;
mod instances;
mod labels;
mod late;
mod opentelemetry;
mod outcomes;
mod promql;
mod storefront;
mod text;
mod waits;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusRecorder};
use resilience::{Metrics, prelude::*};

use text::Text;

/// A recorder that is nobody else's, and the numbers of a registry.
struct Scraper {
    /// At an address of its own, by which it is known.
    recorder: Box<PrometheusRecorder>,
    metrics: Metrics,
}

fn recorder() -> PrometheusRecorder {
    let waits = Matcher::Suffix("_seconds".to_owned());
    let builder = PrometheusBuilder::new().set_buckets_for_metric(waits, &[0.1, 1.0, 10.0]).unwrap();
    builder.build_recorder()
}

impl Scraper {
    fn new(registry: &Registry) -> Self {
        Self { recorder: Box::new(recorder()), metrics: Metrics::new(registry) }
    }

    /// What a scrape shows now.
    fn scrape(&self) -> Text {
        metrics::with_local_recorder(&self.recorder, || self.metrics.record());
        Text::parse(&self.recorder.handle().render())
    }

    /// How calls of an instance ended: success, failure, rejected, ignored, dropped.
    fn calls(&self, kind: &str, id: &str) -> [u64; 5] {
        let text = self.scrape();
        ["success", "failure", "rejected", "ignored", "dropped"].map(|outcome| {
            let labels = [("kind", kind), ("instance", id), ("outcome", outcome)];
            text.get("resilience_calls_total", &labels).unwrap() as u64
        })
    }
}
