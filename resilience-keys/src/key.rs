//! One configuration key and the checks of its values.

use std::fmt;
use std::time::Duration;

use crate::value_kind::{Allowed, Span};
use crate::{Code, Problem, Value, ValueKind, nearest};

/// One configuration key of a policy: its name, what it takes, and what holds when it is unset.
///
/// The checks see one value at a time; rules between two keys belong to the policy, which reports
/// them as [`Problem::contradiction`]. A check that does not fit the key's kind refuses every value
/// as one of the wrong type.
///
/// ```
/// use resilience_keys::{CIRCUIT_BREAKER, Code, Key};
/// use std::time::Duration;
///
/// const WINDOW_TYPE: &Key = CIRCUIT_BREAKER.get("window_type");
/// assert_eq!(WINDOW_TYPE.check_word("time"), Ok("time"));
/// assert_eq!(WINDOW_TYPE.check_word("tiem").unwrap_err().nearest.as_deref(), Some("time"));
///
/// const WAIT: &Key = CIRCUIT_BREAKER.get("wait_in_open");
/// assert_eq!(WAIT.check_duration(Duration::ZERO).unwrap_err().code, Code::ZeroDuration);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// The name in files, attributes and builders, in `snake_case`.
    pub name: &'static str,
    /// What it takes.
    pub value: ValueKind,
    /// What holds when it is unset.
    pub default: Default,
    /// What it does, in Markdown.
    pub doc: &'static str,
    /// The code of every value this key refuses, where it has one of its own.
    pub code: Option<Code>,
}

/// What holds when a key is unset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// This value, as one would write it in a file, without quotes.
    Value(&'static str),
    /// A value that depends on another key, said in Markdown.
    Derived(&'static str),
    /// Nothing: the key has no effect.
    Unset,
}

impl fmt::Display for Default {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(text) | Self::Derived(text) => f.pad(text),
            Self::Unset => f.pad("none"),
        }
    }
}

impl Key {
    /// Checks a value of any type. A whole number is fine where a percentage or a factor is wanted.
    ///
    /// # Errors
    ///
    /// What the check of its type says, and [`Key::wrong_type`] for a value of another type.
    pub fn check(&self, value: Value) -> Result<Value, Problem> {
        match (value, self.value) {
            (Value::Count(count), ValueKind::Percent | ValueKind::Factor { .. }) => {
                self.check_number(count as f64).map(Value::Number)
            }
            (Value::Count(count), _) => self.check_count(count.into()).map(Value::Count),
            (Value::Duration(duration), _) => self.check_duration(duration).map(Value::Duration),
            (Value::Number(number), _) => self.check_number(number).map(Value::Number),
            (Value::Word(word), _) => self.check_word(word).map(Value::Word),
            (Value::Kinds(names), ValueKind::Kinds) => self.check_kinds(names).map(Value::Kinds),
            (Value::Bool(bool), ValueKind::Bool) => Ok(Value::Bool(bool)),
            (value @ (Value::Kinds(_) | Value::Bool(_)), _) => Err(self.wrong_type(value)),
        }
    }

    /// Checks a whole number.
    ///
    /// # Errors
    ///
    /// [`Code::CountBelowOne`] below a least value of 1 or more, else [`Code::OutOfRange`].
    pub fn check_count(&self, value: i128) -> Result<u64, Problem> {
        let ValueKind::Count { min, max } = self.value else {
            return Err(self.wrong_type(value));
        };
        match u64::try_from(value) {
            Ok(count) if (min..=max).contains(&count) => Ok(count),
            _ if min >= 1 && value < 1 => Err(self.refuse(Code::CountBelowOne, value)),
            _ => Err(self.refuse(Code::OutOfRange, value)),
        }
    }

    /// Checks a duration.
    ///
    /// # Errors
    ///
    /// [`Code::ZeroDuration`] for a zero that is not allowed, [`Code::OutOfRange`] above the
    /// longest allowed time.
    pub fn check_duration(&self, value: Duration) -> Result<Duration, Problem> {
        let ValueKind::Duration { zero, max } = self.value else {
            return Err(self.wrong_type(Span(value)));
        };
        if value.is_zero() && !zero {
            return Err(self.refuse(Code::ZeroDuration, Span(value)));
        }
        if value > max {
            return Err(self.refuse(Code::OutOfRange, Span(value)));
        }
        Ok(value)
    }

    /// Checks a percentage or a factor.
    ///
    /// # Errors
    ///
    /// [`Code::BadPercentage`] outside the range, for infinities and for what is not a number.
    pub fn check_number(&self, value: f64) -> Result<f64, Problem> {
        let good = match self.value {
            ValueKind::Percent => value > 0.0 && value <= 100.0,
            ValueKind::Factor { min } => value >= min && value.is_finite(),
            _ => return Err(self.wrong_type(value)),
        };
        if good { Ok(value) } else { Err(self.refuse(Code::BadPercentage, value)) }
    }

    /// Checks a word and gives back the table's own copy of it.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownWord`], with the nearest word where one is near. Case matters.
    pub fn check_word(&self, word: &str) -> Result<&'static str, Problem> {
        let ValueKind::Word(words) = self.value else {
            return Err(self.wrong_type(word));
        };
        words
            .iter()
            .copied()
            .find(|known| *known == word)
            .ok_or_else(|| self.refuse(Code::UnknownWord, word).near(nearest(word, words.iter().copied())))
    }

    /// Checks a list of kinds. Users add kinds of their own, so only their form is known here.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownWord`] with the first that is not lower case letters, digits and `_`.
    pub fn check_kinds<N: Into<String>>(&self, names: impl IntoIterator<Item = N>) -> Result<Vec<String>, Problem> {
        let is_letter = |b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_');
        let names = names.into_iter().map(Into::into);
        if !matches!(self.value, ValueKind::Kinds) {
            return Err(self.wrong_type(Value::Kinds(names.collect())));
        }
        names
            .map(|name: String| {
                let good = !name.is_empty() && name.bytes().all(is_letter);
                if good { Ok(name) } else { Err(self.refuse(Code::UnknownWord, name)) }
            })
            .collect()
    }

    /// The problem of a kind that is well-formed and not known, where all kinds are: `known`.
    pub fn unknown_kind(&self, name: &str, known: &[&str]) -> Problem {
        Problem::new(Code::UnknownWord, self.name, name, known.join(", ")).near(nearest(name, known.iter().copied()))
    }

    /// The problem of a value of another type than this key takes, or of a text that does not
    /// parse as one: a fraction for a count, `yes` for a boolean, a bare number for a duration.
    ///
    /// ```
    /// use resilience_keys::{Code, RATE_LIMITER};
    ///
    /// let problem = RATE_LIMITER.get("enabled").wrong_type("yes");
    /// assert_eq!(problem.code, Code::NotABoolean);
    /// ```
    pub fn wrong_type(&self, value: impl fmt::Display) -> Problem {
        let code = match self.value {
            ValueKind::Count { .. } | ValueKind::Kinds => Code::OutOfRange,
            ValueKind::Duration { .. } => Code::InvalidDuration,
            ValueKind::Percent | ValueKind::Factor { .. } => Code::BadPercentage,
            ValueKind::Bool => Code::NotABoolean,
            ValueKind::Word(_) => Code::UnknownWord,
        };
        let mut problem = self.refuse(code, value);
        if let Some(noun) = self.value.noun() {
            problem.allowed = format!("{noun}, {}", problem.allowed).into();
        }
        problem
    }

    /// The allowed values in words: `1 to 1_000_000_000`, `more than 0, at most 100 years`.
    pub fn allowed(&self) -> impl fmt::Display + use<> {
        Allowed(self.value)
    }

    /// The unit of the value, or its type where it has none, in one word or sign.
    pub const fn unit(&self) -> &'static str {
        match self.value {
            ValueKind::Count { .. } => "count",
            ValueKind::Duration { .. } => "duration",
            ValueKind::Percent => "%",
            ValueKind::Factor { .. } => "factor",
            ValueKind::Bool => "boolean",
            ValueKind::Word(_) => "word",
            ValueKind::Kinds => "kinds",
        }
    }

    fn refuse(&self, general: Code, value: impl fmt::Display) -> Problem {
        let mut value = value.to_string();
        if value.is_empty() {
            value.push_str("\"\"");
        }
        Problem::new(self.code.unwrap_or(general), self.name, value, self.allowed().to_string())
    }
}
