//! What stands between the customers and the price service: nothing, or the whole stack.

use std::{sync::Arc, time::Duration};

use resilience::prelude::*;

use super::options::Options;
use crate::prices::Prices;

/// The instance id.
pub(crate) const ID: &str = "prices";

/// Attempts per call, and the longest pause between two.
pub(crate) const ATTEMPTS: u32 = 2;
pub(crate) const PAUSE: Duration = Duration::from_millis(50);

/// Calls per second that the service has agreed to, and how many may be on their way at the same time.
pub(crate) const PER_SECOND: u32 = 500;
pub(crate) const SLOTS: u32 = 8;
pub(crate) const SLOT_WAIT: Duration = Duration::from_millis(20);

/// What a customer is told.
#[derive(Clone, Debug)]
pub(crate) enum Price {
    /// The service said so just now.
    Fresh(String),
    /// What it was yesterday.
    Yesterday(&'static str),
}

type Stack = (Arc<Retry>, (Arc<CircuitBreaker>, (Arc<RateLimiter>, (Arc<Timeout>, (Arc<Bulkhead>, Call)))));
type Answer = Result<Price, reqwest::Error>;
type Guarded = Pipeline<Stack, fn(&Answer) -> Class, Fallback<CopyOf<Price>>>;

pub(crate) enum Shop {
    /// The HTTP client, and nothing else.
    Plain,
    /// The same client inside a pipeline.
    Guarded(Box<Guarded>),
}

impl Shop {
    pub(crate) fn guarded(registry: &Registry, options: &Options) -> Result<Self, RegistryError> {
        let ours = [Kind::BULKHEAD_FULL, Kind::RATE_LIMIT_EXCEEDED];
        let pipeline = Pipeline::builder(registry, ID)
            .classifier(classify as fn(&Answer) -> Class)
            .fallback_value(Price::Yesterday("9.49"))
            // A fifth on top at most, however much fails; and not for want of room of our own.
            .retry(|it| it.max_attempts(ATTEMPTS).delay(PAUSE).budget_percent(20.0).abort_on(ours))
            .circuit_breaker(|it| {
                it.window_size(20)
                    .minimum_calls(10)
                    .failure_rate_threshold(50.0)
                    .wait_in_open(options.wait_in_open())
                    .permitted_in_half_open(3)
                    // Our own limits say nothing about the service.
                    .ignore_on(ours)
            })
            .rate_limiter(|it| it.permits(PER_SECOND).period(Duration::from_secs(1)))
            .timeout(|it| it.timeout(options.timeout))
            .bulkhead(|it| it.max_concurrent(SLOTS).max_wait(SLOT_WAIT))
            .build()?;
        Ok(Self::Guarded(Box::new(pipeline)))
    }

    /// The price of an article, as a customer learns it.
    pub(crate) async fn price(&self, prices: &Prices, article: &str) -> Result<Price, Error<reqwest::Error>> {
        let ask = || async { prices.ask(article).await.map(Price::Fresh) };
        match self {
            Self::Plain => ask().await.map_err(Error::Failed),
            Self::Guarded(pipeline) => pipeline.execute_async(ask).await,
        }
    }
}

/// What an answer says of the service. A 503 is a failure; a 404 is the right answer to a wrong question: not tried
/// again, not counted by the breaker, not covered up by the fallback.
fn classify(answer: &Answer) -> Class {
    match answer {
        Ok(_) => Class::Success,
        Err(error) if error.status().is_some_and(|status| status.is_client_error()) => Class::Ignored,
        Err(_) => Class::failure(Kind::FAILED),
    }
}
