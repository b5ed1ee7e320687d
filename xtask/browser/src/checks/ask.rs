//! What a screen reader is told, and whether people can read the rest.

use anyhow::{Result, ensure};
use resilience::{breaker::CircuitBreaker, prelude::*};
use serde_json::{Value, json};

use crate::{driver::Browser, page::Page, service::Service};

/// Of two colours, and of what is behind an element.
const MEASURE: &str = "
    const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const over = (colours) => {
      pixel.clearRect(0, 0, 1, 1);
      for (const colour of colours) { pixel.fillStyle = colour; pixel.fillRect(0, 0, 1, 1); }
      return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (rgb) => rgb.map((it) => it / 255).map((it) => it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4)
      .reduce((sum, it, at) => sum + it * [0.2126, 0.7152, 0.0722][at], 0);
    const behind = (element) => {
      const colours = [];
      for (let it = element; it; it = it.parentElement) colours.unshift(getComputedStyle(it).backgroundColor);
      return colours;
    };
    const contrast = (ground, colour) => {
      const [more, less] = [light(over(ground)), light(over([...ground, colour]))].sort((a, b) => b - a);
      return (more + 0.05) / (less + 0.05);
    };";

/// The contrast of each text with what is behind it, where it is less than WCAG's AA asks for.
const PALE: &str = "
    const pale = [];
    for (const element of document.querySelectorAll('body *')) {
      const text = [...element.childNodes].some((it) => it.nodeType === 3 && it.data.trim());
      if (!text || !element.checkVisibility() || element.closest('.said, .skip, noscript')) continue;
      const found = contrast(behind(element), getComputedStyle(element).color);
      if (found < 4.5) pale.push(`${element.className || element.tagName}: ${element.textContent} ${found.toFixed(2)}`);
    }
    return [...new Set(pale)].join('\\n');";

/// The same for what is not text: edges of what can be used, bars of pictures.
const FAINT: &str = "
    const faint = [];
    const see = (element, colour) => {
      const found = contrast(behind(element.parentElement), colour);
      if (found < 3) faint.push(`${element.getAttribute('class') || element.id || element.tagName} ${found.toFixed(2)}`);
    };
    for (const it of document.querySelectorAll('input, select, .chip, .actions button')) {
      if (it.checkVisibility()) see(it, getComputedStyle(it).borderTopColor);
    }
    for (const it of document.querySelectorAll('.spark .line, .spark .bars')) see(it, getComputedStyle(it).stroke);
    return [...new Set(faint)].join('\\n');";

pub(crate) async fn names(browser: &Browser) -> Result<()> {
    let service = Service::open(12).await?;
    service.trip("instance-003");
    for (id, act) in [
        ("004", CircuitBreaker::force_open as fn(&CircuitBreaker)),
        ("005", CircuitBreaker::disable),
        ("006", CircuitBreaker::metrics_only),
    ] {
        act(&*service.registry.circuit_breaker(format!("instance-{id}"))?);
    }
    let page = browser.open(&service.url()).await?;
    page.expect("return document.querySelectorAll('.chip:not([hidden])').length", 6).await?;
    for detail in [false, true] {
        if detail {
            page.click(".tile[data-state='open'] .name").await?;
            page.expect("return document.querySelectorAll('#detail caption').length", 5).await?;
        }
        let tree = page.chromium("Accessibility.getFullAXTree", json!({})).await?;
        let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
        let of = |role: &str| -> Vec<Value> {
            nodes.iter().filter(|it| it["ignored"] == false && it["role"]["value"] == role).cloned().collect()
        };
        for role in ["button", "link", "combobox", "searchbox", "textbox", "dialog", "image", "heading"] {
            let nameless =
                of(role).iter().filter(|it| it["name"]["value"].as_str().unwrap_or_default().is_empty()).count();
            ensure!(nameless == 0, "{nameless} of role {role} have no name");
        }
        if detail {
            ensure!(of("dialog").len() == 1 && of("columnheader").len() == 15, "a dialog with tables");
        } else {
            ensure!(of("main").len() == 1 && of("complementary").len() == 1 && of("search").len() == 1, "landmarks");
            ensure!(of("listitem").len() >= 12 && of("heading").len() >= 14, "a list of headed items");
            ensure!(of("status").len() == 1, "one status");
        }
        for scheme in ["light", "dark"] {
            let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
            page.chromium("Emulation.setEmulatedMedia", features).await?;
            for script in [PALE, FAINT] {
                let found = page.eval(&format!("{MEASURE}{script}")).await?;
                ensure!(found == "", "hard to see in {scheme}:\n{}", found.as_str().unwrap_or_default());
            }
        }
    }
    still(&page).await?;
    page.close(&[]).await
}

/// Whoever wants nothing to move sees nothing move.
async fn still(page: &Page) -> Result<()> {
    let moving = "return [...document.querySelectorAll('*')].flatMap((it) => [null, '::before', '::after'].map((part) =>
        getComputedStyle(it, part))).filter((it) => it.transitionDuration !== '0s' || it.animationName !== 'none').length";
    for (wish, moves) in [("no-preference", true), ("reduce", false)] {
        let features = json!({ "features": [{ "name": "prefers-reduced-motion", "value": wish }] });
        page.chromium("Emulation.setEmulatedMedia", features).await?;
        let count = page.eval(moving).await?;
        ensure!((count != 0) == moves, "{wish}: {count} elements move");
    }
    Ok(())
}
