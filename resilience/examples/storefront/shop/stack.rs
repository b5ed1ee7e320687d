//! What stands between the shop and each service.

use std::{sync::Arc, time::Duration};

use resilience::{Call, prelude::*};

use crate::prices::Prices;

/// More than the timeout allows.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

type Layers = (Arc<Retry>, (Arc<CircuitBreaker>, (Arc<RateLimiter>, (Arc<Timeout>, (Arc<Bulkhead>, Call)))));

pub(crate) struct Stack {
    pipeline: Pipeline<Layers>,
    name: &'static str,
}

impl Stack {
    pub(crate) fn new(registry: &Registry, name: &'static str) -> Result<Self, RegistryError> {
        let ours = [Kind::BULKHEAD_FULL, Kind::RATE_LIMIT_EXCEEDED];
        let pipeline = Pipeline::builder(registry, name)
            .retry(|it| it.max_attempts(3).delay(Duration::from_millis(50)).budget_percent(20.0).abort_on(ours))
            .circuit_breaker(|it| {
                it.window_size(30)
                    .minimum_calls(15)
                    .wait_in_open(Duration::from_secs(8))
                    .permitted_in_half_open(5)
                    // Our own limits say nothing about the service.
                    .ignore_on(ours)
            })
            .rate_limiter(|it| it.permits(60).period(Duration::from_secs(1)))
            .timeout(|it| it.timeout(Duration::from_millis(400)))
            .bulkhead(|it| it.max_concurrent(8).max_wait(Duration::from_millis(100)))
            .build()?;
        Ok(Self { pipeline, name })
    }

    pub(crate) async fn ask(&self, client: &Prices) -> Result<String, Error<reqwest::Error>> {
        self.pipeline.execute_async(|| client.ask(self.name)).await
    }
}
