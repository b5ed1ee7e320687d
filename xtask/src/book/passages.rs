//! Passages that stand in several places: between marks with the same name, the text is the same.

use super::markdown::is_page;
use crate::finding::Finding;
use crate::tree::{File, Tree};

const OPENS: &str = "<!-- passage: ";
const CLOSES: &str = "<!-- end of passage -->";

struct Passage<'a> {
    name: &'a str,
    path: &'a str,
    line: usize,
    lines: Vec<&'a str>,
}

pub(super) fn alike(tree: &Tree) -> Vec<Finding> {
    let all: Vec<Passage> = tree.files.iter().filter(|it| may_have(&it.path)).flat_map(passages).collect();
    let mut findings = Vec::new();
    for (at, passage) in all.iter().enumerate() {
        let Some(first) = all[..at].iter().find(|it| it.name == passage.name) else {
            if !all[at + 1..].iter().any(|it| it.name == passage.name) {
                let problem = format!("the passage `{}` stands here only", passage.name);
                findings.push(Finding::new(passage.path, passage.line, problem, "take the marks away"));
            }
            continue;
        };
        if first.lines != passage.lines {
            let same = first.lines.iter().zip(&passage.lines).take_while(|(a, b)| a == b).count();
            let problem = format!("the passage `{}` is another in {}:{}", passage.name, first.path, first.line + same);
            findings.push(Finding::new(passage.path, passage.line + same, problem, "make them the same"));
        }
    }
    findings
}

/// Pages, and the crates' own documentation.
fn may_have(path: &str) -> bool {
    is_page(path) || path.ends_with("/src/lib.rs")
}

fn passages(file: &File) -> Vec<Passage<'_>> {
    let mut passages: Vec<Passage> = Vec::new();
    let mut inside = false;
    for (line, number) in file.text.lines().zip(1..) {
        let text = line.strip_prefix("//!").map_or(line, |text| text.strip_prefix(' ').unwrap_or(text));
        if let Some(name) = text.strip_prefix(OPENS).and_then(|rest| rest.strip_suffix(" -->")) {
            passages.push(Passage { name, path: &file.path, line: number + 1, lines: Vec::new() });
            inside = true;
        } else if text == CLOSES {
            inside = false;
        } else if let Some(passage) = passages.last_mut().filter(|_| inside) {
            // Rust is what rustdoc takes a block for that says nothing else.
            passage.lines.push(if text == "```rust" { "```" } else { text });
        }
    }
    passages
}

#[cfg(test)]
mod tests {
    use super::alike;
    use crate::tree::Tree;

    #[test]
    fn a_passage_is_the_same_in_a_page_and_in_a_crate() {
        let page = |text: &str| format!("x\n<!-- passage: p -->\n{text}\n<!-- end of passage -->\ny");
        let found = |a: &str, b: &str| {
            let tree = Tree::of(&[("a.md", &page(a)), ("a/src/lib.rs", b)]);
            alike(&tree).into_iter().map(|it| (it.path, it.line)).collect::<Vec<_>>()
        };
        let source = "//! <!-- passage: p -->\n//! ```\n//! a\n//! ```\n//! <!-- end of passage -->";
        assert_eq!(found("```rust\na\n```", source), []);
        assert_eq!(found("```rust\nb\n```", source), [("a/src/lib.rs".to_owned(), 3)]);
        assert_eq!(found("a", ""), [("a.md".to_owned(), 3)]);
    }
}
