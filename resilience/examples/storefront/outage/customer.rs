//! The customers, who want to know a price, again and again.

use std::{convert::Infallible, sync::Arc, time::Duration};

use reqwest::StatusCode;
use resilience::prelude::*;
use tokio::time::sleep;

use super::{
    journal::Journal,
    policies::{Price, Shop},
    upstream::NOT_SOLD,
};
use crate::prices::Prices;

/// How long a customer looks at an answer, and how soon after an error the button is pressed again.
pub(crate) const THINK: Duration = Duration::from_millis(100);
pub(crate) const AGAIN: Duration = Duration::from_millis(20);

/// What a customer saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The price of the service.
    Fresh,
    /// The service does not sell that.
    NotSold,
    /// The price of yesterday.
    Yesterday,
    /// An error.
    Error,
}

#[derive(Clone)]
pub(crate) struct Customer {
    pub(crate) number: u16,
    pub(crate) shop: Arc<Shop>,
    pub(crate) prices: Prices,
    pub(crate) clock: Clock,
    pub(crate) journal: Arc<Journal>,
}

impl Customer {
    /// Asks until dropped.
    pub(crate) async fn visit(self) -> Infallible {
        // They do not all come at once.
        sleep(THINK * (self.number % 20).into() / 20).await;
        let mut catalogue = ["tea", "tea", "tea", "tea", "tea", "tea", "tea", NOT_SOLD].into_iter().cycle();
        loop {
            let article = catalogue.next().expect("it has no end");
            self.journal.asked(self.number, self.clock.now());
            let seen = Seen::of(&self.shop.price(&self.prices, article).await);
            self.journal.told(self.number, self.clock.now(), seen);
            sleep(if seen == Seen::Error { AGAIN } else { THINK }).await;
        }
    }
}

impl Seen {
    fn of(answer: &Result<Price, Error<reqwest::Error>>) -> Self {
        match answer {
            Ok(Price::Fresh(_price)) => Self::Fresh,
            Ok(Price::Yesterday(_price)) => Self::Yesterday,
            Err(Error::Failed(error)) if error.status() == Some(StatusCode::NOT_FOUND) => Self::NotSold,
            Err(_) => Self::Error,
        }
    }
}
