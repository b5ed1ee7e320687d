//! The pages that crates have of their policies: `docs/en` has what the documentation of the crate says.

use super::items::Items;
use super::rustdoc;
use crate::finding::Finding;
use crate::pages::{Language, Page};
use crate::tree::Tree;

struct Source {
    package: &'static str,
    /// The file in the package's `docs`, and the page in the book's.
    name: &'static str,
    /// The module whose documentation it is; the root if empty.
    module: &'static str,
    /// For a file that has none.
    title: &'static str,
}

const fn root(package: &'static str, name: &'static str) -> Source {
    Source { package, name, module: "", title: "" }
}

const SOURCES: &[Source] = &[
    root("resilience-retry", "retry"),
    root("resilience-breaker", "circuit-breaker"),
    root("resilience-ratelimiter", "rate-limiter"),
    Source {
        package: "resilience-ratelimiter",
        name: "keyed",
        module: "keyed",
        title: "# Rate limiter per key\n\nA rate limiter for each key: a client, a tenant, an address.\n\n",
    },
    root("resilience-timeout", "timeout"),
    root("resilience-bulkhead", "bulkhead"),
    Source { package: "resilience", name: "traits", module: "", title: "# Traits: `#[resilient]`\n\n" },
];

/// The pages, and the names in them that do not exist.
pub(super) fn render(tree: &Tree) -> (Vec<Page>, Vec<Finding>) {
    let (mut pages, mut findings) = (Vec::new(), Vec::new());
    for Source { package, name, module, title } in SOURCES {
        let from = format!("{package}/docs/{name}.md");
        let Some(file) = tree.file(&from) else {
            findings.push(Finding::new(&from, 1, "the page is missing", "write it"));
            continue;
        };
        let page = format!("{title}{}", file.text.trim_start());
        let before = page.lines().count().saturating_sub(file.text.lines().count());
        let (text, unknown) = rustdoc::render(&page, &Items::new(tree, package), module);
        let fix = "name an item of this crate or of resilience_core";
        findings.extend(unknown.into_iter().map(|(line, path)| {
            let problem = format!("`{path}` is found in no source");
            Finding::new(&from, line.saturating_sub(before), problem, fix)
        }));
        let mark = format!("<!-- Written by `cargo xtask book` from {from}: change that. -->\n\n");
        pages.push(Page { path: Language::En.path(name), text: mark + &text });
    }
    (pages, findings)
}
