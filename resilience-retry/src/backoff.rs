//! How the delay grows from attempt to attempt: pure functions of nanoseconds, which saturate and never overflow.

use std::fmt;

/// How the delay grows from call to call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backoff {
    /// Always `delay`.
    Fixed,
    /// `delay`, twice `delay`, three times `delay`, ..
    Linear,
    /// `delay`, then each time `multiplier` times as long.
    #[default]
    Exponential,
}

/// More than every number of nanoseconds: a power that large needs no further factor.
const HUGE: f64 = u64::MAX as f64;

impl Backoff {
    const ALL: [Self; 3] = [Self::Fixed, Self::Linear, Self::Exponential];

    /// The one of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Linear => "linear",
            Self::Exponential => "exponential",
        }
    }

    /// The nanoseconds between the attempt of this number, counted from 1, and the next one; at most `cap`.
    pub(crate) fn after(self, attempt: u32, delay: u64, multiplier: f64, cap: u64) -> u64 {
        let curve = match self {
            Self::Fixed => delay,
            Self::Linear => delay.saturating_mul(attempt.max(1).into()),
            Self::Exponential => scaled(delay, power(multiplier, attempt.saturating_sub(1))),
        };
        curve.min(cap)
    }
}

/// `delay * factor`, for a factor of at least 1. A factor of 1 leaves also those numbers as they are that an `f64` cannot
/// hold.
fn scaled(delay: u64, factor: f64) -> u64 {
    if factor <= 1.0 { delay } else { (delay as f64 * factor).round() as u64 }
}

/// `base` to the power of `exponent`, at most [`HUGE`], by repeated squaring: exact as long as the result fits an `f64`,
/// and the same on every machine, which `f64::powi` does not promise.
fn power(mut base: f64, mut exponent: u32) -> f64 {
    let mut result = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = f64::min(result * base, HUGE);
        }
        base = f64::min(base * base, HUGE);
        exponent >>= 1;
    }
    result
}

impl fmt::Display for Backoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn backoff() -> impl Strategy<Value = Backoff> {
        prop_oneof![Just(Backoff::Fixed), Just(Backoff::Linear), Just(Backoff::Exponential)]
    }

    /// One step after the other, in whole numbers, and over once the cap is reached.
    fn naive(backoff: Backoff, attempt: u32, delay: u64, multiplier: u64, cap: u64) -> u64 {
        let mut now = u128::from(delay);
        for _ in 1..attempt {
            match backoff {
                Backoff::Fixed => {}
                Backoff::Linear => now += u128::from(delay),
                Backoff::Exponential => now *= u128::from(multiplier),
            }
            if now > u128::from(cap) {
                return cap;
            }
        }
        now.min(cap.into()) as u64
    }

    proptest! {
        /// An `f64` holds whole numbers up to 2^53, which are 104 days.
        #[test]
        fn whole_multipliers_are_exact(
            backoff in backoff(), attempt in 1_u32..200, delay in 0_u64..1 << 53, multiplier in 1_u64..12,
            cap in 0_u64..1 << 53,
        ) {
            let expected = naive(backoff, attempt, delay, multiplier, cap);
            prop_assert_eq!(backoff.after(attempt, delay, multiplier as f64, cap), expected);
        }

        #[test]
        fn it_never_falls_never_exceeds_the_cap_and_never_panics(
            backoff in backoff(), attempt: u32, delay: u64, multiplier in 1.0..f64::MAX, cap: u64,
        ) {
            let (this, next) = (
                backoff.after(attempt, delay, multiplier, cap),
                backoff.after(attempt.saturating_add(1), delay, multiplier, cap),
            );
            prop_assert!(this <= next && next <= cap);
            prop_assert!(this >= delay.min(cap), "{} from {}", this, delay);
        }

        /// Ten thousandths are no exact `f64`, and do not add up to a nanosecond over some hundred attempts.
        #[test]
        fn other_multipliers_are_right_to_the_last_digits(attempt in 1_u32..300, parts in 10_001_u64..20_000) {
            let delay = 1_000_000_u64;
            let mut wide = u128::from(delay) << 64;
            for _ in 1..attempt {
                wide = wide / 10_000 * u128::from(parts);
                if wide >> 64 >= 1 << 40 {
                    return Ok(());
                }
            }
            let got = Backoff::Exponential.after(attempt, delay, parts as f64 / 10_000.0, u64::MAX);
            prop_assert!(got.abs_diff((wide >> 64) as u64) <= 1, "{} beside {}", got, wide >> 64);
        }
    }

    #[test]
    fn it_saturates_at_the_end_of_the_numbers() {
        for attempt in [32, 33, 63, 64, 65, 1024, u32::MAX] {
            assert_eq!(Backoff::Exponential.after(attempt, 100_000_000, 2.0, 10_000_000_000), 10_000_000_000);
            assert_eq!(Backoff::Exponential.after(attempt, 0, f64::MAX, u64::MAX), 0);
            assert_eq!(Backoff::Exponential.after(attempt, u64::MAX - 1, 1.0, u64::MAX), u64::MAX - 1);
            assert_eq!(Backoff::Linear.after(attempt, u64::MAX, 1.0, u64::MAX), u64::MAX);
        }
        assert_eq!(Backoff::Exponential.after(u32::MAX, 1, f64::MAX, u64::MAX), u64::MAX);
        assert_eq!(Backoff::Exponential.after(0, 5, 2.0, u64::MAX), 5);
    }
}
