//! What is wrong with the text of a duration.

use std::error::Error;
use std::fmt;

use crate::Code;

/// Where a text stops being a duration, and why. `Display` also says what is allowed there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadDuration {
    at: u32,
    /// How many characters there are before, for people.
    character: u32,
    fault: Fault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Empty,
    NoNumber,
    NoUnit,
    UnknownUnit,
    Fraction,
    Sign,
    Space,
    Order,
    TooLong,
}

impl BadDuration {
    /// `rest` is the end of `text` that begins with what is wrong.
    pub(super) fn new(text: &str, rest: &str, fault: Fault) -> Self {
        let before = &text[..text.len() - rest.len()];
        let number = |n| u32::try_from(n).unwrap_or(u32::MAX);
        Self { at: number(before.len()), character: number(before.chars().count()), fault }
    }

    /// Where in the text, as a number of bytes.
    pub const fn at(&self) -> usize {
        self.at as usize
    }

    /// R4C-ATR-001.
    pub const fn code(&self) -> Code {
        Code::InvalidDuration
    }
}

impl Fault {
    pub(super) fn instead_of_a_number(rest: &str) -> Self {
        match rest.chars().next() {
            None => Self::Empty,
            Some('+' | '-') => Self::Sign,
            Some(letter) if letter.is_whitespace() => Self::Space,
            Some(_) => Self::NoNumber,
        }
    }

    pub(super) fn instead_of_a_unit(rest: &str) -> Self {
        match rest.chars().next() {
            Some('.' | ',') => Self::Fraction,
            Some(letter) if letter.is_alphabetic() => Self::UnknownUnit,
            Some(letter) if letter.is_whitespace() => Self::Space,
            _ => Self::NoUnit,
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Empty => "there is nothing (write 0 for no time)",
            Self::NoNumber => "a number is expected",
            Self::NoUnit => "a unit is expected (d, h, m, s, ms, us or ns)",
            Self::UnknownUnit => "there is no such unit (only d, h, m, s, ms, us and ns)",
            Self::Fraction => "parts are whole numbers (1s500ms, not 1.5s)",
            Self::Sign => "there is no sign",
            Self::Space => "a space may only stand between two parts, and only one (1m 30s)",
            Self::Order => "units must fall, and none may stand twice (d, h, m, s, ms, us, ns)",
            Self::TooLong => "this is longer than can be counted",
        }
    }
}

impl fmt::Display for BadDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at character {}, {}", u64::from(self.character) + 1, self.fault.text())
    }
}

impl Error for BadDuration {}
