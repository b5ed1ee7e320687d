//! One tab, and what one can do with it.

use std::{collections::BTreeMap, fmt::Debug, path::PathBuf, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use fantoccini::{Client, Locator, elements::Element, wd::WindowHandle};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::driver::Own;

/// The page hears of a change within a second; the machine may be slow.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Page {
    client: Client,
    tab: WindowHandle,
    screenshots: PathBuf,
}

impl Page {
    pub(crate) fn new(client: Client, tab: WindowHandle, screenshots: PathBuf) -> Self {
        Self { client, tab, screenshots }
    }

    pub(crate) async fn goto(&self, address: &str) -> Result<()> {
        Ok(self.client.goto(address).await?)
    }

    /// Makes it the tab that is looked at.
    pub(crate) async fn front(&self) -> Result<()> {
        Ok(self.client.switch_to_window(self.tab.clone()).await?)
    }

    /// Fails if the browser complained meanwhile: of a script, of the content security policy. What cannot be reached
    /// because a check stopped it, or refused for want of a token, is in `but`.
    pub(crate) async fn close(self, but: &[&str]) -> Result<()> {
        let log = self.client.issue_cmd(Own { path: "se/log", body: json!({ "type": "browser" }) }).await?;
        let complaints = log.as_array().cloned().unwrap_or_default();
        let text = |it: &Value| it["message"].as_str().unwrap_or_default().to_owned();
        let bad: Vec<_> =
            complaints.iter().filter(|it| it["level"] != "INFO" && it["level"] != "DEBUG").map(text).collect();
        let bad: Vec<_> = bad.iter().filter(|it| !but.iter().any(|but| it.contains(but))).collect();
        ensure!(bad.is_empty(), "the browser complains: {bad:#?}");
        self.client.close_window().await?;
        let first = self.client.windows().await?.into_iter().next().context("the first tab stays")?;
        Ok(self.client.switch_to_window(first).await?)
    }

    pub(crate) async fn find(&self, selector: &str) -> Result<Element> {
        self.client.find(Locator::Css(selector)).await.with_context(|| format!("`{selector}` is not there"))
    }

    pub(crate) async fn click(&self, selector: &str) -> Result<()> {
        Ok(self.find(selector).await?.click().await?)
    }

    /// Keys for whatever has the focus.
    pub(crate) async fn press(&self, keys: &str) -> Result<()> {
        Ok(self.client.active_element().await?.send_keys(keys).await?)
    }

    /// What `return ..` gives.
    pub(crate) async fn eval(&self, script: &str) -> Result<Value> {
        Ok(self.client.execute(script, Vec::new()).await?)
    }

    pub(crate) async fn text(&self, selector: &str) -> Result<String> {
        let script = "return document.querySelector(arguments[0])?.textContent ?? null";
        let text = self.client.execute(script, vec![json!(selector)]).await?;
        Ok(text.as_str().with_context(|| format!("`{selector}` is not there"))?.to_owned())
    }

    /// A command of Chromium's own protocol.
    pub(crate) async fn chromium(&self, command: &str, parameters: Value) -> Result<Value> {
        let body = json!({ "cmd": command, "params": parameters });
        Ok(self.client.issue_cmd(Own { path: "goog/cdp/execute", body }).await?)
    }

    pub(crate) async fn shoot(&self, name: &str) -> Result<()> {
        let image = self.client.screenshot().await?;
        Ok(std::fs::write(self.screenshots.join(format!("{name}.png")), image)?)
    }

    /// The state that each instance shows, and the word for it.
    pub(crate) async fn states(&self) -> Result<BTreeMap<String, (String, String)>> {
        let script = "return [...document.querySelectorAll('.tile')].map((tile) =>
            [tile.querySelector('.name').textContent, tile.dataset.state, tile.querySelector('.badge').textContent])";
        let Value::Array(rows) = self.eval(script).await? else { bail!("no list") };
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        Ok(rows.iter().map(|row| (text(&row[0]), (text(&row[1]), text(&row[2])))).collect())
    }

    /// Until the script returns what is expected.
    pub(crate) async fn expect(&self, script: &str, expected: impl Into<Value>) -> Result<()> {
        let expected = expected.into();
        self.until(script, || self.eval(script), |it| *it == expected).await.map(drop)
    }

    /// Until what is looked at is good; fails with what was seen last.
    pub(crate) async fn until<T: Debug, F: Future<Output = Result<T>>>(
        &self,
        what: &str,
        look: impl Fn() -> F,
        is_good: impl Fn(&T) -> bool,
    ) -> Result<T> {
        let end = Instant::now() + PATIENCE;
        loop {
            let seen = look().await?;
            if is_good(&seen) {
                return Ok(seen);
            }
            ensure!(Instant::now() < end, "{what}: {seen:?} at last");
            sleep(Duration::from_millis(50)).await;
        }
    }
}
