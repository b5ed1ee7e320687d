//! The numbers of the policies, for Prometheus and for whoever opens the address in a browser.

use std::{
    io::{self, Read},
    net::SocketAddr,
};

use axum::{Router, routing::get};
use clap::Args;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use resilience::{Metrics, prelude::*};
use serde_json::json;

use crate::{
    screen::{Ink, Screen},
    server::Server,
};

#[derive(Debug, Args)]
pub(crate) struct NumbersAddress {
    /// With the policies: `/metrics` and `/snapshot`, until Enter
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<SocketAddr>,
}

/// The bounds of the ranges of waits, in seconds.
const WAITS: [f64; 8] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0];

/// Served as long as this is kept; by default nothing is.
#[derive(Default)]
pub(crate) struct Numbers(Option<Server>);

impl NumbersAddress {
    /// Begins to count, and to tell whoever asks.
    pub(crate) async fn serve(&self, screen: &Screen, registry: &Registry) -> io::Result<Numbers> {
        let Some(address) = self.metrics else { return Ok(Numbers::default()) };
        let builder = PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &WAITS);
        let recorder = builder.map_err(io::Error::other)?.build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).map_err(|_| io::Error::other("there is a recorder already"))?;
        let server = Server::start_at(address, router(registry, handle)).await?;
        screen.line(screen.paint(Ink::Strong, format_args!("\nmetrics: {}/metrics", server.url())))?;
        Ok(Numbers(Some(server)))
    }
}

impl Numbers {
    /// Serves on, until somebody has seen enough.
    pub(crate) async fn linger(self, screen: &Screen) -> io::Result<()> {
        let Some(server) = self.0 else { return Ok(()) };
        screen.line(format_args!("\nmetrics: still at {}/metrics; Enter ends it", server.url()))?;
        tokio::task::spawn_blocking(|| io::stdin().read(&mut [0])).await??;
        server.stop().await
    }
}

fn router(registry: &Registry, handle: PrometheusHandle) -> Router {
    let (metrics, registry) = (Metrics::new(registry), registry.clone());
    let scrape = move || async move {
        metrics.record();
        handle.render()
    };
    let look = move || async move {
        let now = registry.snapshot();
        let text = json!({
            "bulkheads": now.bulkheads(),
            "circuit_breakers": now.circuit_breakers(),
            "rate_limiters": now.rate_limiters(),
            "retries": now.retries(),
            "timeouts": now.timeouts(),
        });
        text.to_string()
    };
    Router::new().route("/metrics", get(scrape)).route("/snapshot", get(look))
}
