//! `docs/en` and `docs/es` hold the same pages: the words differ, and what is not words does not.

use super::markdown::{Block, blocks, headings};
use crate::finding::Finding;
use crate::pages::Language;
use crate::tree::{File, Tree};

/// The names of the pages, of either language.
pub(super) fn pages(tree: &Tree) -> Vec<&str> {
    let mut names: Vec<&str> = Language::ALL.iter().flat_map(|language| of(tree, *language)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn of(tree: &Tree, language: Language) -> impl Iterator<Item = &str> {
    let folder = language.pick("docs/en/", "docs/es/");
    tree.files.iter().filter_map(move |file| file.path.strip_prefix(folder)?.strip_suffix(".md"))
}

/// Every page exists in both languages.
pub(super) fn paired(tree: &Tree) -> Vec<Finding> {
    let paths = pages(tree).into_iter().flat_map(|name| Language::ALL.map(|language| language.path(name)));
    paths
        .filter(|path| tree.file(path).is_none())
        .map(|path| Finding::new(&path, 1, "only its twin exists", "translate the twin; its code stays as it is"))
        .collect()
}

/// Twins have the same code and the same outline.
pub(super) fn alike(tree: &Tree) -> Vec<Finding> {
    let twins = pages(tree).into_iter().filter_map(|name| {
        let [en, es] = Language::ALL.map(|language| tree.file(&language.path(name)));
        en.zip(es)
    });
    twins.flat_map(|(en, es)| code(en, es).into_iter().chain(outline(en, es))).collect()
}

fn code(en: &File, es: &File) -> Option<Finding> {
    let (english, spanish) = (blocks(&en.text), blocks(&es.text));
    let fix = |line: usize| format!("make it as {}:{line}", en.path);
    // What is no code, a diagram say, may have words.
    let same = |a: &Block, b: &Block| a.info == b.info && (a.info == "text" || a.text == b.text);
    for (a, b) in english.iter().zip(&spanish) {
        if !same(a, b) {
            let lines = a.text.lines().zip(b.text.lines()).take_while(|(a, b)| a == b).count();
            let within = if a.info == b.info { lines + 1 } else { 0 };
            return Some(Finding::new(
                &es.path,
                b.line + within,
                "the code of its twin is another",
                fix(a.line + within),
            ));
        }
    }
    let problem = format!("{} blocks of code, and its twin has {}", spanish.len(), english.len());
    (english.len() != spanish.len()).then(|| Finding::new(&es.path, 1, problem, fix(1)))
}

fn outline(en: &File, es: &File) -> Option<Finding> {
    let [english, spanish] = [en, es].map(|file| headings(&file.text).collect::<Vec<_>>());
    let differs = english.iter().zip(&spanish).find(|((_, a, _), (_, b, _))| a != b);
    let (line, twin) = match differs {
        Some(((twin, ..), (line, ..))) => (*line, *twin),
        None if english.len() == spanish.len() => return None,
        None => (1, 1),
    };
    Some(Finding::new(
        &es.path,
        line,
        "its sections are not those of its twin",
        format!("make it as {}:{twin}", en.path),
    ))
}

#[cfg(test)]
mod tests {
    use super::{alike, paired};
    use crate::tree::Tree;

    fn differs(en: &str, es: &str) -> Option<usize> {
        alike(&Tree::of(&[("docs/en/a.md", en), ("docs/es/a.md", es)])).first().map(|it| it.line)
    }

    #[test]
    fn a_page_without_its_twin_is_found() {
        let tree = Tree::of(&[("docs/en/a.md", ""), ("docs/en/b.md", ""), ("docs/es/b.md", ""), ("docs/es/c.md", "")]);
        let missing: Vec<_> = paired(&tree).into_iter().map(|it| it.path).collect();
        assert_eq!(missing, ["docs/es/a.md", "docs/en/c.md"]);
    }

    #[test]
    fn words_and_diagrams_may_differ() {
        let page = |title, diagram| format!("# {title}\n```text\n{diagram}\n```\n```rust\ncode\n```\n");
        assert_eq!(differs(&page("Retry", "call"), &page("Reintento", "llamada")), None);
    }

    #[test]
    fn code_that_differs_is_found_at_its_line() {
        assert_eq!(differs("```rust\na\nb\n```", "x\n```rust\na\nc\n```"), Some(4));
        assert_eq!(differs("```rust\na\n```", "```sh\na\n```"), Some(1));
        assert_eq!(differs("```rust\na\n```", "text"), Some(1));
    }

    #[test]
    fn sections_that_differ_are_found() {
        assert_eq!(differs("# A\n## B\n", "# A\n\n### B\n"), Some(3));
        assert_eq!(differs("# A\n## B\n", "# A\n"), Some(1));
    }
}
