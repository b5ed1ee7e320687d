//! What a newcomer sees in the first minute.

use std::time::Duration;

use anyhow::{Result, ensure};
use resilience::{breaker, prelude::*};

use crate::{driver::Browser, service::Service};

pub(crate) async fn whole(browser: &Browser) -> Result<()> {
    let service = Service::open(1).await?;
    let breaker = service.registry.circuit_breaker("instance-000")?;
    let wait = Duration::from_secs(4);
    breaker.reconfigure(breaker::Config { wait_in_open: wait, permitted_in_half_open: 2, ..breaker.config() })?;
    let page = browser.open(&service.url()).await?;
    let state = "return document.querySelector('.tile')?.dataset.state";
    page.expect(state, "fine").await?;

    service.trip("instance-000");
    page.expect(state, "open").await?;
    let why = page.text(".why").await?;
    ensure!(why.starts_with("next probe in "), "{why}");
    page.expect("return document.title", "(1 open) Resilience").await?;
    assert!(breaker.execute(|| Ok::<_, ()>(())).is_err());
    page.expect("return document.querySelector('.codes')?.textContent", "R4C-RT-002×1").await?;
    page.expect("return document.querySelector('.why').textContent", "the next call is a probe").await?;

    assert!(breaker.execute(|| Ok::<_, ()>(())).is_ok());
    page.expect(state, "half_open").await?;
    page.expect("return document.querySelector('.why').textContent", "0 probes running, 1 ended").await?;
    assert!(breaker.execute(|| Ok::<_, ()>(())).is_ok());
    page.expect(state, "fine").await?;
    let script = "return document.querySelector('#news').textContent.includes('half_open -> closed')";
    page.expect(script, true).await?;
    // Said aloud, once and in words.
    page.expect("return document.querySelector('#announce').textContent", "instance-000 is fine").await?;
    page.close(&[]).await
}
