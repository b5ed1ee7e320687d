//! Every atomic access says which ordering it has and why, and the words agree with the code.

use super::Finding;
use crate::lex;
use crate::tree::{File, Tree};

const ORDERINGS: [&str; 5] = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];
const MARK: &str = "Ordering:";
/// How many lines above its statement an explanation may start.
const REACH: usize = 4;

pub(super) fn explained(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.sources() {
        let tests = file.tests_begin();
        for (number, code) in file.code().take_while(|(number, _)| *number < tests) {
            let used = orderings(file, code);
            let said = explanation(file, number - 1);
            let missing: Vec<&str> = used.into_iter().filter(|name| !lex::names(&said, name)).collect();
            if missing.is_empty() {
                continue;
            }
            let missing = missing.join(", ");
            let problem = if said.is_empty() {
                format!("{missing} without a reason")
            } else {
                format!("the code says {missing}, the comment does not")
            };
            let fix = format!("above the statement: `// {MARK} {missing}; why, and which access it pairs with`");
            findings.push(Finding::new(&file.path, number, problem, fix));
        }
    }
    findings
}

/// The orderings that a line of code names: as `Ordering::X`, or bare as an argument where the file imports them.
fn orderings(file: &File, code: &str) -> Vec<&'static str> {
    let imported = |name: &str| {
        let mut paths = file.imports().map(|(_, path)| path);
        paths.any(|path| path.ends_with(&format!("Ordering::{name}")) || path.ends_with("Ordering::*"))
    };
    let is_argument = |name: &str| {
        let mut arguments = code.split(['(', ',', ')']).map(str::trim);
        arguments.any(|argument| argument == name)
    };
    let mut names = ORDERINGS.to_vec();
    names.retain(|name| lex::names(code, &format!("Ordering::{name}")) || (is_argument(name) && imported(name)));
    names
}

/// What the nearest `// Ordering:` comment in reach says before it speaks of the other side.
fn explanation(file: &File, row: usize) -> String {
    let lines = &file.lines;
    let mut first = row;
    while first > 0 && continues(&lines[first - 1].code) {
        first -= 1;
    }
    first = first.saturating_sub(REACH);
    while first > 0 && lines[first].is_only_comment() && lines[first - 1].is_only_comment() {
        first -= 1;
    }
    let Some(start) = (first..=row).rev().find(|&row| lines[row].comment.contains(MARK)) else {
        return String::new();
    };
    let more = lines[start + 1..].iter().take_while(|line| line.is_only_comment());
    let comment = more.fold(lines[start].comment.clone(), |said, line| said + " " + &line.comment);
    let said = comment.split_once(MARK).map_or("", |(_, said)| said);
    let own_side = said.split(';').next().and_then(|said| said.split("pairs").next());
    own_side.unwrap_or_default().to_owned()
}

/// Whether the statement goes on after this line.
fn continues(code: &str) -> bool {
    let code = code.trim_end();
    !code.is_empty() && !code.ends_with([';', '{', '}'])
}

#[cfg(test)]
mod tests {
    use super::explained;
    use crate::tidy::found;

    fn lines(text: &str) -> Vec<usize> {
        found(explained, &[("resilience-core/src/a.rs", text)]).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn an_ordering_without_a_reason_is_found() {
        assert_eq!(lines("fn f() {\n    a.load(Ordering::Acquire);\n}"), [2]);
        assert_eq!(lines("use o::Ordering::Acquire;\n\na.load(Acquire);"), [3]);
        assert_eq!(lines("// Ordering: Acquire; sees b.\n\n\n\n\na.load(Ordering::Acquire);"), [6]);
    }

    #[test]
    fn a_reason_that_names_another_ordering_is_found() {
        assert_eq!(lines("// Ordering: Relaxed; alone.\na.load(Ordering::Acquire);"), [2]);
        assert_eq!(lines("// Ordering: Relaxed; pairs with the Acquire in b.\na.load(Ordering::Acquire);"), [2]);
        assert_eq!(lines("// Ordering: Release.\na.swap(1, Ordering::AcqRel);"), [2]);
    }

    #[test]
    fn a_reason_on_the_line_or_above_the_statement_is_enough() {
        assert!(lines("a.load(Ordering::Acquire); // Ordering: Acquire; sees b.").is_empty());
        let call = "a.compare_exchange(\n    1,\n    2,\n    Ordering::AcqRel,\n    Ordering::Acquire,\n)";
        assert!(lines(&format!("// Ordering: AcqRel on success, Acquire on failure; sees b.\n{call}")).is_empty());
        let long = "// Ordering: Acquire; sees\n// what\n// was\n// written\n// by\n// b.\na.load(Ordering::Acquire);";
        assert!(lines(long).is_empty());
    }

    #[test]
    fn the_nearest_reason_counts() {
        let text = "// Ordering: Acquire; sees b.\na.load(Ordering::Acquire);\n// Ordering: Relaxed; alone.\na.load(Ordering::Acquire);";
        assert_eq!(lines(text), [4]);
    }

    #[test]
    fn imports_other_names_and_unit_tests_need_none() {
        assert!(lines("use o::Ordering::{self, Acquire};\nf(Event::Release, x == Ordering::Less);").is_empty());
        assert!(lines("f(Release);").is_empty());
        assert!(lines("#[cfg(test)]\nmod tests {\n    a.load(Ordering::Acquire);\n}").is_empty());
    }
}
