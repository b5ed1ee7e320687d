use std::{fmt, sync::Arc, time::Duration};

use resilience_core::{ConfigError, Settings};

use crate::{Config, gcra::Rate};

/// A rate of their own for some of the keys of a [`KeyedRateLimiter`](crate::KeyedRateLimiter): so many permits per
/// period.
///
/// Clones are one quota. Make each plan once and clone it for its keys; a quota made anew for every key takes about
/// 120 bytes more per key.
///
/// ```
/// use resilience_ratelimiter::Quota;
/// use std::time::Duration;
///
/// let gold = Quota::new(1_000, Duration::from_secs(60))?;
/// assert_eq!(gold.permits(), 1_000);
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Quota(Arc<Shape>);

struct Shape {
    permits: u32,
    period: Duration,
    rate: Rate,
}

impl Quota {
    /// `permits` (1 to 1 000 000 000) per `period` (more than 0, at least 1 ns per permit, at most 100 years).
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong: R4C-ATR-002 for a period of 0, R4C-ATR-003 for no permits, R4C-ATR-005 for
    /// less than 1 ns per permit, R4C-CFG-002 for what is too large.
    pub fn new(permits: u32, period: Duration) -> Result<Self, ConfigError> {
        let config = Config { permits, period, ..Config::default() };
        ConfigError::check("quota", config.problems())?;
        let rate = Rate::new(permits, period);
        Ok(Self(Arc::new(Shape { permits, period, rate })))
    }

    /// How many calls per period, and how many at once after a quiet time.
    pub fn permits(&self) -> u32 {
        self.0.permits
    }

    /// The period.
    pub fn period(&self) -> Duration {
        self.0.period
    }

    #[inline(always)]
    pub(super) fn rate(&self) -> &Rate {
        &self.0.rate
    }
}

impl PartialEq for Quota {
    fn eq(&self, other: &Self) -> bool {
        (self.permits(), self.period()) == (other.permits(), other.period())
    }
}

impl Eq for Quota {}

impl fmt::Debug for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Quota({} per {:?})", self.permits(), self.period())
    }
}
