//! Two people look.

use anyhow::Result;
use serde_json::json;

use super::states::same;
use crate::{driver::Browser, service::Service};

pub(crate) async fn two(browser: &Browser) -> Result<()> {
    let service = Service::open(20).await?;
    let first = browser.open(&service.url()).await?;
    service.trip("instance-001");
    same(&first, &service).await?;
    let second = browser.open(&service.url()).await?;
    service.trip("instance-002");
    same(&second, &service).await?;
    // Whoever reloads in the middle of the stream leaves nothing behind.
    for _ in 0..5 {
        second.eval("location.reload()").await?;
    }
    same(&second, &service).await?;
    second.until("the open pages", async || Ok(service.clients()), |pages| *pages == 2).await?;
    // The history of before it came.
    let line = "const d = document.querySelector('.tile .line').getAttribute('d'); return d.split(/[ML]/).length > 2";
    second.expect(line, true).await?;
    first.front().await?;
    same(&first, &service).await?;
    second.front().await?;
    second.close(&[]).await?;
    first.front().await?;
    service.trip("instance-003");
    same(&first, &service).await?;
    first.expect("return document.querySelector('#link').textContent", json!("Live")).await?;
    first.close(&[]).await
}
