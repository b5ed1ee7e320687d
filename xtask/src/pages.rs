//! Pages under `docs/` that are rendered from tables, one for each language of the book.

use anyhow::Result;
use serde::Deserialize;
use xshell::Shell;

use crate::finding::Finding;
use crate::tree::Tree;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    En,
    Es,
}

impl Language {
    pub(crate) const ALL: [Self; 2] = [Self::En, Self::Es];

    /// Where a page stands in the book: the twins have the same name in the folders of their languages.
    pub(crate) fn path(self, name: &str) -> String {
        format!("docs/{}/{name}.md", self.pick("en", "es"))
    }

    pub(crate) fn pick<T>(self, en: T, es: T) -> T {
        match self {
            Self::En => en,
            Self::Es => es,
        }
    }
}

/// A text in every language; empty where nobody has written it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Text {
    en: String,
    es: String,
}

impl Text {
    pub(crate) fn said(&self, language: Language) -> &str {
        language.pick(&self.en, &self.es).trim()
    }

    pub(crate) fn is_complete(&self) -> bool {
        Language::ALL.iter().all(|language| !self.said(*language).is_empty())
    }
}

pub(crate) struct Page {
    pub(crate) path: String,
    pub(crate) text: String,
}

pub(crate) fn write(sh: &Shell, pages: &[Page]) -> Result<()> {
    for Page { path, text } in pages {
        sh.write_file(path, text)?;
        println!("wrote {path}");
    }
    Ok(())
}

/// The pages that are not what `command` would write, each at the first line that differs.
pub(crate) fn stale(tree: &Tree, pages: &[Page], command: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for Page { path, text } in pages {
        let written = tree.file(path).map_or("", |file| file.text.as_str());
        if written != text {
            let same = written.lines().zip(text.lines()).take_while(|(written, text)| written == text).count();
            let problem = "not what the tables render to";
            findings.push(Finding::new(path, same + 1, problem, format!("change the tables, then: {command}")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{Language, Page, stale};
    use crate::tree::Tree;

    #[test]
    fn a_page_that_differs_is_found_where_it_does() {
        let page = |path: &str| Page { path: path.to_owned(), text: "a\nb\n".to_owned() };
        let tree = Tree::of(&[("docs/a.md", "a\nb\n"), ("docs/b.md", "a\nc\n"), ("docs/c.md", "a\nb\nc\n")]);
        let findings = stale(&tree, &["docs/a.md", "docs/b.md", "docs/c.md", "docs/d.md"].map(page), "x");
        let places: Vec<_> = findings.iter().map(|it| (it.path.as_str(), it.line)).collect();
        assert_eq!(places, [("docs/b.md", 2), ("docs/c.md", 3), ("docs/d.md", 1)]);
    }

    #[test]
    fn twins_have_one_name() {
        assert_eq!(Language::ALL.map(|it| it.path("a")), ["docs/en/a.md", "docs/es/a.md"]);
    }
}
