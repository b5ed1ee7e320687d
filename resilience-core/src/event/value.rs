use std::{borrow::Cow, fmt, time::Duration};

use crate::{Code, Id, Kind, Nanos, Settings, registry::Difference};

/// What an event says, as names and values: its form in JSON and in tracing.
///
/// Tracing shows them beside `kind`, `instance`, `type`, `time` and `message`, which are taken.
pub type Fields<'a> = Vec<(&'static str, Value<'a>)>;

/// The value of a field. Times and durations are seconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// None, this time: `null` in JSON, left out by tracing.
    None,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Number(u64),
    /// Any other number, seconds for one.
    Float(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// A list of objects.
    Rows(Vec<Fields<'a>>),
}

impl Value<'static> {
    /// What is different between two configurations: a row of `key`, `from` and `to` for each key.
    pub fn changes<S: Settings>(from: &S, to: &S) -> Self {
        let row = |it: Difference| vec![("key", it.key.into()), ("from", it.existing.into()), ("to", it.asked.into())];
        Self::Rows(from.differences(to).into_iter().map(row).collect())
    }
}

/// Writes that a live configuration was changed, and in what: ` key from -> to` for each key.
///
/// # Errors
///
/// That of the formatter.
pub fn write_changes<S: Settings>(f: &mut fmt::Formatter<'_>, from: &S, to: &S) -> fmt::Result {
    f.write_str("reconfigured:")?;
    let mut differences = from.differences(to).into_iter();
    differences.try_for_each(|Difference { key, existing, asked }| write!(f, " {key} {existing} -> {asked}"))
}

/// As one line: `key=permits from=50 to=7; ..` for rows.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Text(text) => text.escape_debug().fmt(f),
            Self::Rows(rows) => rows.iter().enumerate().try_for_each(|(at, row)| {
                f.write_str(if at > 0 { "; " } else { "" })?;
                row.iter().enumerate().try_for_each(|(at, (name, value))| {
                    f.write_str(if at > 0 { " " } else { "" })?;
                    write!(f, "{name}={value}")
                })
            }),
        }
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        Self::Number(value)
    }
}

impl From<u32> for Value<'_> {
    fn from(value: u32) -> Self {
        Self::Number(value.into())
    }
}

impl From<Duration> for Value<'_> {
    fn from(value: Duration) -> Self {
        Self::Float(value.as_secs_f64())
    }
}

/// `NEVER` is none.
impl From<Nanos> for Value<'_> {
    fn from(value: Nanos) -> Self {
        if value.is_never() { Self::None } else { Duration::from(value).into() }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value.into())
    }
}

impl From<String> for Value<'_> {
    fn from(value: String) -> Self {
        Self::Text(value.into())
    }
}

impl From<Id> for Value<'_> {
    fn from(value: Id) -> Self {
        value.as_str().into()
    }
}

impl From<Kind> for Value<'_> {
    fn from(value: Kind) -> Self {
        value.name().into()
    }
}

impl From<Code> for Value<'_> {
    fn from(value: Code) -> Self {
        value.as_str().into()
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}
