//! The value of a key, typed.

use std::fmt::{self, Write};
use std::time::Duration;

use crate::format_duration;

/// The value of a key. There is one variant for each type that [`ValueKind`](crate::ValueKind) knows; no value is the
/// absence of one.
///
/// `Display` writes it as one would in an environment variable or an attribute, and [`Key::parse`](crate::Key::parse)
/// reads the same value back. [`Value::literal`] is for files.
///
/// ```
/// use resilience_keys::{RATE_LIMITER, RETRY, Value};
/// use std::time::Duration;
///
/// let period = RATE_LIMITER.get("period").parse("1m 30s")?;
/// assert_eq!(period, Value::Duration(Duration::from_secs(90)));
/// assert_eq!(period.to_string(), "1m30s");
/// assert_eq!(period.literal().to_string(), "\"1m30s\"");
///
/// let kinds = RETRY.get("retry_on").parse("timed_out, busy")?;
/// assert_eq!(kinds.to_string(), "timed_out, busy");
/// assert_eq!(kinds.literal().to_string(), "[\"timed_out\", \"busy\"]");
/// # Ok::<(), resilience_keys::Problem>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// A length of time.
    Duration(Duration),
    /// A percentage or a factor.
    Number(f64),
    /// `true` or `false`.
    Bool(bool),
    /// One of a key's words, as the table spells it.
    Word(&'static str),
    /// A list of kinds of failure, which may be empty.
    Kinds(Vec<String>),
}

impl Value {
    /// The value as a file has it: TOML, YAML and JSON agree on the form.
    pub fn literal(&self) -> impl fmt::Display {
        Literal(self)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Duration(duration) => write!(f, "{}", format_duration(*duration)),
            Self::Number(number) => write!(f, "{number}"),
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Word(word) => f.write_str(word),
            Self::Kinds(names) if names.is_empty() => f.write_str("[]"),
            Self::Kinds(names) => f.write_str(&names.join(", ")),
        }
    }
}

struct Literal<'a>(&'a Value);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            // A whole number of more digits than a TOML integer holds.
            Value::Number(number) if number.abs() >= 1e15 => write!(f, "{number:?}"),
            Value::Count(_) | Value::Number(_) | Value::Bool(_) => write!(f, "{}", self.0),
            Value::Duration(_) | Value::Word(_) => write!(f, "\"{}\"", self.0),
            Value::Kinds(names) => {
                f.write_char('[')?;
                for (at, name) in names.iter().enumerate() {
                    write!(f, "{}\"{name}\"", if at == 0 { "" } else { ", " })?;
                }
                f.write_char(']')
            }
        }
    }
}
