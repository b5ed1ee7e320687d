//! How sources are cut into files.

use super::Finding;
use crate::lex;
use crate::tree::Tree;

const LONGEST: usize = 500;

/// Files that were longer when the rule came. Entries are only ever taken out.
const LONG: &[&str] = &[];

pub(super) fn maps(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.sources().filter(|file| file.path.ends_with("/src/lib.rs")) {
        let mut before = "";
        for (line, code) in file.code() {
            // The entries of a procedural macro can stand nowhere else.
            let is_entry = before.trim_start().starts_with("#[proc_macro");
            if !code.trim().is_empty() {
                before = code;
            }
            if let Some(kind) = item(code).filter(|_| !is_entry) {
                let fix = "move it to a module of its own and re-export it";
                findings.push(Finding::new(&file.path, line, format!("`{kind}` in a lib.rs"), fix));
            }
        }
    }
    findings
}

/// What kind of item with code in it a line begins, if any.
fn item(code: &str) -> Option<&str> {
    let mut words = code.split(|c| !lex::is_word(c)).filter(|word| !word.is_empty());
    let starts_item = code.trim_start().starts_with(lex::is_word);
    let qualifiers = ["pub", "crate", "super", "in", "self", "async", "const", "unsafe", "extern", "default"];
    let first = words.find(|word| !qualifiers.contains(word))?;
    (starts_item && ["fn", "impl", "struct", "enum", "trait"].contains(&first)).then_some(first)
}

pub(super) fn sizes(tree: &Tree) -> Vec<Finding> {
    sizes_but(tree, LONG)
}

fn sizes_but(tree: &Tree, long: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut excused = Vec::new();
    for file in tree.rust() {
        if file.path.ends_with("/mod.rs") {
            findings.push(Finding::new(&file.path, 1, "a mod.rs", "name the file after its module, beside the folder"));
        }
        let lines = file.lines.len();
        if !file.is_source() || lines <= LONGEST {
            continue;
        }
        if long.contains(&file.path.as_str()) {
            excused.push(file.path.as_str());
        } else {
            let problem = format!("{lines} lines, at most {LONGEST} are allowed");
            findings.push(Finding::new(&file.path, LONGEST + 1, problem, "split it by concept"));
        }
    }
    for path in long.iter().filter(|path| !excused.contains(path)) {
        let fix = "take it out of `LONG` in xtask/src/tidy/layout.rs";
        findings.push(Finding::new(path, 1, "on the list of long files, and no longer long", fix));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{maps, sizes, sizes_but};
    use crate::tidy::found;
    use crate::tree::Tree;

    #[test]
    fn code_in_a_lib_file_is_found() {
        let text = "//! fn a() {}\nmod a;\npub use a::A;\npub(crate) const fn b() {}\nimpl<T> A for B {}\nstruct C;\nconst D: u8 = 1;";
        let lines = [4, 5, 6].map(|line| ("resilience/src/lib.rs".to_owned(), line));
        assert_eq!(found(maps, &[("resilience/src/lib.rs", text)]), lines);
        assert!(found(maps, &[("resilience/src/a.rs", text)]).is_empty());
    }

    #[test]
    fn long_files_are_found() {
        let long = "\n".repeat(501);
        let files = [("xtask/src/a.rs", &*long), ("xtask/tests/a.rs", &long), ("xtask/src/b.rs", &long[1..])];
        assert_eq!(found(sizes, &files), [("xtask/src/a.rs".to_owned(), 501)]);
    }

    #[test]
    fn the_list_of_long_files_only_shrinks() {
        let long = "\n".repeat(501);
        let tree = Tree::of(&[("xtask/src/a.rs", &long), ("xtask/src/b.rs", "short")]);
        let findings = sizes_but(&tree, &["xtask/src/a.rs", "xtask/src/b.rs"]);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "xtask/src/b.rs");
    }

    #[test]
    fn mod_files_are_found() {
        assert_eq!(found(sizes, &[("a/tests/b/mod.rs", "//! b")]), [("a/tests/b/mod.rs".to_owned(), 1)]);
    }
}
