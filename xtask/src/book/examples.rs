//! Every page with Rust in it is a doctest: of the crate that it is rendered from, or of one of the lists here.

use super::markdown::blocks;
use crate::finding::Finding;
use crate::tree::Tree;

/// Where pages are listed that are written by hand; the second has other crates to compare with.
const LISTS: [&str; 2] = ["resilience/src/book.rs", "benches/src/book.rs"];

pub(super) fn tested(tree: &Tree) -> Vec<Finding> {
    let lists: Vec<&str> = LISTS.iter().filter_map(|path| Some(tree.file(path)?.text.as_str())).collect();
    let pages = tree.files.iter().filter_map(|file| {
        let name = file.path.strip_prefix("docs/en/")?.strip_suffix(".md")?;
        let written = file.text.starts_with("<!-- Written by");
        let rust = blocks(&file.text).into_iter().find(|block| block.info.starts_with("rust"))?;
        let listed = lists
            .iter()
            .any(|list| [format!("\"{name}\""), format!("/{name}.md\"")].iter().any(|it| list.contains(it)));
        (!written && !listed).then(|| {
            Finding::new(&file.path, rust.line, "nobody runs this", format!("put the page into {}", LISTS.join(" or ")))
        })
    });
    let bare = tree.files.iter().filter(|file| file.path.starts_with("docs/e")).flat_map(|file| {
        let nameless = blocks(&file.text).into_iter().filter(|block| block.info.is_empty());
        nameless.map(|block| Finding::new(&file.path, block.line, "a block of no language", "say `rust`, `text`, .."))
    });
    pages.chain(bare).collect()
}

#[cfg(test)]
mod tests {
    use super::tested;
    use crate::tree::Tree;

    #[test]
    fn a_page_that_no_crate_has_as_its_tests_is_found() {
        let rust = "\n```rust\n```\n";
        let rendered = format!("<!-- Written by x -->{rust}");
        let tree = Tree::of(&[
            ("docs/en/a.md", rust),
            ("docs/en/b.md", rust),
            ("docs/en/c.md", &rendered),
            ("docs/es/a.md", "```\n```"),
            ("resilience/src/book.rs", "pages! { A = \"a\" }"),
        ]);
        let found: Vec<_> = tested(&tree).into_iter().map(|it| (it.path, it.line)).collect();
        assert_eq!(found, [("docs/en/b.md".to_owned(), 2), ("docs/es/a.md".to_owned(), 1)]);
    }
}
