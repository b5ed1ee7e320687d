//! Where the crates name a code, and what for.

use std::path::Path;

use resilience_keys::Code;

use crate::lex::{self, Line};
use crate::tree::{File, Tree};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) code: Code,
    pub(super) path: String,
    /// From 1.
    pub(super) line: usize,
    pub(super) role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A test, or an example that runs as one, expects it: as `Code::X`, or in the text of a message.
    Provokes,
    /// Code that is no test gives it to somebody.
    Reports,
}

/// The crate of the table. That it names a code says nothing about who reports it, and its tests provoke nothing: they
/// write the table out.
const TABLE: &str = "resilience-keys/";

/// In no special order. Comments and comparisons are none.
pub(super) fn all(tree: &Tree) -> Vec<Mention> {
    let ours = |file: &&File| file.path.starts_with("resilience") && !file.path.starts_with(TABLE);
    let is_markdown = |file: &File| Path::new(&file.path).extension().is_some_and(|extension| extension == "md");
    let markdown = |file: &&File| is_markdown(file) && (ours(file) || file.path == "README.md");
    let in_rust = tree.rust().filter(ours).flat_map(in_rust);
    let pages = tree.files.iter().filter(markdown).flat_map(in_markdown);
    in_rust.chain(pages).chain(tree.files.iter().filter(ours).flat_map(in_output)).collect()
}

/// What the compiler prints for a test that is not to compile.
fn in_output(file: &File) -> Vec<Mention> {
    if !(is_test(&file.path) && file.path.ends_with(".stderr")) {
        return Vec::new();
    }
    let lines = (1..).zip(file.text.lines());
    let codes = lines.flat_map(|(line, text)| written(text).map(move |code| (line, code)));
    let known = codes.filter_map(|(line, code)| Some((line, code.parse().ok()?)));
    known.map(|(line, code)| Mention { code, path: file.path.clone(), line, role: Role::Provokes }).collect()
}

fn in_rust(file: &File) -> Vec<Mention> {
    let tests_begin = if is_test(&file.path) { 1 } else { file.tests_begin() };
    let mut mentions = Vec::new();
    let mut before = "";
    let mut example = Example::default();
    for (number, (line, text)) in (1..).zip(file.lines.iter().zip(file.text.lines())) {
        let found = |role| move |code| Mention { code, path: file.path.clone(), line: number, role };
        if number >= tests_begin {
            mentions.extend(expected(line, text, before).into_iter().map(found(Role::Provokes)));
        } else if file.is_source() && !line.import {
            mentions.extend(given(line).map(found(Role::Reports)));
        }
        let doc = line.comment.strip_prefix("///").or_else(|| line.comment.strip_prefix("//!"));
        mentions.extend(example.read(doc.unwrap_or_default()).into_iter().map(found(Role::Provokes)));
        if !line.code.trim().is_empty() {
            before = &line.code;
        }
    }
    mentions
}

/// The pages of the crates are part of their documentation, so their examples run.
fn in_markdown(file: &File) -> Vec<Mention> {
    let mut example = Example::default();
    let mut mentions = Vec::new();
    for (number, text) in (1..).zip(file.text.lines()) {
        let found = |code| Mention { code, path: file.path.clone(), line: number, role: Role::Provokes };
        mentions.extend(example.read(text).into_iter().map(found));
    }
    mentions
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs") || path.contains("/src/testing/")
}

/// Follows Markdown through its fences.
#[derive(Default)]
struct Example {
    is_open: bool,
    runs: bool,
    before: String,
}

impl Example {
    /// The codes that a line expects, if it is one of an example that runs.
    fn read(&mut self, text: &str) -> Vec<Code> {
        if let Some(info) = text.trim_start().strip_prefix("```") {
            self.is_open = !self.is_open;
            self.runs = info.split(',').all(|word| ["", "rust", "should_panic"].contains(&word.trim()));
            return Vec::new();
        }
        if !self.is_open || !self.runs {
            return Vec::new();
        }
        let line = lex::lex(text).into_iter().next().unwrap_or_default();
        let codes = expected(&line, text, &self.before);
        self.before = line.code;
        codes
    }
}

/// The codes that a line of a test expects; `before` is the line of code above it.
fn expected(line: &Line, text: &str, before: &str) -> Vec<Code> {
    let above = |left: &str| if left.trim().is_empty() { is_call(before) } else { is_call(left) };
    let named = named(&line.code).filter(|(_, left, _)| !above(left)).map(|(code, ..)| code);
    let without_comment = text.strip_suffix(line.comment.as_str()).unwrap_or(text);
    named.chain(written(without_comment).filter_map(|text| text.parse().ok())).collect()
}

/// The codes that a line of code gives to somebody, and does not only compare.
fn given(line: &Line) -> impl Iterator<Item = Code> {
    let compares = |left: &str, right: &str| {
        left.contains("matches!(")
            || ["==", "!=", "|"].iter().any(|sign| left.trim_end().ends_with(sign))
            || ["==", "!=", "|", "=>"].iter().any(|sign| right.trim_start().starts_with(sign))
    };
    named(&line.code).filter(move |(_, left, right)| !compares(left, right)).map(|(code, ..)| code)
}

/// Each `Code::X`, with what stands to its left and to its right.
fn named(code: &str) -> impl Iterator<Item = (Code, &str, &str)> {
    const ENUM: &str = "Code::";
    code.match_indices(ENUM).filter_map(move |(at, _)| {
        let (left, right) = (&code[..at], &code[at + ENUM.len()..]);
        let name = right.split(|c| !lex::is_word(c)).next()?;
        let known = Code::ALL.iter().find(|known| format!("{known:?}") == name)?;
        (!left.ends_with(lex::is_word)).then_some((*known, left, &right[name.len()..]))
    })
}

/// Each text that has the form of a code: `R4C-`, letters, a number.
pub(super) fn written(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("R4C-").filter_map(|(at, _)| {
        let rest = &text[at..];
        let whole = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next()?;
        let (family, number) = whole.strip_prefix("R4C-")?.split_once('-')?;
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        (!family.is_empty() && digits > 0).then(|| &rest[.."R4C--".len() + family.len() + digits])
    })
}

/// Whether what follows is an argument of a function, which in a test is how codes are given and not expected.
fn is_call(left: &str) -> bool {
    left.trim_end().strip_suffix('(').is_some_and(|call| {
        let name = call.rsplit(|c| !lex::is_word(c)).next().unwrap_or_default();
        name.starts_with(char::is_lowercase)
    })
}

#[cfg(test)]
mod tests {
    use resilience_keys::Code;

    use super::{Role, all, written};
    use crate::tree::Tree;

    fn mentions(path: &str, text: &str) -> Vec<(Code, usize, Role)> {
        let found = all(&Tree::of(&[(path, text)]));
        found.into_iter().map(|it| (it.code, it.line, it.role)).collect()
    }

    fn provoked(path: &str, text: &str) -> Vec<usize> {
        let found = mentions(path, text).into_iter().filter(|(.., role)| *role == Role::Provokes);
        found.map(|(_, line, _)| line).collect()
    }

    const TIMED_OUT: &str = "assert_eq!(code, Code::TimedOut);";

    #[test]
    fn a_code_that_a_test_expects_is_provoked() {
        assert_eq!(provoked("resilience/tests/it/a.rs", TIMED_OUT), [1]);
        assert_eq!(provoked("resilience/tests/a.rs", "(code == Code::TimedOut, Some(Code::TimedOut))"), [1, 1]);
        assert_eq!(provoked("resilience-core/src/testing/a.rs", TIMED_OUT), [1]);
        let module = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n    {TIMED_OUT}\n}}");
        assert_eq!(provoked("resilience/src/a.rs", &module), [4]);
    }

    #[test]
    fn the_text_of_a_message_counts() {
        assert_eq!(provoked("resilience/tests/a.rs", "reads(it, \"R4C-RT-003: timed out\");"), [1]);
        assert_eq!(provoked("resilience/tests/a.rs", "    \"a\n    R4C-RT-003\" // b"), [2]);
    }

    #[test]
    fn what_the_compiler_prints_counts() {
        assert_eq!(provoked("resilience/tests/ui/a.stderr", "error: late (R4C-ATR-009)\n --> a.rs"), [1]);
        assert!(provoked("resilience/ui/a.stderr", "error: late (R4C-ATR-009)").is_empty(), "no test");
    }

    #[test]
    fn comments_and_what_a_test_only_builds_do_not_count() {
        let built =
            "let a = Rejection::new(Code::TimedOut, b);\nrejected(\n    Code::TimedOut,\n    b\n) // R4C-RT-003";
        assert!(provoked("resilience/tests/a.rs", built).is_empty());
        assert!(provoked("resilience-keys/tests/it/codes.rs", TIMED_OUT).is_empty(), "the table's own tests");
        assert!(provoked("xtask/src/tests/a.rs", TIMED_OUT).is_empty(), "this checker's own tests");
    }

    #[test]
    fn an_example_that_runs_is_a_test() {
        let page = format!("R4C-RT-001\n```\n{TIMED_OUT}\n```\nCode::TimedOut\n```text\n{TIMED_OUT}\n```");
        assert_eq!(provoked("resilience-retry/docs/retry.md", &page), [3]);
        assert!(provoked("docs/en/retry.md", &page).is_empty(), "no crate runs it");
        let doc = format!("/// Code::TimedOut\n/// ```should_panic\n/// {TIMED_OUT}\n/// ```\nfn a() {{}}");
        assert_eq!(provoked("resilience/src/a.rs", &doc), [3]);
        assert!(provoked("resilience/src/a.rs", &doc.replace("should_panic", "ignore")).is_empty());
    }

    #[test]
    fn what_sources_give_is_reported_and_what_they_compare_is_not() {
        let text = "use a::Code;\nlet b = Rejection::new(Code::TimedOut, c);\nSelf::A => Code::Interrupted,\n\
            if d == Code::TimedOut || matches!(d, Code::Interrupted | Code::TimedOut) {}\nCode::TimedOut => e,";
        let expected = [(Code::TimedOut, 2, Role::Reports), (Code::Interrupted, 3, Role::Reports)];
        assert_eq!(mentions("resilience/src/a.rs", text), expected);
        assert!(mentions("resilience/examples/a.rs", text).is_empty());
    }

    #[test]
    fn codes_are_told_from_what_only_looks_like_one() {
        let text = "R4C-RT-001, R4C-ATR- R4C-X (R4C-CFG-014); R4C-RT-002s";
        assert_eq!(written(text).collect::<Vec<_>>(), ["R4C-RT-001", "R4C-CFG-014", "R4C-RT-002"]);
    }
}
