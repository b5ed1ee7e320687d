//! The table of error codes.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// Writes the enum and its look-ups from one table, so that a code stands in one place only.
macro_rules! codes {
    ($($variant:ident, $text:literal, $summary:literal;)+) => {
        /// What went wrong, as a code that stays the same once released.
        ///
        /// New codes may be added, so a `match` needs a wildcard. The order is that of the table.
        ///
        /// ```
        /// use resilience_keys::Code;
        ///
        /// let code = Code::RateLimitExceeded;
        /// assert_eq!(code.to_string(), "R4C-RT-001");
        /// assert_eq!(code.summary(), "rate limit exceeded");
        /// assert_eq!("R4C-RT-001".parse(), Ok(code));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!($text, ": ", $summary, ".")] $variant,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code as it is printed: `R4C-RT-001`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// What the code means, in one line without a full stop.
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$variant => $summary,)+
                }
            }

            /// The anchor of the code's entry in the documentation: `r4c-rt-001`.
            pub const fn anchor(self) -> &'static str {
                match self {
                    $(Self::$variant => {
                        const LOWER: [u8; $text.len()] = lower($text);
                        match std::str::from_utf8(&LOWER) {
                            Ok(anchor) => anchor,
                            Err(_) => unreachable!(),
                        }
                    })+
                }
            }
        }
    };
}

codes! {
    InvalidDuration, "R4C-ATR-001", "not a valid duration";
    ZeroDuration, "R4C-ATR-002", "a zero duration where none is allowed";
    CountBelowOne, "R4C-ATR-003", "a count below 1";
    BadPercentage, "R4C-ATR-004", "a percentage or factor outside its range, or not a number";
    Contradiction, "R4C-ATR-005", "two values that contradict each other";
    NotABoolean, "R4C-ATR-006", "not a boolean";
    BadBudget, "R4C-ATR-007", "a retry budget outside its range";
    HedgeAttempts, "R4C-ATR-008", "reserved: attempts of a hedge";
    BlockingTimeout, "R4C-ATR-009", "a timeout on a blocking method without `on_blocking = \"late\"`";
    BadAttribute, "R4C-ATR-010", "an unknown attribute, or one written twice";
    UnknownWord, "R4C-ATR-011", "an unknown kind or word";
    Unprotectable, "R4C-MAC-001", "a policy on an item that it cannot protect";
    BadFallback, "R4C-MAC-002", "a fallback method that is missing or has another signature";
    UnknownKey, "R4C-CFG-001", "unknown key";
    OutOfRange, "R4C-CFG-002", "a value of the wrong type or out of range";
    UnreadableSource, "R4C-CFG-003", "a source that cannot be read or parsed";
    ReloadRefused, "R4C-CFG-004", "reload refused, the last good configuration stays live";
    BadVariable, "R4C-CFG-005", "an environment variable that cannot be mapped, is ambiguous or is not UTF-8";
    CircularConfig, "R4C-CFG-006", "named configs that refer to each other in a circle";
    OverrideIgnored, "R4C-CFG-014", "an override was ignored because the instance is locked";
    InvalidConfig, "R4C-REG-001", "invalid configuration given in code";
    InvalidMergedConfig, "R4C-REG-003", "invalid configuration after merging code and external sources";
    UnknownNamedConfig, "R4C-REG-004", "unknown named config";
    SharedNameConflict, "R4C-REG-008", "a shared name with two different configurations";
    UnknownInstance, "R4C-REG-009", "unknown instance id";
    DuplicateLayer, "R4C-ORD-001", "a layer listed twice in a custom order";
    RateLimitExceeded, "R4C-RT-001", "rate limit exceeded";
    CallNotPermitted, "R4C-RT-002", "call not permitted, the circuit breaker is open";
    TimedOut, "R4C-RT-003", "timed out";
    BulkheadFull, "R4C-RT-004", "bulkhead full";
    Interrupted, "R4C-RT-005", "interrupted while waiting";
    TooManyPermits, "R4C-RT-006", "more permits asked for than the limiter can ever give";
    HedgeRt018, "R4C-RT-018", "reserved: hedge";
    HedgeRt019, "R4C-RT-019", "reserved: hedge";
    HedgeHdg001, "R4C-HDG-001", "reserved: hedge";
    HedgeHdg002, "R4C-HDG-002", "reserved: hedge";
}

impl Code {
    /// Whether the code is only kept free for later: nothing reports it yet.
    pub const fn is_reserved(self) -> bool {
        matches!(
            self,
            Self::HedgeAttempts | Self::HedgeRt018 | Self::HedgeRt019 | Self::HedgeHdg001 | Self::HedgeHdg002
        )
    }
}

const fn lower<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = *text.as_bytes().first_chunk().expect("N is the length of the text");
    bytes.make_ascii_lowercase();
    bytes
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Code {
    type Err = ParseCodeError;

    fn from_str(text: &str) -> Result<Self, ParseCodeError> {
        let known = Self::ALL.iter().find(|code| code.as_str() == text);
        known.copied().ok_or(ParseCodeError)
    }
}

/// The text is not one of the codes, in capitals as they are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseCodeError;

impl fmt::Display for ParseCodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a known code such as R4C-RT-001")
    }
}

impl Error for ParseCodeError {}
