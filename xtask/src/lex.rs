//! Tells code from comments, so that a rule about code is not broken by prose and a rule about comments not met by code.

/// One line of Rust, taken apart.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The code, with the content of strings and characters left out.
    pub(crate) code: String,
    /// The comment, with its slashes.
    pub(crate) comment: String,
    /// Whether the line is part of a `use` item.
    pub(crate) import: bool,
}

impl Line {
    pub(crate) fn is_only_comment(&self) -> bool {
        self.code.trim().is_empty() && !self.comment.is_empty()
    }
}

enum State {
    Code,
    LineComment,
    BlockComment(usize),
    Str,
    RawStr(usize),
}

pub(crate) fn lex(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = text.lines().map(|_| Line::default()).collect();
    let chars: Vec<char> = text.chars().collect();
    let (mut at, mut row, mut state) = (0, 0, State::Code);
    while let Some(&c) = chars.get(at) {
        let rest = &chars[at..];
        let mut step = 1;
        if c == '\n' {
            row += 1;
            if matches!(state, State::LineComment) {
                state = State::Code;
            }
            at += 1;
            continue;
        }
        let line = &mut lines[row];
        match state {
            State::Code => match rest {
                ['/', '/', ..] => {
                    line.comment.push_str("//");
                    (state, step) = (State::LineComment, 2);
                }
                ['/', '*', ..] => {
                    line.comment.push_str("/*");
                    (state, step) = (State::BlockComment(1), 2);
                }
                ['"', ..] => {
                    line.code.push('"');
                    state = State::Str;
                }
                ['r', ..] if starts_raw(&line.code, rest) => {
                    let hashes = rest[1..].iter().take_while(|&&c| c == '#').count();
                    line.code.push('"');
                    (state, step) = (State::RawStr(hashes), hashes + 2);
                }
                ['\'', ..] => {
                    line.code.push('\'');
                    step = char_literal(rest).unwrap_or(1);
                }
                _ => line.code.push(c),
            },
            State::LineComment => line.comment.push(c),
            State::BlockComment(depth) => {
                line.comment.push(c);
                match rest {
                    ['/', '*', ..] => (state, step) = (State::BlockComment(depth + 1), 2),
                    ['*', '/', ..] if depth == 1 => (state, step) = (State::Code, 2),
                    ['*', '/', ..] => (state, step) = (State::BlockComment(depth - 1), 2),
                    _ => {}
                }
            }
            // An escaped line end stays for the next turn, which counts rows.
            State::Str => match rest {
                ['\\', escaped, ..] if *escaped != '\n' => step = 2,
                ['"', ..] => {
                    line.code.push('"');
                    state = State::Code;
                }
                _ => {}
            },
            State::RawStr(hashes) => {
                if c == '"' && rest[1..].iter().take_while(|&&c| c == '#').count() >= hashes {
                    line.code.push('"');
                    (state, step) = (State::Code, hashes + 1);
                }
            }
        }
        at += step;
    }
    mark_imports(&mut lines);
    lines
}

/// Whether `rest`, which begins with `r`, opens a raw string: not the end of a name, not a raw identifier.
fn starts_raw(before: &str, rest: &[char]) -> bool {
    let prefix = before.strip_suffix(['b', 'c']).unwrap_or(before);
    !prefix.ends_with(is_word) && rest[1..].iter().find(|&&c| c != '#') == Some(&'"')
}

/// The length of a character literal at the start of `rest`; `None` for a lifetime.
fn char_literal(rest: &[char]) -> Option<usize> {
    match rest {
        ['\'', '\\', _, tail @ ..] => tail.iter().position(|&c| c == '\'').map(|end| end + 4),
        ['\'', _, '\'', ..] => Some(3),
        _ => None,
    }
}

fn mark_imports(lines: &mut [Line]) {
    let mut inside = false;
    for line in lines {
        let code = line.code.trim_start();
        let item = code.strip_prefix("pub").map_or(code, |rest| match rest.split_once(')') {
            Some((scope, rest)) if scope.starts_with('(') => rest.trim_start(),
            _ => rest.trim_start(),
        });
        inside |= item.starts_with("use ");
        line.import = inside;
        inside &= !code.contains(';');
    }
}

/// Every path that a `use` item brings in, spelt out (`use a::{b, c::d}` gives `a::b` and `a::c::d`), with its line index.
pub(crate) fn imports(lines: &[Line]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut prefixes: Vec<String> = Vec::new();
    // Empty again after a closing brace: what follows ends no path.
    let mut path = String::new();
    for (row, line) in lines.iter().enumerate().filter(|(_, line)| line.import) {
        for c in line.code.chars() {
            if matches!(c, ',' | '}' | ';') {
                let whole = path.split_once("use ").map_or("", |(_, whole)| whole.trim_end());
                if !whole.is_empty() && !whole.ends_with("::") {
                    found.push((row, whole.to_owned()));
                }
                path.clear();
            }
            match c {
                '{' => prefixes.push(path.clone()),
                '}' => drop(prefixes.pop()),
                ',' => path.push_str(prefixes.last().map_or("", String::as_str)),
                ';' => {}
                c if !c.is_whitespace() => path.push(c),
                _ if path.ends_with(is_word) => path.push(' '),
                _ => {}
            }
        }
    }
    found
}

/// Whether `code` holds `name` as whole words: `rand::` is not in `operand::new`.
pub(crate) fn names(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = name.starts_with(is_word) && code[..at].ends_with(is_word);
        let after = name.ends_with(is_word) && code[at + name.len()..].starts_with(is_word);
        !before && !after
    })
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::{imports, lex, names};

    fn code(text: &str) -> Vec<String> {
        lex(text).into_iter().map(|line| line.code).collect()
    }

    #[test]
    fn comments_are_not_code() {
        let lines = lex("a(); // b\n/* c /* d */ e\nf */ g");
        assert_eq!(lines[0].code, "a(); ");
        assert_eq!(lines[0].comment, "// b");
        assert_eq!(lines[1].code, "");
        assert_eq!(lines[2].code, " g");
    }

    #[test]
    fn strings_are_emptied_and_may_hold_what_looks_like_a_comment() {
        assert_eq!(code(r#"f("// no \" // no"); g"#), [r#"f(""); g"#]);
        assert_eq!(code("r#\"a \" // b\"# + b"), ["\"\" + b"]);
        assert_eq!(code("br\"a\" r#fn"), ["b\"\" r#fn"]);
        assert_eq!(code("\"a\n// b\" c"), ["\"", "\" c"]);
        assert_eq!(code("\"a \\\n// b\" c"), ["\"", "\" c"]);
    }

    #[test]
    fn a_quote_is_a_character_or_a_lifetime() {
        assert_eq!(code(r"m('/', '\'', '\\') // x"), ["m(', ', ') "]);
        assert_eq!(code("fn f<'a>(x: &'a str) // x"), ["fn f<'a>(x: &'a str) "]);
    }

    #[test]
    fn imports_are_spelt_out() {
        let lines =
            lex("pub(crate) use a::{b, c::{self, d as e}};\nuse f::*;\nfn g() {}\nuse {\n    h,\n    i::j,\n};");
        let paths = imports(&lines);
        let expected = [(0, "a::b"), (0, "a::c::self"), (0, "a::c::d as e"), (1, "f::*"), (4, "h"), (5, "i::j")];
        assert_eq!(paths, expected.map(|(row, path)| (row, path.to_owned())));
        assert!(!lines[2].import);
    }

    #[test]
    fn names_are_whole_words() {
        assert!(names("x = rand::random()", "rand::"));
        assert!(!names("operand::new()", "rand::"));
        assert!(names("core::sync::atomic::AtomicU64", "core::sync::atomic"));
        assert!(!names("resilience_core::sync::atomic::AtomicU64", "core::sync::atomic"));
    }
}
