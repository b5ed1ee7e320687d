//! What holds for each instance, as a value and as TOML that loads back.

use std::fmt::{self, Write};

use super::merge::Merged;
use crate::{
    Id, Values, Written,
    keys::{SECTIONS, Section, Value},
};

/// What holds for each instance, key by key, with where each value came from.
///
/// ```
/// use resilience_core::{Registry, config::Effective};
///
/// let effective: Effective = Registry::new().config();
/// assert_eq!(effective.to_toml(), "", "no instance yet");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effective {
    entries: Vec<Entry>,
}

/// The value of one key of one instance. A key that is unset has none.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// The instance.
    pub instance: Id,
    /// The kind of policy.
    pub kind: &'static str,
    /// The key.
    pub key: &'static str,
    /// Its value.
    pub value: Value,
    /// Where the value came from.
    pub origin: Origin,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Nobody set the key.
    Default,
    /// A builder, an attribute or `reconfigure`.
    Code,
    /// A file with its line, or an environment variable.
    Source(String),
}

impl Effective {
    /// All keys that have a value, by instance and policy.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// As a configuration file that says the same, each value with its origin:
    ///
    /// ```toml
    /// [instances."maps.example.com".rate_limiter]
    /// permits = 8  # app.toml:3
    /// period = "1m"  # code
    /// max_wait = "0s"  # default
    /// enabled = true  # default
    /// ```
    pub fn to_toml(&self) -> String {
        let (mut text, mut table) = (String::new(), None);
        for Entry { instance, kind, key, value, origin } in &self.entries {
            if table != Some((instance, kind)) {
                let between = if text.is_empty() { "" } else { "\n" };
                _ = writeln!(text, "{between}[instances.{}.{kind}]", Name(instance.as_str()));
                table = Some((instance, kind));
            }
            _ = writeln!(text, "{key} = {}  # {origin}", value.literal());
        }
        text
    }

    /// Adds an instance that has `live`, where code wrote `written` and all sources together make `expected`.
    pub(crate) fn add(
        &mut self,
        (section, instance): (&'static Section, Id),
        live: &Values,
        expected: &Values,
        merged: &Merged,
        written: &Written,
    ) {
        for key in section.keys {
            let Some(value) = live.get(key.name) else { continue };
            let origin = match merged.places.get(key.name) {
                _ if expected.get(key.name) != Some(value) => Origin::Code, // changed by hand since
                Some(place) => Origin::Source(place.to_string()),
                None if written.values.get(key.name).is_some() => Origin::Code,
                None => Origin::Default,
            };
            let (kind, key, value) = (section.name, key.name, value.clone());
            self.entries.push(Entry { instance, kind, key, value, origin });
        }
    }

    /// All policies of an instance together, in the order of the tables.
    pub(crate) fn sort(&mut self) {
        let place = |kind| SECTIONS.iter().position(|section| section.name == kind);
        self.entries.sort_by_key(|entry| (entry.instance, place(entry.kind)));
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Code => f.write_str("code"),
            // A file may have any name, and a comment has one line.
            Self::Source(place) => place.escape_debug().fmt(f),
        }
    }
}

/// A key as TOML has it: bare where that is possible, else quoted.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        if !self.0.is_empty() && self.0.bytes().all(is_bare) {
            return f.write_str(self.0);
        }
        f.write_char('"')?;
        for letter in self.0.chars() {
            match letter {
                '"' | '\\' => write!(f, "\\{letter}")?,
                '\'' => f.write_char(letter)?,
                // What one cannot see, and what TOML does not allow.
                _ if letter.escape_debug().count() > 1 => write!(f, "\\U{:08X}", u32::from(letter))?,
                _ => f.write_char(letter)?,
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_must_be() {
        let names = [
            ("geo-coding_2", "geo-coding_2"),
            ("", r#""""#),
            ("a.b", r#""a.b""#),
            (r#"it's "a\b""#, r#""it's \"a\\b\"""#),
            ("ñandú", r#""ñandú""#),
            ("a\nb\u{200b}\u{7f}", r#""a\U0000000Ab\U0000200B\U0000007F""#),
        ];
        for (name, expected) in names {
            assert_eq!(Name(name).to_string(), expected);
        }
    }

    #[test]
    fn a_place_stays_on_its_line() {
        let origin = Origin::Source("a\npermits = 1.toml:3".to_owned());
        assert_eq!(origin.to_string(), "a\\npermits = 1.toml:3");
    }
}
