//! What the waits would be: the curve, the cap and the jitter put together.

use std::{iter::FusedIterator, time::Duration};

use resilience_core::{Random, saturating_nanos};

use crate::{Config, Jitter};

impl Config {
    /// The delay between the attempt of this number, counted from 1, and the next one, ahead of jitter. What is beyond
    /// `u64::MAX` nanoseconds (584 years) is that.
    ///
    /// ```
    /// use resilience_retry::Config;
    /// use std::time::Duration;
    ///
    /// let config = Config::default();
    /// assert_eq!(config.base_delay(1), Duration::from_millis(100));
    /// assert_eq!(config.base_delay(4), Duration::from_millis(800));
    /// assert_eq!(config.base_delay(u32::MAX), Duration::from_secs(30));
    /// ```
    pub fn base_delay(&self, attempt: u32) -> Duration {
        Duration::from_nanos(self.base(attempt))
    }

    /// The delays of a call that never succeeds, in order, as a policy with this seed would wait the first time. A server's
    /// retry-after is not among them.
    ///
    /// ```
    /// use resilience_retry::{Config, Jitter};
    /// use std::time::Duration;
    ///
    /// let config = Config { max_attempts: 4, ..Config::default() };
    /// let delays: Vec<Duration> = config.delays(7).collect();
    /// assert_eq!(delays.len(), 3); // between four attempts
    /// assert!(delays[2] <= config.base_delay(3)); // spread by chance, and always so with this seed
    ///
    /// let plain = Config { jitter: Jitter::None, ..config };
    /// assert_eq!(plain.delays(7).map(|delay| delay.as_millis()).collect::<Vec<_>>(), [100, 200, 400]);
    /// ```
    pub fn delays(&self, seed: u64) -> Delays {
        Delays { config: *self, random: Random::seeded(seed), attempt: 0, previous: 0 }
    }

    /// The nanoseconds to wait after the attempt of this number, if the call waited `previous` before it.
    pub(crate) fn wait(&self, attempt: u32, previous: u64, chance: impl FnOnce() -> u64) -> u64 {
        match self.jitter {
            Jitter::Decorrelated => {
                let (delay, cap) = (saturating_nanos(self.delay), saturating_nanos(self.max_delay));
                Jitter::decorrelated(delay, previous, cap, chance)
            }
            jitter => jitter.spread(self.base(attempt), chance),
        }
    }

    fn base(&self, attempt: u32) -> u64 {
        let (delay, cap) = (saturating_nanos(self.delay), saturating_nanos(self.max_delay));
        self.backoff.after(attempt, delay, self.multiplier, cap)
    }
}

/// The delays of a call that never succeeds: made by [`Config::delays`].
#[derive(Clone, Debug)]
pub struct Delays {
    config: Config,
    random: Random,
    /// The attempt before the delay that was given last.
    attempt: u32,
    previous: u64,
}

impl Iterator for Delays {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        if self.len() == 0 {
            return None;
        }
        self.attempt += 1;
        self.previous = self.config.wait(self.attempt, self.previous, || self.random.next_u64());
        Some(Duration::from_nanos(self.previous))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.config.max_attempts.saturating_sub(1) - self.attempt;
        (left as usize, Some(left as usize))
    }
}

impl ExactSizeIterator for Delays {}
impl FusedIterator for Delays {}
