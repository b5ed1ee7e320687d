//! The only source of chance.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
};

use crate::sync::{Arc, AtomicU64, Ordering};

/// Random numbers, seedable: the same seed gives the same numbers. Clones draw from one sequence, without a lock.
///
/// Good for jitter and sampling, not for secrets. (`SplitMix64`, after Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014.)
///
/// ```
/// use resilience_core::Random;
///
/// assert_eq!(Random::seeded(7).next_u64(), Random::seeded(7).next_u64());
/// assert!((0.0..1.0).contains(&Random::new().next_f64()));
/// ```
#[derive(Clone)]
pub struct Random(Arc<AtomicU64>);

/// Hashing with a seed drawn from the operating system: for maps whose keys come from outside, against made-up collisions.
pub type HashState = RandomState;

/// The odd number nearest to 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Random {
    /// Seeded by the operating system.
    pub fn new() -> Self {
        Self::seeded(RandomState::new().hash_one(STEP))
    }

    /// The sequence of this seed.
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(AtomicU64::new(seed)))
    }

    /// A sequence of its own, seeded from this one and `name`: drawing from one does not move the other.
    #[must_use]
    pub fn fork(&self, name: &str) -> Self {
        // Ordering: Relaxed; only the number matters.
        let seed = self.0.load(Ordering::Relaxed);
        Self::seeded(name.bytes().fold(mix(seed), |seed, byte| mix(seed ^ u64::from(byte))))
    }

    /// Any number.
    #[inline]
    pub fn next_u64(&self) -> u64 {
        // Ordering: Relaxed; each caller takes a state of its own, and nothing else is passed on.
        mix(self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP))
    }

    /// A number from 0 (included) to 1 (not included), in steps of 2^-53.
    #[inline]
    pub fn next_f64(&self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn mix(mut state: u64) -> u64 {
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_of_seed_zero_are_those_of_the_paper() {
        let random = Random::seeded(0);
        let numbers = [random.next_u64(), random.next_u64(), random.next_u64()];
        assert_eq!(numbers, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]);
    }

    #[test]
    fn forks_are_stable_and_differ_by_name() {
        let random = Random::seeded(1);
        let first = random.fork("a").next_u64();
        assert_eq!(first, random.fork("a").next_u64());
        assert_ne!(first, random.fork("b").next_u64());
    }
}
