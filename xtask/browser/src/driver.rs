//! The browser: Debian's Chromium behind its driver, each as it is installed.

use std::{path::PathBuf, process::Stdio, time::Duration};

use anyhow::{Context, Result, bail};
use fantoccini::{
    Client, ClientBuilder,
    wd::{Capabilities, WebDriverCompatibleCommand},
};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    process::{Child, Command},
    time::sleep,
};
use url::{ParseError, Url};

use crate::page::Page;

pub(crate) struct Browser {
    client: Client,
    driver: Child,
    screenshots: PathBuf,
}

impl Browser {
    pub(crate) async fn start(screenshots: PathBuf) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
        let mut command = Command::new("chromedriver");
        command.arg(format!("--port={port}")).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let driver = command.spawn().context("chromedriver does not start; `cargo xtask browser` installs it")?;
        let client = connect(&format!("http://127.0.0.1:{port}")).await?;
        Ok(Self { client, driver, screenshots })
    }

    pub(crate) async fn stop(mut self) {
        // Both may be gone already, after a failure for one.
        _ = self.client.close().await;
        _ = self.driver.kill().await;
    }

    /// A page of this address in a new tab, which is the one that is looked at.
    pub(crate) async fn open(&self, address: &str) -> Result<Page> {
        let tab = self.client.new_window(true).await?.handle;
        self.client.switch_to_window(tab.clone()).await?;
        let page = Page::new(self.client.clone(), tab, self.screenshots.clone());
        page.goto(address).await?;
        Ok(page)
    }
}

async fn connect(driver: &str) -> Result<Client> {
    let arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--window-size=1440,1000",
    ];
    let capabilities = json!({
        "goog:chromeOptions": { "args": arguments },
        "goog:loggingPrefs": { "browser": "ALL" },
    });
    let Value::Object(capabilities) = capabilities else { unreachable!("an object") };
    let capabilities: Capabilities = capabilities;
    for _ in 0..100 {
        let mut builder = ClientBuilder::new(HttpConnector::new());
        match builder.capabilities(capabilities.clone()).connect(driver).await {
            Ok(client) => return Ok(client),
            Err(fantoccini::error::NewSessionError::NotW3C(answer)) => bail!("no session: {answer}"),
            Err(fantoccini::error::NewSessionError::SessionNotCreated(error)) => return Err(error.into()),
            Err(_) => sleep(Duration::from_millis(100)).await, // the driver has yet to listen
        }
    }
    bail!("chromedriver does not answer")
}

/// What the standard has no word for: Chromium's own commands, and its console.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) path: &'static str,
    pub(crate) body: Value,
}

impl WebDriverCompatibleCommand for Own {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}
