use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{Code, ConfigError, Problem, keys::KINDS};

/// What sort of failure something was: a short name that configuration lists can use.
///
/// Interned to a small number, so that a list of kinds is one word ([`KindSet`]). There is room for 64, of which
/// seven are built in.
///
/// ```
/// use resilience_core::Kind;
///
/// let busy = Kind::new("upstream_busy")?;
/// assert_eq!(busy, Kind::new("upstream_busy")?);
/// assert_eq!(Kind::TIMED_OUT.name(), "timed_out");
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u8);

/// The names users added; number 7 comes first.
static ADDED: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

impl Kind {
    /// Rejected by a rate limiter.
    pub const RATE_LIMIT_EXCEEDED: Self = Self(0);
    /// Rejected by an open circuit breaker.
    pub const CALL_NOT_PERMITTED: Self = Self(1);
    /// Cut off by a deadline.
    pub const TIMED_OUT: Self = Self(2);
    /// Rejected by a full bulkhead.
    pub const BULKHEAD_FULL: Self = Self(3);
    /// Interrupted while it waited.
    pub const INTERRUPTED: Self = Self(4);
    /// Any `Err` that was given no other kind.
    pub const FAILED: Self = Self(5);
    /// The call panicked.
    pub const PANICKED: Self = Self(6);

    /// The kind of this name, interned if it is new.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 if the name is not lower case letters, digits and `_`, or would be the 65th kind.
    pub fn new(name: &str) -> Result<Self, ConfigError> {
        let invalid = |allowed: &str| {
            ConfigError::of("kinds", Problem::new(Code::InvalidConfig, "kind", format!("{name:?}"), allowed))
        };
        if name.is_empty() || !name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_')) {
            return Err(invalid("a name of lower case letters, digits and `_`"));
        }
        let mut added = added();
        if let Some(known) = find(name, &added) {
            return Ok(known);
        }
        if KINDS.len() + added.len() == 64 {
            return Err(invalid("at most 64 kinds, the 7 built in included"));
        }
        added.push(Box::leak(Box::from(name)));
        Ok(Self((KINDS.len() + added.len() - 1) as u8))
    }

    /// For a place with no room for more than a number.
    pub(crate) const fn number(self) -> u8 {
        self.0
    }

    /// The kind of [`Kind::number`].
    pub(crate) const fn of(number: u8) -> Self {
        Self(number)
    }

    /// The kind of this name, if there is one.
    pub fn find(name: &str) -> Option<Self> {
        find(name, &added())
    }

    /// The name.
    pub fn name(self) -> &'static str {
        let at = usize::from(self.0);
        KINDS.get(at).copied().unwrap_or_else(|| added()[at - KINDS.len()])
    }

    /// All names known now.
    pub fn names() -> Vec<&'static str> {
        KINDS.iter().copied().chain(added().iter().copied()).collect()
    }
}

fn added() -> MutexGuard<'static, Vec<&'static str>> {
    ADDED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(name: &str, added: &[&str]) -> Option<Kind> {
    let at = KINDS.iter().chain(added).position(|known| *known == name)?;
    Some(Kind(at as u8))
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of [`Kind`]s, in one word.
///
/// ```
/// use resilience_core::{Kind, KindSet};
///
/// let set = KindSet::of(&[Kind::TIMED_OUT, Kind::FAILED]);
/// assert!(set.contains(Kind::FAILED) && !set.contains(Kind::PANICKED));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct KindSet(u64);

impl KindSet {
    /// No kind.
    pub const EMPTY: Self = Self(0);
    /// Every kind, also those that are yet to be named.
    pub const ALL: Self = Self(u64::MAX);

    /// The set of these kinds.
    pub fn of(kinds: &[Kind]) -> Self {
        Self(kinds.iter().fold(0, |bits, kind| bits | 1 << kind.0))
    }

    /// The set as one word, for a place where a live change can replace it.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set of [`KindSet::bits`].
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Whether `kind` is in the set. Cost: one shift.
    #[inline]
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 >> kind.0 & 1 == 1
    }
}

impl From<Kind> for KindSet {
    fn from(kind: Kind) -> Self {
        Self::of(&[kind])
    }
}

impl From<&[Kind]> for KindSet {
    fn from(kinds: &[Kind]) -> Self {
        Self::of(kinds)
    }
}

impl<const N: usize> From<[Kind; N]> for KindSet {
    fn from(kinds: [Kind; N]) -> Self {
        Self::of(&kinds)
    }
}

impl FromIterator<Kind> for KindSet {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        Self(kinds.into_iter().fold(0, |bits, kind| bits | 1 << kind.0))
    }
}

impl fmt::Debug for KindSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ALL {
            return f.write_str("all kinds");
        }
        let count = KINDS.len() + added().len();
        f.debug_set().entries((0..count as u8).map(Kind).filter(|kind| self.contains(*kind))).finish()
    }
}
