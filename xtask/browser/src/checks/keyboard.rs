//! Without a mouse.

use anyhow::Result;
use fantoccini::key::Key;

use crate::{driver::Browser, service::Service};

const FOCUS: &str = "return document.activeElement.id || document.activeElement.textContent";

pub(crate) async fn path(browser: &Browser) -> Result<()> {
    let service = Service::open(30).await?;
    let page = browser.open(&service.url()).await?;
    page.expect("return document.querySelectorAll('.tile').length", 30).await?;
    let tab = char::from(Key::Tab).to_string();
    let key = |key: Key| char::from(key).to_string();

    // From the top: past the link for the impatient, the controls and the chips, to the first tile, and only one.
    page.press(&tab).await?;
    page.expect(FOCUS, "Skip to the instances").await?;
    for id in ["search", "sort", "theme"] {
        page.press(&tab).await?;
        page.expect(FOCUS, id).await?;
    }
    page.press(&tab).await?;
    page.expect(FOCUS, "all 30").await?;
    page.press(&tab).await?;
    page.expect(FOCUS, "fine 30").await?;
    page.press(&tab).await?;
    page.expect(FOCUS, "instance-000").await?;
    page.press(&key(Key::Right)).await?;
    page.expect(FOCUS, "instance-001").await?;
    page.press(&key(Key::Down)).await?;
    page.press(&key(Key::Up)).await?;
    page.expect(FOCUS, "instance-001").await?;
    page.press(&key(Key::End)).await?;
    page.expect(FOCUS, "instance-029").await?;
    page.press(&key(Key::Home)).await?;
    page.expect(FOCUS, "instance-000").await?;

    // A tile stays where it is as long as the keyboard is in it.
    service.trip("instance-017");
    page.expect("return document.querySelector('.chip[data-only=\"open\"] strong')?.textContent", "1").await?;
    page.expect(FOCUS, "instance-000").await?;

    // Into an instance and back.
    page.press(&key(Key::Right)).await?;
    page.press(&key(Key::Enter)).await?;
    page.expect(FOCUS, "detail-title").await?;
    page.expect("return document.querySelector('#detail-title').textContent", "instance-001").await?;
    page.expect("return document.querySelectorAll('#detail caption').length", 5).await?;
    page.press(&key(Key::Escape)).await?;
    page.expect(FOCUS, "instance-001").await?;

    // Searching from anywhere.
    page.press("/").await?;
    page.expect(FOCUS, "search").await?;
    page.press("017").await?;
    let shown = "return [...document.querySelectorAll('.tile:not([hidden]) .name')].map((it) => it.textContent).join()";
    page.expect(shown, "instance-017").await?;
    page.press("x").await?;
    page.expect(shown, "").await?;
    page.expect("return document.querySelector('#none').textContent", "None of 30 instances is like that.").await?;
    for _ in 0..4 {
        page.press(&key(Key::Backspace)).await?;
    }
    // Trouble first, now that nobody is among the tiles.
    page.expect("return document.querySelector('.tile .name').textContent", "instance-017").await?;
    page.close(&[]).await
}
