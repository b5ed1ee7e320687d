//! The client: shoppers who want to know a price, again and again.

use std::{convert::Infallible, sync::Arc, time::Duration};

use reqwest::{Client, StatusCode};
use resilience::prelude::*;

use crate::{pipeline::Storefront, tally::Tally};

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
            let pause = match self.pipeline.execute_async(|| self.prices.ask()).await {
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

/// The price service, as the client sees it.
#[derive(Clone)]
pub(crate) struct Prices {
    http: Client,
    url: String,
}

impl Prices {
    pub(crate) fn new(url: &str) -> Result<Self, reqwest::Error> {
        Ok(Self { http: Client::builder().no_proxy().build()?, url: url.to_owned() })
    }

    /// A 429 is an error, so the policies see a call that failed.
    async fn ask(&self) -> Result<String, reqwest::Error> {
        let response = self.http.get(&self.url).send().await?;
        response.error_for_status()?.text().await
    }
}
