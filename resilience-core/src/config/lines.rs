//! In which line of a text a key stands, as far as one can tell without a parser that says so: each part of the path is
//! looked for below the one before.

use super::file::Format;

pub(crate) struct Lines<'a> {
    format: Format,
    lines: Vec<&'a str>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(format: Format, text: &'a str) -> Self {
        Self { format, lines: text.lines().collect() }
    }

    /// The line of the last part of the path, counted from 1.
    pub(crate) fn of(&self, path: &[&str]) -> Option<usize> {
        match self.format {
            Format::Toml => self.toml(path),
            Format::Yaml | Format::Json => self.nested(path),
        }
    }

    /// Under the header that is the longest beginning of the path, the line whose key is the rest of it.
    fn toml(&self, path: &[&str]) -> Option<usize> {
        let mut header: Vec<String> = Vec::new();
        let mut found = None;
        for (at, line) in self.lines.iter().enumerate() {
            let line = line.trim_start();
            if let Some(inside) = line.strip_prefix('[') {
                header = keys(inside.trim_start_matches('['), ']');
                if header.starts_with(&owned(path)) {
                    found = found.or(Some(at + 1));
                }
            } else if path.starts_with(&header.iter().map(String::as_str).collect::<Vec<_>>()) {
                let rest = &path[header.len()..];
                let key = keys(line, '=');
                if !rest.is_empty() && key.starts_with(&owned(rest)) {
                    return Some(at + 1);
                }
                // An inline table further out says it as well as one can tell.
                if !key.is_empty()
                    && key.len() < rest.len()
                    && rest.starts_with(&key.iter().map(String::as_str).collect::<Vec<_>>())
                {
                    found = Some(at + 1);
                }
            }
        }
        found.or_else(|| (path.len() > 1).then(|| self.toml(&path[..path.len() - 1])).flatten())
    }

    fn nested(&self, path: &[&str]) -> Option<usize> {
        let (mut at, mut rest) = (0, *self.lines.first()?);
        for part in path {
            rest = loop {
                if let Some(value) = value(rest, part) {
                    break value;
                }
                at += 1;
                rest = self.lines.get(at)?;
            };
        }
        Some(at + 1)
    }
}

fn owned(path: &[&str]) -> Vec<String> {
    path.iter().map(|part| (*part).to_owned()).collect()
}

/// What follows the key in a line: at its beginning, or in quotes anywhere.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let value = |rest: &'a str| rest.trim_start().strip_prefix(':');
    let begin = line.trim_start_matches([' ', '{', ',', '-', '\t']);
    let escaped = key.replace('\\', "\\\\").replace('"', "\\\"");
    let quoted = [format!("\"{escaped}\""), format!("'{key}'")];
    let in_quotes = || {
        quoted.iter().find_map(|it| line.match_indices(it.as_str()).find_map(|(at, _)| value(&line[at + it.len()..])))
    };
    begin.strip_prefix(key).and_then(value).or_else(in_quotes)
}

/// The dotted keys before `end`: bare, `"quoted"` or `'quoted'`.
fn keys(text: &str, end: char) -> Vec<String> {
    let mut keys = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let (key, after) = match rest.chars().next() {
            Some('"') => match unquoted(&rest[1..]) {
                Some(found) => found,
                None => return Vec::new(),
            },
            Some('\'') => match rest[1..].split_once('\'') {
                Some((key, after)) => (key.to_owned(), after),
                None => return Vec::new(),
            },
            Some(_) => {
                let len =
                    rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
                (rest[..len].to_owned(), &rest[len..])
            }
            None => return Vec::new(),
        };
        if key.is_empty() && !rest.starts_with(['"', '\'']) {
            return Vec::new();
        }
        keys.push(key);
        rest = after.trim_start();
        if rest.starts_with(end) {
            return keys;
        }
        let Some(next) = rest.strip_prefix('.') else { return Vec::new() };
        rest = next.trim_start();
    }
}

/// The text up to the closing quote, its escapes resolved, and what comes after it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let (mut key, mut letters) = (String::new(), text.chars());
    loop {
        match letters.next()? {
            '"' => return Some((key, letters.as_str())),
            '\\' => key.push(match letters.next()? {
                'b' => '\u{8}',
                'e' => '\u{1b}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                kind @ ('x' | 'u' | 'U') => {
                    let count = [('x', 2), ('u', 4), ('U', 8)].iter().find(|(it, _)| *it == kind)?.1;
                    let digits = letters.as_str().get(..count)?;
                    letters = letters.as_str()[digits.len()..].chars();
                    char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
                }
                other => other,
            }),
            letter => key.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_toml_has_them() {
        for (text, expected) in [
            ("a.b-c = 1", &["a", "b-c"][..]),
            ("'a.b' . \"c \\\"d\\\"\" =", &["a.b", "c \"d\""]),
            (r#""\u00f1\U0001F600\x41\t\\".x="#, &["ñ😀A\t\\", "x"]),
            (r#""".x="#, &["", "x"]),
            ("# a = 1", &[]),
            ("\"a = 1", &[]),
            (r#""\u00"="#, &[]),
        ] {
            assert_eq!(keys(text, '='), expected, "{text}");
        }
    }

    #[test]
    fn a_key_is_found_whatever_else_has_its_name() {
        let json = "{\"timeout\": {}, \"defaults\": {\"timeout\":\n{\"a\": \"timeout\",\n\"timeout\": 5}}}";
        assert_eq!(Lines::new(Format::Json, json).of(&["defaults", "timeout", "timeout"]), Some(3));
        let yaml = "defaults:\n  timeout:\n    timeout: 5\n";
        assert_eq!(Lines::new(Format::Yaml, yaml).of(&["defaults", "timeout", "timeout"]), Some(3));
        let toml = "x = 1\n[default.retry]\n[instances.\"a \\\"b\\\"\".retry]\ndelay = 1\nb.c = 2\n";
        let toml = Lines::new(Format::Toml, toml);
        assert_eq!(toml.of(&["default"]), Some(2));
        assert_eq!(toml.of(&["instances", "a \"b\"", "retry", "delay"]), Some(4));
        assert_eq!(toml.of(&["instances", "a \"b\"", "retry", "b"]), Some(5));
    }
}
