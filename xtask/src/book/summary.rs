//! The table of contents: every page is in it, in the same order in every language.

use super::{markdown::links, twins};
use crate::finding::Finding;
use crate::pages::Language;
use crate::tree::Tree;

pub(super) const NAME: &str = "SUMMARY";

pub(super) fn complete(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let [english, _] = Language::ALL.map(|language| listed(tree, language));
    for language in Language::ALL {
        let (path, listed) = (language.path(NAME), listed(tree, language));
        for name in twins::pages(tree).into_iter().filter(|name| *name != NAME) {
            if tree.file(&language.path(name)).is_some() && !listed.iter().any(|(_, it)| *it == format!("{name}.md")) {
                findings.push(Finding::new(&path, 1, format!("{name}.md is missing"), "put it in its place"));
            }
        }
        // Pages of one language only are another check's.
        let both = |names: &[(usize, &str)], line: bool| -> Vec<String> {
            let kept = names.iter().filter(|(_, it)| listed.iter().any(|other| other.1 == *it));
            kept.filter(|(_, it)| english.iter().any(|other| other.1 == *it))
                .map(|(at, it)| if line { at.to_string() } else { (*it).to_owned() })
                .collect()
        };
        let (here, there) = (both(&listed, false), both(&english, false));
        if let Some(at) = here.iter().zip(&there).position(|(a, b)| a != b) {
            let line = both(&listed, true)[at].parse().unwrap_or(1);
            let problem = format!("{} comes here, and {} in its twin", here[at], there[at]);
            findings.push(Finding::new(&path, line, problem, "keep one order"));
        }
    }
    findings
}

fn listed(tree: &Tree, language: Language) -> Vec<(usize, &str)> {
    tree.file(&language.path(NAME)).map_or_else(Vec::new, |file| links(&file.text))
}

#[cfg(test)]
mod tests {
    use super::complete;
    use crate::tree::Tree;

    fn lines(en: &str, es: &str) -> Vec<(String, usize)> {
        let pages = ["docs/en/a.md", "docs/en/b.md", "docs/es/a.md", "docs/es/b.md"].map(|path| (path, ""));
        let tables = [("docs/en/SUMMARY.md", en), ("docs/es/SUMMARY.md", es)];
        let found = complete(&Tree::of(&[&pages[..], &tables].concat()));
        found.into_iter().map(|it| (it.path, it.line)).collect()
    }

    #[test]
    fn a_page_that_is_not_listed_is_found() {
        let all = "[A](a.md)\n[B](b.md)";
        assert_eq!(lines(all, all), []);
        assert_eq!(lines(all, "[A](a.md)"), [("docs/es/SUMMARY.md".to_owned(), 1)]);
    }

    #[test]
    fn another_order_is_found() {
        assert_eq!(lines("[A](a.md)\n[B](b.md)", "\n[B](b.md)\n[A](a.md)"), [("docs/es/SUMMARY.md".to_owned(), 2)]);
    }
}
