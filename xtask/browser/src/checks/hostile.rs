//! An id can be anything: it is text all the same.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use crate::{driver::Browser, service::Service};

const IDS: [&str; 9] = [
    "<img src=x onerror=\"document.title='hacked'\">",
    "</script><script>document.title='hacked'</script>",
    "\"><svg onload=alert(1)>",
    "' onfocus='alert(1)' autofocus='",
    "javascript:alert(1)",
    "&lt;b&gt;&#60;",
    "a\n\ndata: {\"id\":\"forged\"}\n\n",
    "\u{202e}right to left, 表, 🦀",
    "",
];

pub(crate) async fn ids(browser: &Browser) -> Result<()> {
    let mut ids = IDS.map(str::to_owned).to_vec();
    ids.push("long".repeat(100));
    let service = Service::of(&ids).await?;
    let page = browser.open(&service.url()).await?;
    page.expect("return document.querySelectorAll('.tile').length", ids.len()).await?;
    for id in &ids {
        service.trip(id);
    }
    page.expect("return document.querySelectorAll('.tile[data-state=\"open\"]').length", ids.len()).await?;
    page.expect("return document.querySelectorAll('.news li').length", ids.len()).await?;
    page.shoot("hostile").await?;
    let shown: BTreeSet<_> = page.states().await?.into_keys().collect();
    let expected = ids.iter().map(|id| if id.is_empty() { "(no name)".to_owned() } else { id.clone() });
    ensure!(shown == expected.collect(), "{shown:#?}");
    let foreign =
        "return document.querySelectorAll('main img, main script, main svg[onload], [onfocus], main b').length";
    page.expect(foreign, 0).await?;
    page.expect("return document.documentElement.scrollWidth - innerWidth <= 0", true).await?;

    // Each can be opened, and finds its configuration.
    for at in 1..=ids.len() {
        page.click(&format!(".tile:nth-child({at}) .name")).await?;
        page.expect("return document.querySelectorAll('#detail caption').length", 5).await?;
        page.click(".close").await?;
    }
    let title = page.eval("return document.title").await?;
    ensure!(title == format!("({} open) Resilience", ids.len()), "{title}");
    page.close(&[]).await
}
