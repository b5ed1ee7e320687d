use std::{fmt, time::Duration};

/// A reading of a [`Clock`](crate::Clock): whole nanoseconds since the clock's origin.
///
/// A clock runs from [`Nanos::ZERO`] to [`Nanos::LAST`], 146 years, and stands still there. [`Nanos::NEVER`] lies
/// beyond it: a deadline that never comes.
///
/// ```
/// use resilience_core::Nanos;
/// use std::time::Duration;
///
/// let start = Nanos::ZERO.after(Duration::from_millis(5));
/// assert_eq!(start, Duration::from_millis(5));
/// assert_eq!(start.after(Duration::MAX), Nanos::NEVER);
/// assert_eq!(Nanos::ZERO.since(start), Duration::ZERO); // never negative
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(u64);

impl Nanos {
    /// The origin of the clock.
    pub const ZERO: Self = Self(0);
    /// The last instant a clock can show: 2^62 - 1 ns, 146 years.
    pub const LAST: Self = Self(u64::MAX >> 2);
    /// Later than every instant a clock can show.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `nanos` nanoseconds after the origin; past [`Nanos::LAST`] it is [`Nanos::NEVER`].
    #[inline]
    pub const fn new(nanos: u64) -> Self {
        if nanos > Self::LAST.0 { Self::NEVER } else { Self(nanos) }
    }

    /// A reading that a clock keeps within its range itself.
    #[inline(always)]
    pub(crate) const fn from_clock(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the origin.
    #[inline]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// This instant, or the clock's last one if this lies beyond it.
    #[inline]
    #[must_use]
    pub const fn clamp_to_clock(self) -> Self {
        if self.0 > Self::LAST.0 { Self::LAST } else { self }
    }

    /// The instant `duration` later; [`Nanos::NEVER`] when no clock gets there.
    #[inline]
    #[must_use]
    pub const fn after(self, duration: Duration) -> Self {
        Self::new(self.0.saturating_add(saturating_nanos(duration)))
    }

    /// The time from `earlier` to this instant; zero if that is not in the past.
    #[inline]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// Whether this lies beyond every clock.
    #[inline]
    pub const fn is_never(self) -> bool {
        self.0 > Self::LAST.0
    }
}

/// The whole nanoseconds of `duration`, at most `u64::MAX` (584 years).
#[inline]
pub const fn saturating_nanos(duration: Duration) -> u64 {
    let nanos = duration.as_nanos();
    if nanos > u64::MAX as u128 { u64::MAX } else { nanos as u64 }
}

impl fmt::Debug for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_never() { f.write_str("never") } else { Duration::from_nanos(self.0).fmt(f) }
    }
}

impl From<Nanos> for Duration {
    fn from(nanos: Nanos) -> Self {
        Duration::from_nanos(nanos.0)
    }
}

impl PartialEq<Duration> for Nanos {
    fn eq(&self, other: &Duration) -> bool {
        u128::from(self.0) == other.as_nanos()
    }
}
