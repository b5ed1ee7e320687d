//! `docs/{en,es}/error-codes.md`, rendered from the table and the entries.

use std::fmt::Write;

use resilience_keys::Code;

use super::{
    entry::{Entries, Entry},
    family,
};
use crate::pages::{Language, Page};

pub(super) struct Family {
    /// The letters in the middle of its codes.
    pub(super) letters: &'static str,
    pub(super) en: &'static str,
    es: &'static str,
}

/// In the order of the table.
pub(super) const FAMILIES: &[Family] = &[
    Family { letters: "ATR", en: "Values, wherever they are written", es: "Valores, donde sea que se escriban" },
    Family { letters: "MAC", en: "The macro", es: "El macro" },
    Family { letters: "CFG", en: "Files, environment and reload", es: "Archivos, entorno y recarga" },
    Family { letters: "REG", en: "The registry", es: "El registry" },
    Family { letters: "ORD", en: "The order of the layers", es: "El orden de las capas" },
    Family { letters: "RT", en: "Calls that were rejected", es: "Llamadas rechazadas" },
];

pub(super) fn render(entries: &Entries) -> Vec<Page> {
    Language::ALL.map(|language| Page { path: language.path("error-codes"), text: text(entries, language) }).into()
}

fn text(entries: &Entries, language: Language) -> String {
    let mut text = language.pick(include_str!("head.en.md"), include_str!("head.es.md")).to_owned();
    for Family { letters, en, es } in FAMILIES {
        let _ = write!(text, "\n## {}\n", language.pick(en, es));
        for code in Code::ALL.iter().filter(|code| family(**code) == *letters && !code.is_reserved()) {
            if let Some(entry) = entries.get(code.as_str()) {
                section(&mut text, *code, entry, language);
            }
        }
    }
    reserved(&mut text, language);
    text
}

/// The heading is the code alone, so that its anchor is [`Code::anchor`].
fn section(text: &mut String, code: Code, entry: &Entry, language: Language) {
    let meaning = sentence(entry.meaning(code, language));
    let (happened, remedy) = (entry.happened.said(language), entry.remedy.said(language));
    let labels = language.pick(("What happened", "What to do"), ("Qué pasó", "Qué hacer"));
    let _ = write!(text, "\n### {code}\n\n**{meaning}**\n\n");
    let _ = write!(text, "*{}.* {happened}\n\n*{}.* {remedy}\n", labels.0, labels.1);
    if !entry.message.is_empty() {
        let _ = write!(text, "\n```text\n{}\n```\n", entry.message.trim());
    }
}

fn reserved(text: &mut String, language: Language) {
    let title = language.pick("Reserved", "Reservados");
    let why = language.pick(
        "Kept free for a hedge, which sends a second request when the first is slow. Nothing reports them.",
        "Se guardan para un hedge, que manda una segunda solicitud cuando la primera es lenta. Nada los informa.",
    );
    let _ = write!(text, "\n## {title}\n\n{why}\n");
    for code in Code::ALL.iter().filter(|code| code.is_reserved()) {
        let _ = write!(text, "\n### {code}\n");
    }
}

pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use resilience_keys::Code;

    use super::render;
    use crate::codes::entry;
    use crate::pages::Page;

    fn pages() -> Vec<Page> {
        render(&entry::read().expect("well-formed"))
    }

    #[test]
    fn every_code_has_a_section_under_its_anchor_in_both_languages() {
        for Page { path, text } in pages() {
            let headings: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
            for code in Code::ALL {
                assert_eq!(headings.iter().filter(|it| it.to_lowercase() == code.anchor()).count(), 1, "{path} {code}");
            }
            assert_eq!(headings.len(), Code::ALL.len());
        }
    }

    #[test]
    fn a_section_says_what_happened_what_to_do_and_how_it_reads() {
        let [en, es] = &pages()[..] else { panic!("two languages") };
        let expected = "### R4C-RT-004\n\n**Bulkhead full.**\n\n*What happened.* `max_concurrent` calls";
        assert!(en.text.contains(expected), "{}", en.text);
        assert!(es.text.contains("### R4C-RT-004\n\n**Bulkhead lleno.**\n\n*Qué pasó.* Hay"), "{}", es.text);
        for page in [en, es] {
            assert!(page.text.contains("\n```text\nR4C-RT-004: bulkhead full (bulkhead `search`)\n```\n"));
        }
    }

    #[test]
    fn links_between_the_pages_lead_to_headings() {
        fn links<'a>(text: &'a str, page: &str) -> Vec<&'a str> {
            let starts = format!("]({page}#");
            let links: Vec<_> = text.split(&starts).skip(1).filter_map(|rest| rest.split(')').next()).collect();
            assert!(!links.is_empty());
            links
        }
        let frames = [include_str!("../keys/head.en.md"), include_str!("../keys/head.es.md")];
        for (Page { text, .. }, frame) in pages().iter().zip(frames) {
            let headings = frame.lines().filter_map(|line| line.strip_prefix("## "));
            let anchors: Vec<_> = headings.map(|it| it.to_lowercase().replace(' ', "-")).collect();
            for link in links(text, "configuration.md") {
                assert!(anchors.iter().any(|anchor| anchor == link), "{link}");
            }
            for link in links(frame, "error-codes.md") {
                assert!(Code::ALL.iter().any(|code| code.anchor() == link), "{link}");
            }
        }
    }
}
