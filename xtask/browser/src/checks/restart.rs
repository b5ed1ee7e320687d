//! The server goes, and another comes in its place.

use anyhow::Result;

use super::states::same;
use crate::{driver::Browser, service::Service};

pub(crate) async fn restart(browser: &Browser) -> Result<()> {
    let service = Service::open(5).await?;
    let page = browser.open(&service.url()).await?;
    service.trip("instance-001");
    same(&page, &service).await?;
    page.click(".tile .name").await?;

    let address = service.stop().await;
    let lost = "return document.querySelector('#link').dataset.link";
    page.expect(lost, "lost").await?;
    page.shoot("lost").await?;

    let ids = ["instance-003", "other"].map(str::to_owned);
    let service = Service::again(&ids, address).await?;
    page.expect(lost, "live").await?;
    // The instance that was looked at is not there any more.
    page.expect("return document.querySelector('#detail').open", false).await?;
    service.trip("other");
    same(&page, &service).await?;
    page.close(&["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET"]).await
}
