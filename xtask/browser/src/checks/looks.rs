//! Screenshots for people, and what a program can tell of them.

use std::{future::ready, time::Duration};

use anyhow::{Result, ensure};
use resilience::{Random, breaker, prelude::*};
use serde_json::json;
use tokio::{task::JoinHandle, time::sleep};

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
    let clock = ManualClock::new();
    let service = Service::on(&clock.clock(), &IDS.map(str::to_owned)).await?;
    let page = browser.open(&service.url()).await?;
    let running = stage(&service, &clock).await?;
    let alive = tokio::spawn(async move {
        loop {
            sleep(Duration::from_secs(3)).await;
            clock.advance(Duration::from_secs(1));
        }
    });
    page.expect("return document.querySelectorAll('.tile[data-state=\"half_open\"]').length", 1).await?;
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
    running.iter().for_each(JoinHandle::abort);
    alive.abort();

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

/// A bad two minutes, played in a few seconds.
async fn stage(service: &Service, clock: &ManualClock) -> Result<Vec<JoinHandle<()>>> {
    let random = Random::seeded(3);
    let of = |id| service.registry.circuit_breaker(id);
    for (id, wait_in_open) in [("prices", 30), ("reviews", 50)] {
        let config = breaker::Config { wait_in_open: Duration::from_secs(wait_in_open), ..of(id)?.config() };
        of(id)?.reconfigure(breaker::Config { permitted_in_half_open: 3, ..config })?;
    }
    let running = ["images"; 6].iter().chain(&["search"]).map(|id| service.occupy(id)).collect();
    for second in 0..118 {
        for id in IDS {
            let (calls, failing) = match id {
                "prices" if second > 103 => (8, 90),
                "reviews" if (60..64).contains(&second) => (6, 95),
                "reviews" if second > 110 => (u64::from(second == 117), 0),
                "payments" => (12 + 16 * u64::from(second % 40 > 22), 4),
                "mail" => (2, 12),
                "search" => (8, if (30..55).contains(&second) { 38 } else { 5 }),
                _ => (5, 4),
            };
            let permits = service.registry.rate_limiter(id)?;
            for _ in 0..calls {
                if permits.try_acquire().is_ok() {
                    let fails = random.next_u64() % 100 < failing;
                    _ = of(id)?.execute(|| if fails { Err("down") } else { Ok(()) });
                }
            }
        }
        if second == 90 {
            of("shipping")?.disable();
        }
        if second > 110 {
            // The wait before the second attempt is over when the clock moves.
            let retry = service.registry.retry("login")?;
            tokio::spawn(async move {
                let mut attempts = 0;
                let call = || {
                    attempts += 1;
                    ready(if attempts == 1 { Err("down") } else { Ok(()) })
                };
                _ = retry.execute_async(call).await;
            });
        }
        sleep(Duration::from_millis(25)).await;
        clock.advance(Duration::from_secs(1));
        sleep(Duration::from_millis(25)).await;
    }
    Ok(running)
}
