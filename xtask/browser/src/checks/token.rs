//! The way in, and out.

use anyhow::{Result, ensure};

use crate::{driver::Browser, service::Service};

pub(crate) async fn sign_in(browser: &Browser) -> Result<()> {
    let service = Service::locked("open sesame").await?;
    let page = browser.open(&format!("{}/", service.url())).await?;
    page.expect("return document.title", "Resilience: sign in").await?;
    page.press("wrong\n").await?;
    page.expect("return document.querySelector('[role=alert]').textContent", "That is not the token.").await?;
    page.shoot("sign-in").await?;
    page.press("open sesame\n").await?;
    page.expect("return document.querySelectorAll('.tile').length", 3).await?;
    page.expect("return document.cookie", "").await?;
    let address = page.eval("return location.href").await?;
    ensure!(address == format!("{}/", service.url()), "the token is not in the address: {address}");

    // There are no actions.
    page.click(".name").await?;
    page.expect("return document.querySelectorAll('#detail caption').length", 5).await?;
    page.expect("return document.querySelectorAll('.actions').length", 0).await?;
    page.click(".close").await?;

    page.click("#leave button").await?;
    page.expect("return document.title", "Resilience: sign in").await?;
    // Of the form before the token, browsers also look for an icon at the root, which is not ours.
    page.close(&["401", "favicon.ico"]).await
}
