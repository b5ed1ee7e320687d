//! The page of the codes in the dashboard, which has no other place to look them up: it works offline.

use std::fmt::Write;

use resilience_keys::Code;

use super::{
    entry::{Entries, Entry},
    family,
    page::{FAMILIES, sentence},
};
use crate::pages::{Language, Page};

const PATH: &str = "resilience-dashboard/assets/codes.html";

pub(super) fn render(entries: &Entries) -> Page {
    let mut text = include_str!("head.html").to_owned();
    for it in FAMILIES {
        let _ = writeln!(text, "\n<h2>{}</h2>", it.en);
        for code in Code::ALL.iter().filter(|code| family(**code) == it.letters && !code.is_reserved()) {
            if let Some(entry) = entries.get(code.as_str()) {
                section(&mut text, *code, entry);
            }
        }
    }
    text.push_str("</main>\n</body>\n</html>\n");
    Page { path: PATH.to_owned(), text }
}

fn section(text: &mut String, code: Code, entry: &Entry) {
    let said = [entry.happened.said(Language::En), entry.remedy.said(Language::En)].map(inline);
    let [happened, remedy] = said;
    let _ = writeln!(text, "\n<h3 id=\"{}\">{code}</h3>", code.anchor());
    let _ = writeln!(text, "<p><strong>{}</strong></p>", inline(&sentence(entry.meaning(code, Language::En))));
    let _ = writeln!(text, "<p><em>What happened.</em> {happened}</p>\n<p><em>What to do.</em> {remedy}</p>");
    if !entry.message.is_empty() {
        let _ = writeln!(text, "<pre>{}</pre>", escaped(entry.message.trim()));
    }
}

/// Of Markdown, what the entries use: code, and links, whose texts stay.
fn inline(text: &str) -> String {
    let mut html = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            let _ = write!(html, "<code>{}</code>", escaped(part));
        } else {
            html.push_str(&escaped(&without_links(part)));
        }
    }
    html
}

fn without_links(text: &str) -> String {
    let mut parts = text.split("](");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some(start) = plain.rfind('[') {
            plain.remove(start);
        }
        plain.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    plain
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use resilience_keys::Code;

    use super::{inline, render};
    use crate::codes::entry;

    #[test]
    fn every_code_that_is_reported_can_be_linked_to() {
        let text = render(&entry::read().expect("well-formed")).text;
        for code in Code::ALL.iter().filter(|code| !code.is_reserved()) {
            assert_eq!(text.matches(&format!("id=\"{}\"", code.anchor())).count(), 1, "{code}");
        }
        // Messages are shown as they are.
        let mut prose = text.split("<h3").skip(1).filter_map(|section| section.split("<pre>").next());
        assert_eq!(prose.find(|it| it.contains("](") || it.contains('`')), None, "Markdown is left over");
    }

    #[test]
    fn code_is_marked_links_lose_their_addresses_and_all_else_is_text() {
        assert_eq!(inline("a `<b>` & [c d](e.md#f), g"), "a <code>&lt;b&gt;</code> &amp; c d, g");
    }
}
