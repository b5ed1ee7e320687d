//! The states on the page are those of the registry, while faults are injected.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use resilience::{Random, breaker::State, prelude::*};

use crate::{driver::Browser, page::Page, service::Service};

pub(crate) async fn one(browser: &Browser) -> Result<()> {
    agree(browser, 1, 12).await
}

pub(crate) async fn fifty(browser: &Browser) -> Result<()> {
    agree(browser, 50, 6).await
}

pub(crate) async fn thousand(browser: &Browser) -> Result<()> {
    agree(browser, 1_000, 4).await
}

async fn agree(browser: &Browser, instances: usize, rounds: usize) -> Result<()> {
    let service = Service::open(instances).await?;
    let random = Random::seeded(instances as u64);
    let page = browser.open(&service.url()).await?;
    for _ in 0..rounds {
        for state in service.registry.snapshot().circuit_breakers() {
            service.traffic(state.instance.as_str(), &random);
            if instances == 1 || random.next_u64() % 3 == 0 {
                service.fault(state.instance.as_str(), &random);
            }
        }
        same(&page, &service).await?;
    }
    page.close(&[]).await
}

/// Until the page shows what the registry says; both in its tone and in words.
pub(crate) async fn same(page: &Page, service: &Service) -> Result<()> {
    let now = service.registry.snapshot();
    let expected: BTreeMap<_, _> =
        now.circuit_breakers().iter().map(|it| (it.instance.to_string(), it.state)).collect();
    let differs = |seen: &BTreeMap<String, (String, String)>| -> Vec<_> {
        let wrong = expected.iter().filter(|(id, state)| seen.get(*id).is_none_or(|seen| !shows(seen, **state)));
        wrong.take(3).map(|(id, state)| format!("{id}: {state} is shown as {:?}", seen.get(id))).collect()
    };
    let look = || async { page.states().await.map(|seen| (seen.len(), differs(&seen))) };
    let (count, _) = page.until("the states", look, |(_, differs)| differs.is_empty()).await?;
    ensure!(count == expected.len(), "{count} tiles for {} instances", expected.len());

    // The chips count the same.
    let open = expected.values().filter(|state| **state == State::Open).count();
    let script = "return document.querySelector('.chip[data-only=\"open\"] strong').textContent";
    page.expect(script, open.to_string()).await
}

fn shows((tone, word): &(String, String), state: State) -> bool {
    let is_fine = ["fine", "limited", "retrying"].contains(&tone.as_str());
    if state == State::Closed { is_fine && word == tone } else { tone == state.name() && words(word) == words(tone) }
}

/// `half-open` is the word for `half_open`.
fn words(name: &str) -> String {
    name.replace(['_', '-'], " ")
}
