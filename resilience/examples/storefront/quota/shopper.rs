//! The client: shoppers who want to know a price, again and again.

use std::{convert::Infallible, sync::Arc, time::Duration};

use reqwest::StatusCode;
use resilience::prelude::*;

use super::{pipeline::Storefront, tally::Tally};
use crate::prices::Prices;

/// How long a shopper looks at an answer.
pub(crate) const THINK: Duration = Duration::from_millis(15);

#[derive(Clone)]
pub(crate) struct Shopper {
    pub(crate) pipeline: Arc<Storefront>,
    pub(crate) prices: Prices,
    pub(crate) clock: Clock,
    pub(crate) tally: Arc<Tally>,
}

impl Shopper {
    /// Asks until dropped.
    pub(crate) async fn shop(self) -> Infallible {
        loop {
            let pause = match self.pipeline.execute_async(|| self.prices.ask("tea")).await {
                Ok(_price) => THINK,
                Err(Error::Rejected(rejection)) => rejection.retry_after().unwrap_or(THINK),
                Err(Error::Failed(error)) => {
                    // The server counts what it refuses.
                    if error.status() != Some(StatusCode::TOO_MANY_REQUESTS) {
                        self.tally.failed(self.clock.now(), &error);
                    }
                    THINK
                }
            };
            tokio::time::sleep(pause).await;
        }
    }
}
