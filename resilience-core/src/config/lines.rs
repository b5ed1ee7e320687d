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
                if header == path {
                    found = Some(at + 1);
                }
            } else if path.starts_with(&header.iter().map(String::as_str).collect::<Vec<_>>()) {
                let rest = &path[header.len()..];
                let key = keys(line, '=');
                if !rest.is_empty() && !key.is_empty() && key == rest {
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
        let mut from = 0;
        let mut found = None;
        for part in path {
            let quoted = [format!("\"{part}\""), format!("'{part}'")];
            let at = self.lines[from..].iter().position(|line| {
                let line = line.trim_start_matches([' ', '{', ',', '-', '\t']);
                let names = |name: &str| line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':'));
                names(part) || quoted.iter().any(|it| names(it) || line.contains(&format!("{it}:")))
            })?;
            from += at;
            found = Some(from + 1);
        }
        found
    }
}

/// The dotted keys before `end`: bare, `"quoted"` or `'quoted'`.
fn keys(text: &str, end: char) -> Vec<String> {
    let mut keys = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let (key, after) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => match rest[1..].split_once(quote) {
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
        if key.is_empty() {
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
