//! Just enough JSON to write a schema.

use std::fmt::{self, Write};

pub(super) enum Json {
    Text(String),
    /// A number or `true`, or any literal as it is.
    Bare(String),
    List(Vec<Json>),
    /// In this order.
    Map(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn bare(literal: impl fmt::Display) -> Self {
        Self::Bare(literal.to_string())
    }

    pub(super) fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// A schema that stands in `$defs`.
    pub(super) fn reference(name: &str) -> Self {
        Self::map([("$ref", format!("#/$defs/{name}").into())])
    }

    /// The entries of both maps.
    pub(super) fn and(mut self, other: Self) -> Self {
        if let (Self::Map(entries), Self::Map(more)) = (&mut self, other) {
            entries.extend(more);
        }
        self
    }

    /// A schema with its description in front.
    pub(super) fn about(self, text: &str) -> Self {
        Self::map([("description", text.into())]).and(self)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        match self {
            Self::Text(text) => quoted(f, text),
            Self::Bare(literal) => f.write_str(literal),
            Self::List(items) => enclosed(f, "[]", depth, items, |f, item| item.write(f, depth + 1)),
            Self::Map(entries) => enclosed(f, "{}", depth, entries, |f, (key, value)| {
                quoted(f, key)?;
                f.write_str(": ")?;
                value.write(f, depth + 1)
            }),
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl FromIterator<Json> for Json {
    fn from_iter<I: IntoIterator<Item = Self>>(items: I) -> Self {
        Self::List(items.into_iter().collect())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// Items between a pair of brackets, each on a line of its own.
fn enclosed<T>(
    f: &mut fmt::Formatter<'_>,
    brackets: &str,
    depth: usize,
    items: &[T],
    write: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    let (open, close) = brackets.split_at(1);
    f.write_str(open)?;
    for (at, item) in items.iter().enumerate() {
        write!(f, "{}\n{:indent$}", if at == 0 { "" } else { "," }, "", indent = 2 * depth + 2)?;
        write(f, item)?;
    }
    if !items.is_empty() {
        write!(f, "\n{:indent$}", "", indent = 2 * depth)?;
    }
    f.write_str(close)
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    text.chars().try_for_each(|letter| match letter {
        '"' | '\\' => write!(f, "\\{letter}"),
        '\0'..='\x1f' => write!(f, "\\u{:04x}", u32::from(letter)),
        _ => f.write_char(letter),
    })?;
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn what_a_string_cannot_hold_is_escaped() {
        assert_eq!(Json::from("\"a\\b\"\n\t\u{7f}ñ").to_string(), "\"\\\"a\\\\b\\\"\\u000a\\u0009\u{7f}ñ\"");
    }

    #[test]
    fn each_item_has_a_line_and_nothing_takes_none() {
        let list = [Json::bare(1), Json::map::<&str>([]), Json::List(Vec::new())].into_iter().collect();
        let map = Json::map([("a", list), ("b", Json::bare(true))]);
        assert_eq!(map.to_string(), "{\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"b\": true\n}");
    }
}
