//! The decision, as pure functions: the generic cell rate algorithm (ITU-T I.371, ATM traffic policing) in its
//! virtual scheduling form, which is a token bucket that keeps one number: the theoretical arrival time.
//!
//! Rates need not come out in whole nanoseconds (3 per second; 700 000 000 per second). Instead of rounding the
//! interval, which would be a wrong rate, time itself is scaled: with `m = floor(period / permits)` nanoseconds, a
//! permit costs exactly `m` units, and the clock shows `floor(nanoseconds * m * permits / period)` units. The average
//! rate is exact, and all there is to store is a number of units.
//!
//! Time and arrival count from a base that the caller chooses (see [`crate::cell`]). No sum here overflows: a clock
//! ends at 2^62 ns, a period is at most 100 years (under 2^62 ns), units are never shorter than nanoseconds, and
//! nothing is promised beyond the end of the clock: arrivals stay below 2^63.

use std::time::Duration;

use resilience_core::saturating_nanos;

/// The numbers of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Units that a permit costs.
    pub(crate) interval: u64,
    /// Units of a full burst, which are those of a period.
    pub(crate) burst: u64,
    /// Nanoseconds of a period.
    pub(crate) period: u64,
    /// Units per nanosecond.
    pub(crate) to_units: Fraction,
    /// Nanoseconds per unit.
    pub(crate) to_nanos: Fraction,
}

/// A fixed-point number, rounded up, with 127 places behind the point if it is at most 1, or 126 if it is at least 1.
/// 64 places would be wrong by one for 7 per second at exactly 1 s; these are exact for every instant of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fraction {
    pub(crate) high: u64,
    pub(crate) low: u64,
}

/// `high` of exactly 1, with 127 places: no scaling is needed.
const WHOLE: u64 = 1 << 63;

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It goes on at once.
    Now { next: u64 },
    /// It starts so many nanoseconds after the base.
    At { next: u64, start: u64 },
    /// It would start so many nanoseconds after the base, but it may not wait so long.
    No { start: u64 },
}

impl Rate {
    /// `permits` per `period`, both checked: at least one, and at least a nanosecond each.
    pub(crate) fn new(permits: u32, period: Duration) -> Self {
        let period = saturating_nanos(period);
        let interval = period / u64::from(permits);
        let burst = interval * u64::from(permits);
        let (to_units, to_nanos) = (Fraction::of(burst, period, 127), Fraction::of(period, burst, 126));
        Self { interval, burst, period, to_units, to_nanos }
    }

    /// Whether permits are whole nanoseconds apart: then a unit is a nanosecond.
    pub(crate) fn is_whole(&self) -> bool {
        self.to_units.high == WHOLE
    }

    /// Permits of a full burst.
    pub(crate) fn permits(&self) -> u64 {
        self.burst / self.interval
    }

    /// What the clock shows after so many nanoseconds.
    #[inline(always)]
    pub(crate) fn units(&self, nanos: u64) -> u64 {
        self.to_units.scale(nanos)
    }

    /// After how many nanoseconds the clock first shows `units`.
    #[inline(always)]
    pub(crate) fn nanos(&self, units: u64) -> u64 {
        if self.is_whole() {
            return units;
        }
        let floor = self.to_nanos.times(units, 126);
        // The remainder of the division, which is smaller than a word, tells whether it came out even.
        let rest = units.wrapping_mul(self.period).wrapping_sub(floor.wrapping_mul(self.burst));
        floor.wrapping_add(u64::from(rest != 0))
    }

    /// What becomes of a request for `permits`, at most a burst, at the time `nanos`, if it may wait until `latest`.
    #[inline(always)]
    pub(crate) fn decide(&self, arrival: u64, nanos: u64, permits: u64, latest: u64) -> Decision {
        let now = self.units(nanos);
        let next = arrival.max(now) + self.interval * permits;
        if next <= now + self.burst {
            return Decision::Now { next };
        }
        match self.nanos(next - self.burst) {
            start if start <= latest => Decision::At { next, start },
            start => Decision::No { start },
        }
    }

    /// The arrival with `permits` given back: never more than a full burst, for an arrival in the past means no more.
    pub(crate) fn give_back(&self, arrival: u64, permits: u64) -> u64 {
        arrival.saturating_sub(self.interval.saturating_mul(permits))
    }

    /// How many permits could be taken at the time `nanos`.
    pub(crate) fn available(&self, arrival: u64, nanos: u64) -> u32 {
        let now = self.units(nanos);
        let free = (now + self.burst).saturating_sub(arrival.max(now));
        u32::try_from(free / self.interval).expect("at most a burst")
    }

    /// How many permits are promised, at the time `nanos`, to requests that wait for them.
    pub(crate) fn promised(&self, arrival: u64, nanos: u64) -> u64 {
        arrival.saturating_sub(self.units(nanos) + self.burst).div_ceil(self.interval)
    }

    /// The arrival, from the time `nanos` on, under another rate: what is used stays used and what is promised stays
    /// promised, both as permits; of what is used, no more than the other rate's burst.
    ///
    /// As long as permits are promised, the bucket is empty, also if the new one is larger: what the other burst has more
    /// comes with time. Otherwise newcomers would start before those who wait, and the next change could not tell what
    /// was promised.
    pub(crate) fn carry_over(&self, arrival: u64, nanos: u64, to: &Self) -> u64 {
        let debt = arrival.saturating_sub(self.units(nanos));
        match debt.saturating_sub(self.burst) {
            0 => self.convert(debt, to).min(to.burst),
            promised => to.burst.saturating_add(self.convert(promised, to)),
        }
    }

    /// So many units, as permits, in units of another rate; rounded up, so that no permit comes out of it.
    fn convert(&self, units: u64, to: &Self) -> u64 {
        let wide = (u128::from(units) * u128::from(to.interval)).div_ceil(u128::from(self.interval));
        u64::try_from(wide).unwrap_or(u64::MAX)
    }
}

impl Fraction {
    /// `numerator / denominator`, at most 2, with so many places, rounded up.
    fn of(numerator: u64, denominator: u64, places: u32) -> Self {
        let (numerator, denominator) = (u128::from(numerator), u128::from(denominator));
        // Long division in two steps, for the numerator with all its places is longer than 128 bits.
        let first = numerator << 64;
        let second = (first % denominator) << (places - 64);
        let quotient = ((first / denominator) << (places - 64)) + second / denominator;
        let quotient = quotient + u128::from(second % denominator != 0);
        Self { high: (quotient >> 64) as u64, low: quotient as u64 }
    }

    /// `floor(self * factor)`, for a fraction of at most 1.
    #[inline(always)]
    pub(crate) fn scale(self, factor: u64) -> u64 {
        if self.high == WHOLE { factor } else { self.times(factor, 127) }
    }

    #[inline(always)]
    fn times(self, factor: u64, places: u32) -> u64 {
        let factor = u128::from(factor);
        let carry = (u128::from(self.low) * factor) >> 64;
        ((u128::from(self.high) * factor + carry) >> (places - 64)) as u64
    }
}
