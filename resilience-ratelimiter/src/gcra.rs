//! The decision, as pure functions: the generic cell rate algorithm (ITU-T I.371, ATM traffic policing) in its
//! virtual scheduling form, which is a token bucket that keeps one number: the theoretical arrival time.
//!
//! Rates need not come out in whole nanoseconds (3 per second; 700 000 000 per second). Instead of rounding the
//! interval, which would be a wrong rate, time itself is scaled: with `m = floor(period / permits)` nanoseconds, a
//! permit costs exactly `m` units, and the clock shows `floor(nanoseconds * m * permits / period)` units. The average
//! rate is exact, and all there is to store is a number of units.
//!
//! No sum here overflows: a clock ends at 2^63 - 1 ns, a period is at most 100 years (under 2^62 ns), units are never
//! shorter than nanoseconds, and nothing is promised beyond the end of the clock.

use std::time::Duration;

use resilience_core::{Nanos, saturating_nanos};

/// The numbers of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Units that a permit costs.
    interval: u64,
    /// Units of a full burst.
    burst: u64,
    scale: Option<Scale>,
}

/// How many units a nanosecond has: `units / nanos`, in (1/2, 1); absent if it is exactly 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scale {
    units: u64,
    nanos: u64,
    /// `units / nanos` as a binary fraction with [`BITS`] places, rounded up: 64 places would be wrong by one for
    /// 7 per second at exactly 1 s; this many are exact for every instant of a clock.
    to_units: Fraction,
    /// `nanos / units`, in the same way, rounded up, with one place less.
    to_nanos: Fraction,
}

/// A fixed-point number of 127 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction {
    high: u64,
    low: u64,
}

/// Places of a [`Fraction`] behind the point.
const BITS: u32 = 127;

/// What becomes of a request that cannot go on at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It can, after all.
    Now { next: u64 },
    /// It starts then.
    At { next: u64, start: Nanos },
    /// It would have to wait longer than it may. After this long it would not.
    Refused { retry_after: Option<Duration> },
    /// It would start after its own deadline.
    Useless,
}

/// How long a request may wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) max_wait: Duration,
    pub(crate) deadline: Nanos,
}

impl Rate {
    /// `permits` per `period`, both checked: at least one, and at least a nanosecond each.
    pub(crate) fn new(permits: u32, period: Duration) -> Self {
        let nanos = saturating_nanos(period);
        let interval = nanos / u64::from(permits);
        let units = interval * u64::from(permits);
        let scale = (units != nanos).then(|| Scale {
            units,
            nanos,
            to_units: Fraction::of(units, nanos, BITS),
            to_nanos: Fraction::of(nanos, units, BITS - 1),
        });
        Self {
            interval,
            burst: units,
            scale,
        }
    }

    /// The time in units.
    #[inline(always)]
    pub(crate) fn units(&self, now: Nanos) -> u64 {
        match &self.scale {
            None => now.as_u64(),
            Some(scale) => scale.to_units.times(now.as_u64(), BITS),
        }
    }

    /// The first instant at which the clock shows `units`.
    fn instant(&self, units: u64) -> Nanos {
        Nanos::new(match &self.scale {
            None => units,
            Some(scale) => {
                let floor = scale.to_nanos.times(units, BITS - 1);
                // The remainder of the division, which is smaller than a word, tells whether it came out even.
                let rest = units
                    .wrapping_mul(scale.nanos)
                    .wrapping_sub(floor.wrapping_mul(scale.units));
                floor + u64::from(rest != 0)
            }
        })
    }

    /// What `permits` cost, at most a burst.
    #[inline(always)]
    pub(crate) fn cost(&self, permits: u64) -> u64 {
        self.interval * permits
    }

    /// The next state if the request can go on at once.
    #[inline(always)]
    pub(crate) fn take(&self, state: u64, now: u64, cost: u64) -> Option<u64> {
        let next = state.max(now) + cost;
        (next <= now + self.burst).then_some(next)
    }

    /// What becomes of the request otherwise.
    pub(crate) fn decide(&self, state: u64, now: Nanos, cost: u64, patience: Patience) -> Decision {
        let units = self.units(now);
        if let Some(next) = self.take(state, units, cost) {
            return Decision::Now { next };
        }
        let next = state.max(units) + cost;
        let start = self.instant(next - self.burst);
        if start.is_never() {
            return Decision::Refused { retry_after: None };
        }
        let wait = start.since(now);
        if wait > patience.max_wait {
            Decision::Refused {
                retry_after: Some(wait.saturating_sub(patience.max_wait)),
            }
        } else if start > patience.deadline {
            Decision::Useless
        } else {
            Decision::At { next, start }
        }
    }

    /// The state with `cost` given back. Below the time now, it means no more than a full burst.
    pub(crate) fn give_back(state: u64, cost: u64) -> u64 {
        state.saturating_sub(cost)
    }

    /// How many permits could be taken at once.
    pub(crate) fn available(&self, state: u64, now: Nanos) -> u32 {
        let now = self.units(now);
        let free = (now + self.burst).saturating_sub(state.max(now));
        u32::try_from(free / self.interval).expect("at most a burst")
    }

    /// How many permits are promised to requests that wait for them.
    pub(crate) fn promised(&self, state: u64, now: Nanos) -> u64 {
        state
            .saturating_sub(self.units(now) + self.burst)
            .div_ceil(self.interval)
    }
}

impl Fraction {
    /// `numerator / denominator`, below 2, with `bits` places, rounded up.
    fn of(numerator: u64, denominator: u64, bits: u32) -> Self {
        let (numerator, denominator) = (u128::from(numerator), u128::from(denominator));
        // Long division in two steps, for the numerator with all its places is longer than 128 bits.
        let first = numerator << 64;
        let second = (first % denominator) << (bits - 64);
        let places = ((first / denominator) << (bits - 64)) + second / denominator;
        let places = places + u128::from(second % denominator != 0);
        Self {
            high: (places >> 64) as u64,
            low: places as u64,
        }
    }

    /// `floor(self * factor)`.
    #[inline(always)]
    fn times(self, factor: u64, bits: u32) -> u64 {
        let factor = u128::from(factor);
        let carry = (u128::from(self.low) * factor) >> 64;
        ((u128::from(self.high) * factor + carry) >> (bits - 64)) as u64
    }
}
