//! The price service, as a client sees it.

use std::{io, time::Duration};

use reqwest::Client;

#[derive(Clone)]
pub(crate) struct Prices {
    http: Client,
    url: String,
}

impl Prices {
    /// At this address; the client gives up on a call that takes longer than `patience`.
    pub(crate) fn new(url: &str, patience: Duration) -> io::Result<Self> {
        // The calls stay on this machine, whatever the environment says.
        let http = Client::builder().no_proxy().timeout(patience).build().map_err(io::Error::other)?;
        Ok(Self { http, url: url.to_owned() })
    }

    /// A status of 400 and above is an error, so the policies see a call that failed.
    pub(crate) async fn ask(&self, article: &str) -> Result<String, reqwest::Error> {
        let response = self.http.get(format!("{}/price/{article}", self.url)).send().await?;
        response.error_for_status()?.text().await
    }
}
