//! Which configuration a call goes by: the one in force when it began, to its end.
//!
//! A permit is plain words, so it cannot keep a configuration alive. It carries the number of one instead, and the last
//! few are remembered. What the first attempt has to know fits in one word with that number, the [`Mode`]: read by every
//! call, written by changes only.

use crate::Config;

/// A configuration's number, with what a first attempt has to know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode(pub(crate) u32);

impl Mode {
    const DISABLED: u32 = 1;
    const TIMED: u32 = 2;
    const BUDGETED: u32 = 4;
    const BITS: u32 = 3;

    fn new(number: u32, config: &Config) -> Self {
        let bit = |bit, set| if set { bit } else { 0 };
        let bits = bit(Self::DISABLED, !config.enabled)
            | bit(Self::TIMED, config.max_duration.is_some())
            | bit(Self::BUDGETED, config.budget_percent.is_some());
        Self(number << Self::BITS | bits)
    }

    /// Whether a first attempt has nothing to write down.
    #[inline(always)]
    pub(crate) const fn is_plain(self) -> bool {
        self.0 & (Self::DISABLED | Self::TIMED | Self::BUDGETED) == 0
    }

    pub(crate) const fn is_disabled(self) -> bool {
        self.0 & Self::DISABLED != 0
    }

    pub(crate) const fn is_timed(self) -> bool {
        self.0 & Self::TIMED != 0
    }

    pub(crate) const fn is_budgeted(self) -> bool {
        self.0 & Self::BUDGETED != 0
    }

    const fn number(self) -> u32 {
        self.0 >> Self::BITS
    }
}

/// The configuration in force and those before it.
#[derive(Debug)]
pub(crate) struct Plans {
    /// The configuration of number `n` is at `n % KEPT`.
    kept: [Config; KEPT],
    /// Begins anew when the numbers of a [`Mode`] are used up.
    newest: u32,
}

const KEPT: usize = 8;
/// The bits of a configuration's number.
const NUMBERS: u32 = u32::MAX >> Mode::BITS;

impl Plans {
    pub(crate) fn new(config: Config) -> Self {
        Self { kept: [config; KEPT], newest: 0 }
    }

    /// The configuration in force.
    pub(crate) fn newest(&self) -> &Config {
        self.at(self.newest)
    }

    /// The mode of the configuration in force.
    pub(crate) fn mode(&self) -> Mode {
        Mode::new(self.newest, self.newest())
    }

    /// The configuration that was in force in this mode; the oldest that is remembered if that one is not.
    pub(crate) fn of(&self, mode: Mode) -> &Config {
        let age = self.newest.wrapping_sub(mode.number()) & NUMBERS;
        self.at(self.newest.wrapping_sub(age.min(KEPT as u32 - 1)))
    }

    pub(crate) fn change(&mut self, config: Config) {
        self.newest = self.newest.wrapping_add(1) & NUMBERS;
        self.kept[self.newest as usize % KEPT] = config;
    }

    fn at(&self, number: u32) -> &Config {
        &self.kept[number as usize % KEPT]
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn config(max_attempts: u32) -> Config {
        Config { max_attempts, ..Config::default() }
    }

    #[test]
    fn the_last_eight_are_remembered_and_the_oldest_stands_for_those_before() {
        let mut plans = Plans::new(config(0));
        let mut modes = vec![plans.mode()];
        for n in 1..=20 {
            plans.change(config(n));
            modes.push(plans.mode());
            assert_eq!(plans.newest().max_attempts, n);
        }
        let found: Vec<_> = modes.into_iter().map(|mode| plans.of(mode).max_attempts).collect();
        assert_eq!(found[..14], [13; 14]);
        assert_eq!(found[14..], [14, 15, 16, 17, 18, 19, 20]);
    }

    #[test]
    fn a_mode_says_what_the_first_attempt_has_to_do() {
        let plain = Config::default();
        assert!(Plans::new(plain).mode().is_plain());
        assert!(Plans::new(Config { enabled: false, ..plain }).mode().is_disabled());
        assert!(Plans::new(Config { max_duration: Some(std::time::Duration::MAX), ..plain }).mode().is_timed());
        let budgeted = Plans::new(Config { budget_percent: Some(20.0), ..plain }).mode();
        assert!(budgeted.is_budgeted() && !budgeted.is_plain());
    }
}
