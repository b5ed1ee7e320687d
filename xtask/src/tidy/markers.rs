//! What is not finished does not land, and a silenced lint says why.

use super::Finding;
use crate::lex;
use crate::tree::{File, Tree};

pub(super) fn unfinished(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        for (line, code) in file.code() {
            for marker in ["#[ignore", "todo!(", "unimplemented!(", "dbg!("] {
                if lex::names(code, marker) {
                    let fix = "finish it, or leave it out";
                    findings.push(Finding::new(&file.path, line, format!("`{marker}` is left in"), fix));
                }
            }
            if (code.contains("#[allow(") || code.contains("#![allow(")) && !says_why(file, line - 1) {
                let fix = "prefer `#[expect(.., reason = \"..\")]`, or say why in a comment on the line above";
                findings.push(Finding::new(&file.path, line, "a lint is silenced without a reason", fix));
            }
        }
    }
    findings
}

/// Whether the attribute that starts in `row` has a `reason`, or a comment beside or right above it.
fn says_why(file: &File, row: usize) -> bool {
    let end = file.lines[row..].iter().position(|line| line.code.contains(']')).map_or(row, |length| row + length);
    let plain = |comment: &str| !comment.is_empty() && !comment.starts_with("///") && !comment.starts_with("//!");
    let beside = file.lines[row.saturating_sub(1)..=row].iter().any(|line| plain(&line.comment));
    beside || file.lines[row..=end].iter().any(|line| lex::names(&line.code, "reason"))
}

#[cfg(test)]
mod tests {
    use super::unfinished;
    use crate::tidy::found;

    fn lines(text: &str) -> Vec<usize> {
        found(unfinished, &[("a/tests/a.rs", text)]).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn unfinished_code_is_found() {
        assert_eq!(
            lines("#[ignore = \"slow\"]\nfn a() {\n    todo!()\n}\nfn b() { unimplemented!(\"\") }\ndbg!(a);"),
            [1, 3, 5, 6]
        );
    }

    #[test]
    fn prose_and_strings_may_speak_of_it() {
        assert!(lines("// todo!() is refused\nlet a = \"dbg!(\";").is_empty());
    }

    #[test]
    fn a_silenced_lint_says_why() {
        assert_eq!(lines("/// Doc.\n#[allow(dead_code)]\nfn a() {}"), [2]);
        assert_eq!(lines("#![allow(dead_code)]"), [1]);
        assert!(lines("// Kept for b.\n#[allow(dead_code)]").is_empty());
        assert!(lines("#[allow(dead_code)] // kept for b").is_empty());
        assert!(lines("#[allow(\n    dead_code,\n    reason = \"kept for b\"\n)]").is_empty());
    }
}
