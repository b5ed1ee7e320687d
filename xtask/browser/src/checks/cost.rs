//! What a page costs the machine that shows it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use resilience::Random;
use serde_json::json;
use tokio::time::sleep;

use crate::{driver::Browser, page::Page, service::Service};

/// What other programs on the machine add, in caches for one, is least in the best of some windows.
const WINDOWS: u64 = 4;
/// Of each.
const SECONDS: u64 = 4;
/// Of one core.
const MOST: f64 = 5.0;

pub(crate) async fn cost(browser: &Browser) -> Result<()> {
    let service = Service::open(1_000).await?;
    let page = browser.open(&service.url()).await?;
    page.expect("return document.querySelectorAll('.tile').length", 1_000).await?;
    page.chromium("Performance.enable", json!({ "timeDomain": "threadTicks" })).await?;
    let random = Random::seeded(1);
    sleep(Duration::from_secs(2)).await;
    let mut share = f64::INFINITY;
    for window in 0..WINDOWS {
        let before = busy(&page).await?;
        // A tenth of the instances has traffic each second, and one a fault.
        for second in window * SECONDS..(window + 1) * SECONDS {
            for number in 0..100 {
                service.traffic(&format!("instance-{:03}", (second * 100 + number) % 1_000), &random);
            }
            service.fault(&format!("instance-{second:03}"), &random);
            sleep(Duration::from_secs(1)).await;
        }
        share = share.min(100.0 * (busy(&page).await? - before) / SECONDS as f64);
    }
    println!("browser: the page kept {share:.1} % of one core busy");
    ensure!(share < MOST, "the page keeps {share:.1} % of one core busy, at most {MOST} % are allowed");
    page.close(&[]).await
}

/// How long the page's thread has been busy so far, in seconds of the processor.
async fn busy(page: &Page) -> Result<f64> {
    let metrics = page.chromium("Performance.getMetrics", json!({})).await?;
    let metrics = metrics["metrics"].as_array().context("metrics")?;
    let task = metrics.iter().find(|it| it["name"] == "TaskDuration").context("the metric")?;
    task["value"].as_f64().context("a number")
}
