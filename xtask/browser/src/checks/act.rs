//! What the page can do, where code allows it.

use anyhow::Result;
use resilience::breaker::State;
use serde_json::json;

use crate::{driver::Browser, service::Service};

const OUTPUT: &str = "return document.querySelector('.output').textContent";
const STATE: &str = "return document.querySelector('#detail').dataset.state";

pub(crate) async fn act(browser: &Browser) -> Result<()> {
    let service = Service::open(1).await?;
    let page = browser.open(&service.url()).await?;
    page.expect("return document.querySelectorAll('.tile').length", 1).await?;
    page.click(".name").await?;
    page.expect("return document.querySelectorAll('#detail caption').length", 5).await?;

    // Once is an accident.
    let force = ".buttons button:nth-child(2)";
    page.click(force).await?;
    page.expect(&format!("return document.querySelector('{force}').textContent"), "Reject every call?").await?;
    assert_eq!(service.state("instance-000"), State::Closed);
    page.click(force).await?;
    page.expect(OUTPUT, "closed -> forced_open").await?;
    page.expect(STATE, "forced_open").await?;
    page.shoot("actions").await?;
    page.click(".buttons button:first-child").await?;
    page.expect(OUTPUT, "forced_open -> closed").await?;
    page.expect(STATE, "fine").await?;

    page.find(".try select").await?.select_by_value("rate_limiter permits").await?;
    page.expect("return document.querySelector('.try input').value", "20").await?;
    page.find(".try input").await?.clear().await?;
    page.find(".try input").await?.send_keys("0").await?;
    page.click(".try button").await?;
    let refused = "return document.querySelector('.output').textContent.includes('R4C-ATR-003')";
    page.expect(refused, true).await?;
    page.click(".buttons button:last-child").await?;
    page.expect(OUTPUT, "nothing changed").await?;
    // All of it is in the log: two transitions, two that made them, a refusal, a reload and who asked for it.
    page.expect("return document.querySelectorAll('.news li').length", json!(7)).await?;
    page.close(&[]).await
}
