//! How chance spreads the delays: pure functions of nanoseconds and of 64 random bits.
//!
//! The cap comes first and chance second. Spread first and capped then, all delays beyond the cap would fall on it: the
//! callers come back at once, which is what jitter is there to prevent.

use std::fmt;

/// How chance spreads the delays, so that callers do not come back all at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Jitter {
    /// The delay as it is.
    None,
    /// Anything from nothing to the delay.
    #[default]
    Full,
    /// Anything from half the delay to the delay.
    Equal,
    /// Anything from `delay` to three times what the call waited before, at most `max_delay`. It grows by itself:
    /// `backoff` and `multiplier` have no say.
    Decorrelated,
}

impl Jitter {
    const ALL: [Self; 4] = [Self::None, Self::Full, Self::Equal, Self::Decorrelated];

    /// The one of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Full => "full",
            Self::Equal => "equal",
            Self::Decorrelated => "decorrelated",
        }
    }

    /// Spreads `capped`, which is at most the cap.
    pub(crate) fn spread(self, capped: u64, chance: impl FnOnce() -> u64) -> u64 {
        match self {
            Self::None | Self::Decorrelated => capped,
            Self::Full => between(0, capped, chance()),
            Self::Equal => between(capped / 2, capped, chance()),
        }
    }

    /// What follows a decorrelated delay of `previous`, which is 0 before the first.
    pub(crate) fn decorrelated(delay: u64, previous: u64, cap: u64, chance: impl FnOnce() -> u64) -> u64 {
        let high = previous.max(delay).saturating_mul(3).min(cap);
        between(delay.min(high), high, chance())
    }
}

/// One of the numbers from `low` to `high`, both included, each as likely as the others.
fn between(low: u64, high: u64, chance: u64) -> u64 {
    let count = u128::from(high - low) + 1;
    low + ((u128::from(chance) * count) >> 64) as u64
}

impl fmt::Display for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;
    use resilience_core::Random;

    use super::*;

    proptest! {
        #[test]
        fn each_kind_stays_in_its_bounds(capped: u64, chance: u64) {
            prop_assert_eq!(Jitter::None.spread(capped, || chance), capped);
            prop_assert!(Jitter::Full.spread(capped, || chance) <= capped);
            let equal = Jitter::Equal.spread(capped, || chance);
            prop_assert!((capped / 2..=capped).contains(&equal));
        }

        #[test]
        fn a_decorrelated_delay_lies_between_the_first_one_and_the_cap(
            delay: u64, previous: u64, more: u64, chance: u64,
        ) {
            let cap = delay.saturating_add(more);
            let next = Jitter::decorrelated(delay, previous.min(cap), cap, || chance);
            prop_assert!((delay..=cap).contains(&next));
            prop_assert!(next <= previous.max(delay).saturating_mul(3));
        }
    }

    #[test]
    fn both_ends_can_be_reached() {
        assert_eq!((between(3, 5, 0), between(3, 5, u64::MAX)), (3, 5));
        assert_eq!((between(0, u64::MAX, 0), between(0, u64::MAX, u64::MAX)), (0, u64::MAX));
        assert_eq!((between(7, 7, 0), between(7, 7, u64::MAX)), (7, 7));
    }

    /// What is in each tenth of `low..=high`, in percent of 10 000 draws.
    fn tenths(low: u64, high: u64, mut draw: impl FnMut() -> u64) -> [u32; 10] {
        let mut counts = [0; 10];
        for _ in 0..10_000 {
            counts[((draw() - low) * 10 / (high - low + 1)) as usize] += 1;
        }
        counts.map(|count: u32| count.div_ceil(100))
    }

    /// Law 1. With a fixed seed; a tenth of even draws has 10 %, give or take one.
    #[test]
    fn the_spread_survives_the_cap() {
        const CAP: u64 = 1_000_000;
        let random = Random::seeded(29);
        let even = |low, draw: &mut dyn FnMut() -> u64| {
            let tenths = tenths(low, CAP, draw);
            assert!(tenths.iter().all(|percent| (9..=11).contains(percent)), "{tenths:?}");
        };
        // Every curve that lies beyond the cap arrives here as the cap.
        even(0, &mut || Jitter::Full.spread(CAP, || random.next_u64()));
        even(CAP / 2, &mut || Jitter::Equal.spread(CAP, || random.next_u64()));
        even(1_000, &mut || Jitter::decorrelated(1_000, CAP, CAP, || random.next_u64()));
    }
}
