//! What a service sets up once, and takes down at its end.

use std::{error::Error, time::Duration};

use metrics_exporter_opentelemetry::Recorder;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{MetricExporter, Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    metrics::{PeriodicReader, SdkMeterProvider},
    trace::SdkTracerProvider,
};
use resilience::{Metrics, Registry, Upkeep};
use tracing_subscriber::{layer::SubscriberExt, util::SubscriberInitExt};

/// How often the numbers are recorded; the reader sends them on once a minute, or as the environment says.
const EVERY: Duration = Duration::from_secs(10);

pub(crate) struct Telemetry {
    tracers: SdkTracerProvider,
    meters: SdkMeterProvider,
    metrics: Metrics,
    upkeep: Upkeep,
}

impl Telemetry {
    /// Spans and metrics go to the collector at `url` from now on.
    pub(crate) fn start(registry: &Registry, url: &str) -> Result<Self, Box<dyn Error>> {
        let resource = Resource::builder().with_service_name("storefront").build();

        let spans = SpanExporter::builder().with_http().with_protocol(Protocol::HttpJson);
        let spans = spans.with_endpoint(format!("{url}/v1/traces")).build()?;
        let tracers = SdkTracerProvider::builder().with_resource(resource.clone()).with_batch_exporter(spans).build();
        let layer = tracing_opentelemetry::layer().with_tracer(tracers.tracer("resilience"));
        tracing_subscriber::registry().with(layer).try_init()?;

        let numbers = MetricExporter::builder().with_http().with_protocol(Protocol::HttpJson);
        let numbers = numbers.with_endpoint(format!("{url}/v1/metrics")).build()?;
        let reader = PeriodicReader::builder(numbers).build();
        let bridge = Recorder::builder("resilience");
        let bridge = bridge.with_meter_provider(|it| it.with_resource(resource).with_reader(reader));
        let (meters, _recorder) = bridge.install()?;
        let metrics = Metrics::new(registry);
        let upkeep = metrics.upkeep(EVERY)?;
        Ok(Self { tracers, meters, metrics, upkeep })
    }

    /// Sends what has not been sent yet.
    pub(crate) fn stop(self) -> Result<(), Box<dyn Error>> {
        drop(self.upkeep);
        self.metrics.record();
        self.meters.shutdown()?;
        self.tracers.shutdown()?;
        Ok(())
    }
}
