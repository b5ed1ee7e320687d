//! The book as readers get it: its pages need nothing from elsewhere, and their links lead somewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::finding::Finding;

/// Scripts, styles, fonts and pictures are in the book's own folder.
pub(super) fn local(folder: &Path) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (path, text) in texts(folder)? {
        // Only a link that is clicked may lead elsewhere: `<a href=..>`.
        let tags = ["<script", "<link", "<img", "<iframe", "<source", "<image"];
        let loaded = tags.iter().flat_map(|tag| starts(&text, tag)).filter_map(|tag| {
            let tag = tag.split('>').next()?;
            attribute(tag, "src").or_else(|| attribute(tag, "href"))
        });
        let styled = starts(&text, "url(").map(|url| url[4..].trim_start_matches(['"', '\'']));
        let foreign = loaded.chain(styled).find(|url| ["http:", "https:", "//"].iter().any(|it| url.starts_with(it)));
        if let Some(url) = foreign {
            let url: String = url.chars().take(60).collect();
            findings.push(Finding::new(&shown(&path), 1, format!("loads {url}"), "ship it with the book"));
        }
    }
    Ok(findings)
}

/// Links to pages and headings that the book does not have.
pub(super) fn broken(folder: &Path) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let pages = texts(folder)?;
    for (path, text) in pages.iter().filter(|(path, _)| is_page(path)) {
        for target in links(text).filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let to = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            let there = match pages.get(&to) {
                Some(page) => anchor.is_empty() || has(page, anchor),
                None => to.exists(),
            };
            if !there {
                findings.push(Finding::new(&shown(path), 1, format!("{target} is not there"), "mend the link"));
            }
        }
    }
    Ok(findings)
}

/// Links to docs.rs that have no counterpart in the documentation built here.
pub(super) fn undocumented(folder: &Path, doc: &Path) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (path, text) in texts(folder)?.iter().filter(|(path, _)| is_page(path)) {
        for target in links(text) {
            let Some((_, page)) = target.strip_prefix("https://docs.rs/").and_then(|it| it.split_once("/latest/"))
            else {
                continue;
            };
            let (file, anchor) = page.split_once('#').unwrap_or((page, ""));
            let file = if file.ends_with('/') { format!("{file}index.html") } else { file.to_owned() };
            let text = fs::read_to_string(doc.join(file));
            if !text.is_ok_and(|text| anchor.is_empty() || has(&text, anchor)) {
                findings.push(Finding::new(&shown(path), 1, format!("{page} is not documented"), "mend the link"));
            }
        }
    }
    Ok(findings)
}

fn is_page(path: &Path) -> bool {
    // The whole book on one page, for printers, has the links of all others.
    path.extension().is_some_and(|it| it == "html") && !path.ends_with("print.html") && !path.ends_with("toc.html")
}

fn links(page: &str) -> impl Iterator<Item = &str> {
    starts(page, "<a ").filter_map(|tag| attribute(tag.split('>').next()?, "href"))
}

fn has(page: &str, anchor: &str) -> bool {
    page.contains(&format!("id=\"{anchor}\""))
}

/// The text from each place on where it starts with `what`.
fn starts<'a>(text: &'a str, what: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(what).map(|(at, _)| &text[at..])
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Pages, scripts and styles, in every folder below.
fn texts(folder: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            texts.append(&mut self::texts(&path)?);
        } else if path.extension().is_some_and(|it| it == "html" || it == "css") {
            texts.insert(path.clone(), fs::read_to_string(path)?);
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use super::{broken, local, undocumented};

    #[test]
    fn what_is_loaded_or_linked_to_is_there() {
        let folder = env::temp_dir().join(format!("resilience-book-{}", process::id()));
        let doc = folder.join("doc");
        fs::create_dir_all(&doc).expect("a folder");
        let count = |page: &str| {
            let wraps = format!("<p id=\"a\">{page}</p>");
            fs::write(folder.join("page.html"), wraps).expect("a file");
            [local(&folder), broken(&folder), undocumented(&folder, &doc)].map(|it| it.expect("readable").len())
        };
        fs::write(doc.join("struct.A.html"), "<p id=\"method.b\">").expect("a file");
        let docs = |to: &str| format!("<a href=\"https://docs.rs/a/latest/{to}\">");
        let found = [
            count("<a href=\"page.html#a\"><a href=\"#a\"><a href=\"https://x.y\"><script src=\"z.js\">"),
            count("<script async src=\"https://x.y/z.js\">"),
            count("<a href=\"page.html#b\">"),
            count("<a class=\"x\" href=\"other.html\">"),
            count(&docs("struct.A.html#method.b")),
            count(&docs("struct.A.html#method.c")),
        ];
        fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(found, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]]);
    }
}
