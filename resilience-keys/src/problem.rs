//! What is wrong with one value.

use std::error::Error;
use std::fmt::{self, Write};

use crate::{BadDuration, Code, Key, Section, nearest};

/// What is wrong with one key or value, with all that is needed to put it right.
///
/// `Display` says it on one line; characters that one cannot see are shown escaped.
///
/// ```
/// use resilience_keys::{Problem, RATE_LIMITER};
///
/// let problem = Problem::unknown_key(&RATE_LIMITER, "permit")
///     .at("defaults.rate_limiter")
///     .in_file("app.toml", 3);
/// assert_eq!(
///     problem.to_string(),
///     "app.toml:3: `defaults.rate_limiter.permit`: unknown key; \
///      allowed: permits, period, max_wait, enabled; did you mean `permits`? (R4C-CFG-001)"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The code.
    pub code: Code,
    /// The key, with the path to it where that is known: `instances.geocoding.rate_limiter.permits`.
    pub path: String,
    /// The value as written; empty where the key itself is the problem.
    pub value: Box<str>,
    /// What is allowed, in words (of a source that cannot be read, why); may be empty.
    pub allowed: Box<str>,
    /// The known name that was most likely meant.
    pub nearest: Option<Box<str>>,
    /// Where it was written: a file and line, or an environment variable.
    pub place: Option<Box<str>>,
    /// Where the text of a duration goes wrong.
    pub cause: Option<BadDuration>,
    /// The key that a value contradicts.
    pub contradicts: Option<&'static str>,
}

impl Problem {
    /// A problem with the value of a key.
    pub fn new(code: Code, path: impl Into<String>, value: impl Into<String>, allowed: impl Into<String>) -> Self {
        let (path, value, allowed) = (path.into(), value.into().into(), allowed.into().into());
        Self { code, path, value, allowed, nearest: None, place: None, cause: None, contradicts: None }
    }

    /// A value that contradicts that of the key `other`, which `allowed` names with its value.
    pub fn contradiction(key: &Key, value: impl fmt::Display, other: &Key, allowed: impl Into<String>) -> Self {
        let problem = Self::new(Code::Contradiction, key.name, value.to_string(), allowed);
        Self { contradicts: Some(other.name), ..problem }
    }

    /// A value of the wrong type, for what is no key of a section.
    pub fn wrong_type(path: impl Into<String>, value: impl fmt::Display, allowed: impl Into<String>) -> Self {
        Self::new(Code::OutOfRange, path, value.to_string(), allowed)
    }

    /// A key that the section does not have, with the nearest one that it has.
    pub fn unknown_key(section: &Section, name: &str) -> Self {
        Self::unknown(Code::UnknownKey, name, section.keys.iter().map(|key| key.name))
    }

    /// A name that is none of those that are known, with the nearest of them.
    pub fn unknown<'a>(code: Code, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        Self::new(code, name, "", known.join(", ")).near(nearest(name, known))
    }

    /// Adds the known name that was most likely meant.
    #[must_use]
    pub fn near(mut self, name: Option<&str>) -> Self {
        self.nearest = name.map(Into::into);
        self
    }

    /// Says where a duration goes wrong.
    #[must_use]
    pub(crate) fn because(mut self, cause: BadDuration) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Shows the value as it was written, not as it was read.
    pub(crate) fn written(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.value = text.into();
        }
        self
    }

    /// Puts `prefix` and a dot before the path.
    #[must_use]
    pub fn at(mut self, prefix: &str) -> Self {
        self.path = format!("{prefix}.{}", self.path);
        self
    }

    /// Says in which file and line (from 1) it was written.
    #[must_use]
    pub fn in_file(self, file: impl fmt::Display, line: usize) -> Self {
        self.found_in(format!("{file}:{line}"))
    }

    /// Says where it was written, where that is no line of a file.
    #[must_use]
    pub fn found_in(mut self, place: impl Into<Box<str>>) -> Self {
        self.place = Some(place.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}: ", Visible(place))?;
        }
        write!(f, "`{}", Visible(&self.path))?;
        if !self.value.is_empty() {
            write!(f, " = {}", Visible(&self.value))?;
        }
        write!(f, "`: {}", self.code.summary())?;
        if let Some(cause) = &self.cause {
            write!(f, ": {cause}")?;
        }
        if !self.allowed.is_empty() {
            // A source is not a choice: what is told of it is why.
            let label = if self.code == Code::UnreadableSource { "reason" } else { "allowed" };
            write!(f, "; {label}: {}", Visible(&self.allowed))?;
        }
        if let Some(nearest) = &self.nearest {
            write!(f, "; did you mean `{}`?", Visible(nearest))?;
        }
        write!(f, " ({})", self.code)
    }
}

impl Error for Problem {}

/// A text with line breaks, zero-width characters and the like escaped.
struct Visible<'a>(&'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter {
            '"' | '\'' | '\\' => f.write_char(letter),
            _ => write!(f, "{}", letter.escape_debug()),
        })
    }
}
