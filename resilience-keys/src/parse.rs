//! From the text of an environment variable or an attribute to a value.

use crate::{Key, Problem, Value, ValueKind, parse_duration};

impl Key {
    /// Reads the text of an environment variable or an attribute, and checks the value.
    ///
    /// | the key takes | the text is |
    /// | --- | --- |
    /// | a whole number | digits, in groups with `_` if one likes (`1_000`), as in TOML: no leading zero |
    /// | a duration | as [`parse_duration`] has it |
    /// | a percentage or factor | a whole number, or one with digits after a point (`99.5`); no exponent, no sign |
    /// | a boolean | `true` or `false` |
    /// | a word | one of the key's words, case matters |
    /// | kinds | names with commas between, and spaces around if one likes; `[]` for none at all |
    ///
    /// Nothing else is accepted, and spaces around a value count. The empty text is no value of any key: whoever takes
    /// it for "unset" must look before.
    ///
    /// ```
    /// use resilience_keys::{RATE_LIMITER, Value};
    ///
    /// assert_eq!(RATE_LIMITER.get("permits").parse("1_000"), Ok(Value::Count(1000)));
    /// assert_eq!(
    ///     RATE_LIMITER.get("period").parse("1M").unwrap_err().to_string(),
    ///     "`period = 1M`: not a valid duration: at character 2, there is no such unit \
    ///      (only d, h, m, s, ms, us and ns); allowed: a duration with its unit, such as 1m30s, more than 0, \
    ///      at most 100 years (R4C-ATR-001)"
    /// );
    /// ```
    ///
    /// # Errors
    ///
    /// The [`Problem`] of a text that is no such value ([`Key::wrong_type`]) or of a value that is not allowed
    /// ([`Key::check`]), with the text as it was written,
    /// of a list of kinds the first bad name.
    pub fn parse(&self, text: &str) -> Result<Value, Problem> {
        let wrong = || self.wrong_type(text);
        let value = match self.value {
            ValueKind::Count { .. } => {
                count(text).ok_or_else(wrong).and_then(|n| self.check_count(n)).map(Value::Count)
            }
            ValueKind::Duration { .. } => parse_duration(text)
                .map_err(|bad| wrong().because(bad))
                .and_then(|duration| self.check_duration(duration))
                .map(Value::Duration),
            ValueKind::Percent | ValueKind::Factor { .. } => {
                number(text).ok_or_else(wrong).and_then(|number| self.check_number(number)).map(Value::Number)
            }
            ValueKind::Bool => text.parse().map(Value::Bool).map_err(|_| wrong()),
            ValueKind::Word(_) => self.check_word(text).map(Value::Word),
            ValueKind::Kinds => return self.check_kinds(kinds(text)).map(Value::Kinds),
        };
        value.map_err(|problem| problem.written(text))
    }
}

/// The names in a list. Of these, the first bad one is the problem, not the whole list.
fn kinds(text: &str) -> impl Iterator<Item = &str> {
    let list = (text != "[]").then_some(text);
    list.into_iter().flat_map(|list| list.split(',')).map(|name| name.trim_matches(' '))
}

/// A whole number, which may be far out of range or below zero: that is for the check to say.
fn count(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let digits = whole(digits)?;
    Some(sign * digits.parse().unwrap_or(i128::MAX))
}

fn number(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (before, after) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let is_fraction = !after.is_empty() && after.bytes().all(|b| b.is_ascii_digit());
    let sign = if unsigned.len() < text.len() { "-" } else { "" };
    let before = whole(before).filter(|_| is_fraction)?;
    format!("{sign}{before}.{after}").parse().ok()
}

/// The digits alone, if it is digits with single `_` between and does not begin with a needless zero.
fn whole(text: &str) -> Option<String> {
    let groups = text.split('_');
    let good = groups.into_iter().all(|group| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit()));
    (good && (text == "0" || !text.starts_with('0'))).then(|| text.replace('_', ""))
}
