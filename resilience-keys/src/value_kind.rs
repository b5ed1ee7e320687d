//! What a key takes, and how its bounds read.

use std::fmt;
use std::time::Duration;

use crate::format_duration;

/// What a key takes, with its bounds. Both ends of a range are allowed values.
///
/// The enum is closed on purpose: every reader of the table must say what it does with a new kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueKind {
    /// A whole number.
    Count {
        /// The least allowed number.
        min: u64,
        /// The greatest allowed number.
        max: u64,
    },
    /// A length of time.
    Duration {
        /// Whether zero is allowed.
        zero: bool,
        /// The longest allowed time; `Duration::MAX` where there is no bound.
        max: Duration,
    },
    /// A percentage, more than 0 and at most 100.
    Percent,
    /// A finite number to multiply with.
    Factor {
        /// The least allowed number.
        min: f64,
    },
    /// `true` or `false`.
    Bool,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of kinds of failure. Users add kinds of their own, so the list is open.
    Kinds,
}

impl ValueKind {
    /// The type in words, where the bounds alone do not tell it.
    pub(crate) const fn noun(self) -> Option<&'static str> {
        match self {
            Self::Count { .. } => Some("a whole number"),
            Self::Duration { .. } => Some("a duration with its unit, such as 1m30s"),
            Self::Percent | Self::Factor { .. } => Some("a number"),
            Self::Bool | Self::Word(_) | Self::Kinds => None,
        }
    }
}

/// The bounds as text.
pub(crate) struct Allowed(pub(crate) ValueKind);

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ValueKind::Count { min, max } => write!(f, "{} to {}", Grouped(min), Grouped(max)),
            ValueKind::Duration { zero, max } => match (zero, max) {
                (true, Duration::MAX) => f.write_str("any duration"),
                (true, max) => write!(f, "at most {}", Span(max)),
                (false, Duration::MAX) => f.write_str("more than 0"),
                (false, max) => write!(f, "more than 0, at most {}", Span(max)),
            },
            ValueKind::Percent => f.write_str("more than 0, at most 100"),
            ValueKind::Factor { min } => write!(f, "{min} or more"),
            ValueKind::Bool => f.write_str("true or false"),
            ValueKind::Word(words) => f.write_str(&words.join(", ")),
            ValueKind::Kinds => f.write_str("a list of kinds"),
        }
    }
}

/// A number with its thousands set apart, as one writes it in Rust and TOML.
struct Grouped(u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 / 1000 {
            0 => write!(f, "{}", self.0),
            thousands => write!(f, "{}_{:03}", Self(thousands), self.0 % 1000),
        }
    }
}

/// A duration as text, with whole years said as years.
pub(crate) struct Span(pub(crate) Duration);

impl Span {
    /// 365.25 days.
    pub(crate) const YEAR: Duration = Duration::from_secs(31_557_600);
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let years = self.0.as_secs() / Self::YEAR.as_secs();
        match self.0 {
            Duration::ZERO => f.write_str("0"),
            span if span.as_nanos() % Self::YEAR.as_nanos() == 0 => write!(f, "{years} years"),
            span => write!(f, "{}", format_duration(span)),
        }
    }
}
