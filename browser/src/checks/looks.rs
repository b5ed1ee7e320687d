//! Screenshots for people, and what a program can tell of them.

use std::time::Duration;

use anyhow::{Result, ensure};
use resilience::{Random, prelude::*};
use serde_json::json;
use tokio::time::sleep;

use crate::{driver::Browser, page::Page, service::Service};

const IDS: [&str; 12] = [
    "prices",
    "search",
    "stock",
    "reviews",
    "payments",
    "maps.example.com",
    "login",
    "recommendations",
    "shipping",
    "catalogue",
    "mail",
    "images",
];

pub(crate) async fn all(browser: &Browser) -> Result<()> {
    let service = Service::of(&IDS.map(str::to_owned)).await?;
    let page = browser.open(&service.url()).await?;
    let running = stage(&service).await?;
    page.expect("return document.querySelectorAll('.tile').length", IDS.len()).await?;
    scheme(&page, "light").await?;
    page.shoot("light").await?;
    scheme(&page, "dark").await?;
    page.shoot("dark").await?;

    // Whoever wants the other one says so.
    let ground = "return getComputedStyle(document.body).backgroundColor";
    let dark = page.eval(ground).await?;
    page.find("#theme").await?.select_by_value("light").await?;
    ensure!(page.eval(ground).await? != dark, "the theme changes nothing");
    page.find("#theme").await?.select_by_value("auto").await?;
    ensure!(page.eval(ground).await? == dark, "the system's scheme again");

    page.click(".tile[data-state='open'] .name").await?;
    page.expect("return document.querySelectorAll('#detail caption').length", 5).await?;
    page.shoot("detail-dark").await?;
    scheme(&page, "light").await?;
    page.shoot("detail").await?;
    page.click(".close").await?;

    for (name, width, height) in [("phone", 390, 844), ("phone-small", 320, 640), ("tablet", 820, 1180)] {
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 2, "mobile": true });
        page.chromium("Emulation.setDeviceMetricsOverride", screen).await?;
        sleep(Duration::from_millis(300)).await;
        page.shoot(name).await?;
        fits(&page, name).await?;
        page.click(".tile:not([hidden]) .name").await?;
        page.expect("return document.querySelectorAll('#detail caption').length", 5).await?;
        page.shoot(&format!("{name}-detail")).await?;
        fits(&page, name).await?;
        page.click(".close").await?;
    }
    page.chromium("Emulation.clearDeviceMetricsOverride", json!({})).await?;
    running.iter().for_each(tokio::task::JoinHandle::abort);

    let codes = browser.open(&format!("{}/codes#r4c-rt-001", service.url())).await?;
    codes.expect("return document.querySelector(':target')?.textContent", "R4C-RT-001").await?;
    codes.shoot("codes").await?;
    codes.close(&[]).await?;
    page.front().await?;
    page.close(&[]).await
}

async fn scheme(page: &Page, scheme: &str) -> Result<()> {
    let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
    page.chromium("Emulation.setEmulatedMedia", features).await?;
    sleep(Duration::from_millis(400)).await;
    Ok(())
}

/// Nothing sticks out at the side, and what is there to be touched is large enough.
async fn fits(page: &Page, name: &str) -> Result<()> {
    let wide = page.eval("return document.documentElement.scrollWidth - innerWidth").await?;
    ensure!(wide.as_i64() <= Some(0), "{name}: {wide} pixels too wide");
    let small = "return [...document.querySelectorAll('button, select, input')].filter((it) => it.checkVisibility()
        && !it.classList.contains('name') && !it.classList.contains('plain') && it.getBoundingClientRect().height < 24)
        .map((it) => it.className || it.id || it.textContent).join()";
    let small = page.eval(small).await?;
    ensure!(small == "", "{name}: too small to touch: {small}");
    Ok(())
}

/// A bad day, played in ten seconds.
async fn stage(service: &Service) -> Result<Vec<tokio::task::JoinHandle<()>>> {
    let random = Random::seeded(3);
    let mut running = Vec::new();
    for _ in 0..6 {
        running.push(service.occupy("images"));
    }
    running.push(service.occupy("search"));
    for second in 0..24 {
        for id in IDS {
            let permits = service.registry.rate_limiter(id)?;
            let breaker = service.registry.circuit_breaker(id)?;
            let (calls, failing) = match id {
                "prices" if second > 14 => (6, 90),
                "payments" => (26, 4),
                "mail" => (2, 20),
                "search" => (8, if (8..16).contains(&second) { 35 } else { 5 }),
                _ => (5, 3),
            };
            for _ in 0..calls {
                if permits.try_acquire().is_ok() {
                    let fails = random.next_u64() % 100 < failing;
                    _ = breaker.execute(|| if fails { Err("down") } else { Ok(()) });
                }
            }
        }
        if second == 18 {
            service.registry.circuit_breaker("shipping")?.disable();
        }
        if second > 16 {
            let retry = service.registry.retry("login")?;
            let mut attempts = 0;
            _ = retry.execute(|| {
                attempts += 1;
                if attempts == 1 { Err("down") } else { Ok(()) }
            });
        }
        sleep(Duration::from_millis(420)).await;
    }
    Ok(running)
}
