//! The grammar of durations: what is accepted, and how a duration is written.

use std::fmt;
use std::time::Duration;

pub use self::bad::BadDuration;
use self::bad::Fault;

mod bad;

/// The units in falling order, each with its spellings. The first one is written, and it is what `humantime` is asked.
const UNITS: [&[&str]; 7] = [&["d"], &["h"], &["m", "min"], &["s"], &["ms"], &["us", "µs"], &["ns"]];

/// Reads a duration as it is written in files, attributes and environment variables.
///
/// It is `0`, or parts of a whole number and a unit, largest unit first and no unit twice: `1m30s`. One space may stand
/// between two parts. The units are `d`, `h`, `m` (or `min`), `s`, `ms`, `us` (or `µs`) and `ns`.
///
/// ```
/// use resilience_keys::parse_duration;
/// use std::time::Duration;
///
/// assert_eq!(parse_duration("1m 30s"), Ok(Duration::from_secs(90)));
/// assert_eq!(parse_duration("0"), Ok(Duration::ZERO));
///
/// let bad = parse_duration("1.5s").unwrap_err();
/// assert_eq!(bad.at(), 1);
/// assert_eq!(bad.to_string(), "at character 2, parts are whole numbers (1s500ms, not 1.5s)");
/// ```
///
/// # Errors
///
/// [`BadDuration`], which says what is wrong and where: for any other text, and for what is longer than
/// [`Duration::MAX`] or has a part below a second whose nanoseconds do not fit 64 bits.
pub fn parse_duration(text: &str) -> Result<Duration, BadDuration> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let bad = |rest: &str, fault| Err(BadDuration::new(text, rest, fault));
    let (mut sum, mut units, mut rest) = (Duration::ZERO, UNITS.as_slice(), text);
    loop {
        let (number, from_unit) = split(rest, |letter| letter.is_ascii_digit());
        if number.is_empty() {
            return bad(rest, Fault::instead_of_a_number(rest));
        }
        let (name, next) = split(from_unit, char::is_alphabetic);
        let is_named = |spellings: &&[&str]| spellings.contains(&name);
        let Some(unit) = UNITS.iter().find(|unit| is_named(unit)) else {
            return bad(from_unit, Fault::instead_of_a_unit(from_unit));
        };
        let Some(at) = units.iter().position(is_named) else {
            return bad(rest, Fault::Order);
        };
        units = &units[at + 1..];
        let part = humantime::parse_duration(&format!("{number}{}", unit[0])).ok();
        let Some(longer) = part.and_then(|part| sum.checked_add(part)) else {
            return bad(rest, Fault::TooLong);
        };
        if next.is_empty() {
            return Ok(longer);
        }
        sum = longer;
        rest = match next.strip_prefix(' ') {
            Some("") => return bad(next, Fault::Space),
            Some(part) => part,
            None => next,
        };
    }
}

/// The longest beginning of letters that are `wanted`, and the rest.
fn split(text: &str, wanted: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|letter| !wanted(letter)).unwrap_or(text.len()))
}

/// Writes a duration so that [`parse_duration`] reads the same one back: `1m30s`, `250ms`, `0s`.
///
/// ```
/// use resilience_keys::format_duration;
/// use std::time::Duration;
///
/// assert_eq!(format_duration(Duration::from_millis(90_250)).to_string(), "1m30s250ms");
/// assert_eq!(format_duration(Duration::MAX).to_string(), "213503982334601d7h15s999ms999us999ns");
/// ```
pub fn format_duration(duration: Duration) -> impl fmt::Display + Copy + use<> {
    Written(duration)
}

#[derive(Clone, Copy)]
struct Written(Duration);

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_zero() {
            return f.write_str("0s");
        }
        let (seconds, nanos) = (self.0.as_secs(), u64::from(self.0.subsec_nanos()));
        let numbers = [
            seconds / 86_400,
            seconds / 3600 % 24,
            seconds / 60 % 60,
            seconds % 60,
            nanos / 1_000_000,
            nanos / 1000 % 1000,
            nanos % 1000,
        ];
        let parts = numbers.into_iter().zip(UNITS).filter(|(number, _)| *number > 0);
        parts.into_iter().try_for_each(|(number, unit)| write!(f, "{number}{}", unit[0]))
    }
}
