//! The lines of a TOML text, read one by one: a parser that says where a key stands would be another parser.

/// Tells `found` of each key, with the way to it and the line.
pub(super) fn read(text: &str, mut found: impl FnMut(&[String], usize)) {
    let mut header: Vec<String> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let path = match line.strip_prefix('[') {
            Some(inside) => {
                header = keys(inside.trim_start_matches('['), ']');
                header.truncate(super::DEEPEST);
                header.clone()
            }
            None => match keys(line, '=') {
                keys if keys.is_empty() => continue,
                keys => [header.as_slice(), &keys].concat(),
            },
        };
        for length in 1..=path.len().min(super::DEEPEST) {
            found(&path[..length], at + 1);
        }
    }
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
}
