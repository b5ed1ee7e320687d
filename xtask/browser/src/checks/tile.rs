//! Each thing that a tile and its dialog show, read from the page.

use std::{
    future::{pending, ready},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use resilience::{
    breaker,
    config::{Format, Sources},
    prelude::*,
};
use serde_json::json;

use crate::{driver::Browser, page::Page, service::Service};

const ID: &str = "everything";
const LONG: Duration = Duration::from_secs(600);
const SOURCE: &str = "[instances.everything.retry]\nmax_attempts = 2\n";

pub(crate) async fn whole(browser: &Browser) -> Result<()> {
    let service = Service::empty().await?;
    let registry = &service.registry;
    registry.configure(Sources::new().text("shop.toml", Format::Toml, SOURCE))?;
    Pipeline::builder(registry, ID)
        .retry(|it| it.delay(Duration::from_millis(1)).budget_percent(20.0))
        .circuit_breaker(|it| it.minimum_calls(10).wait_in_open(LONG))
        .rate_limiter(|it| it.permits(2).period(LONG).max_wait(LONG))
        .timeout(|it| it.timeout(Duration::from_millis(20)))
        .bulkhead(|it| it.max_concurrent(1).max_queue(3).max_wait(LONG))
        .build()?;
    let page = browser.open(&service.url()).await?;
    page.expect("return document.querySelectorAll('.tile').length", 1).await?;
    trouble(registry).await?;

    page.expect("return document.querySelector('.tile .badge').textContent", "open").await?;
    let left = registry.retry(ID)?.snapshot().budget_left.context("a budget")?;
    let rows = [
        "breaker: open · 10 of 10 calls failed".to_owned(),
        "permits: 0 of 2 per 10 min left · 1 waiting".to_owned(),
        "slots: 1 of 1 in use · 2 of 3 in line".to_owned(),
        format!("retries: 1 · 0 helped · 1 gave up · budget {left}"),
        "timeout: 20 ms · 1 cut off".to_owned(),
    ];
    for place in [".tile", "#detail"] {
        if place == "#detail" {
            page.click(".tile .name").await?;
        }
        let script = format!(
            "return [...document.querySelectorAll('{place} dt')].map((it) => \
             `${{it.textContent}}: ${{it.nextElementSibling.textContent}}`).join('\\n')"
        );
        page.expect(&script, rows.join("\n")).await?;
        let why = page.text(&format!("{place} .why")).await?;
        ensure!(why.starts_with("next probe in ") && why.ends_with(" min"), "{place}: {why}");
        let said = format!("return document.querySelector('{place} .spark').getAttribute('aria-label')");
        page.expect(&said, "Last two minutes: failure rate now 100 %, at most 100 %; 6 calls rejected").await?;
    }
    let codes = "return [...document.querySelectorAll('.tile .code')].map((it) => it.textContent).join()";
    page.expect(codes, "R4C-RT-001×1,R4C-RT-002×3,R4C-RT-003×1,R4C-RT-004×1").await?;
    let codes = "return [...document.querySelectorAll('#detail .rejections .code')].map((it) => it.href).join()";
    let links = ["1", "2", "3", "4"].map(|it| format!("{}/codes#r4c-rt-00{it}", service.url()));
    page.expect(codes, links.join(",")).await?;

    origins(&page).await?;
    // A reload while the dialog is open shows there too.
    let other = SOURCE.replace('2', "4");
    registry.configure(Sources::new().text("shop.toml", Format::Toml, other))?;
    let latest = "return document.querySelector('.reloads li')?.textContent.split(' ago ')[1]
        ?? document.querySelector('.reloads li')?.textContent";
    let text = "retry `everything`: max_attempts 2 -> 4 (shop.toml:2)";
    page.until(latest, || page.eval(latest), |it| it.as_str().is_some_and(|it| it.ends_with(text))).await?;
    page.close(&[]).await
}

/// Whatever can happen to an instance.
async fn trouble(registry: &Registry) -> Result<()> {
    let (permits, slots) = (registry.rate_limiter(ID)?, registry.bulkhead(ID)?);
    permits.try_acquire_n(2)?;
    ensure!(permits.try_acquire().is_err());
    tokio::spawn(async move { _ = permits.acquire_async().await });
    for _ in 0..3 {
        let slots = registry.bulkhead(ID)?;
        tokio::spawn(async move { _ = slots.execute_async(pending::<Result<(), ()>>).await });
    }
    while slots.snapshot().queued < 2 {
        tokio::task::yield_now().await;
    }
    ensure!(slots.try_enter().is_err());
    ensure!(registry.timeout(ID)?.execute_async(pending::<Result<(), ()>>).await.is_err());
    ensure!(registry.retry(ID)?.execute_async(|| ready(Err::<(), _>("down"))).await.is_err());
    let breaker = registry.circuit_breaker(ID)?;
    while breaker.state() == breaker::State::Closed {
        _ = breaker.execute(|| Err::<(), _>("down"));
    }
    ensure!((0..3).all(|_| breaker.try_acquire().is_err()));
    Ok(())
}

/// The configuration in force, and where each value comes from.
async fn origins(page: &Page) -> Result<()> {
    page.expect("return document.querySelectorAll('#detail caption').length", 5).await?;
    for (key, value, origin) in
        [("max_attempts", "2", "shop.toml:2"), ("permits", "2", "code"), ("failure_rate_threshold", "50", "default")]
    {
        let script = format!(
            "const it = [...document.querySelectorAll('#detail tbody tr')].find((it) => it.cells[0].textContent === '{key}');
             return [it.cells[1].textContent, it.cells[2].textContent]"
        );
        page.expect(&script, json!([value, origin])).await?;
    }
    Ok(())
}
