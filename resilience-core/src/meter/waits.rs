//! How long calls waited, in so little memory however many there were.

use std::{fmt, time::Duration};

use super::on::is_on;
use crate::{
    keys::metric,
    measure::{Measures, Waited},
    saturating_nanos,
    sync::{Mutex, lock},
};

/// The waits of one instance, while metrics are on: how many there were in each of 250 ranges, and their sum. A range is an
/// eighth of a power of two, so that the mean of a range is within 6 % of all that is in it.
///
/// Not handed to a recorder one by one: some keep each value until they are scraped, and foreign code would run in the
/// middle of calls.
#[derive(Default)]
pub struct Waits(Mutex<Option<Box<Ranges>>>);

type Ranges = [Waited; RANGES];

/// Shorter waits than 2^10 ns, a microsecond, are one range; so are those from 2^41 ns on, 37 minutes.
const SHORT: u32 = 10;
const LONG: u32 = 41;
const RANGES: usize = (LONG - SHORT) as usize * 8 + 2;

impl Waits {
    /// A call has waited, or is told to wait, this long; asked only while metrics are on. The first one allocates 4 kB.
    #[inline]
    pub fn add(&self, wait: impl FnOnce() -> Duration) {
        if is_on() {
            self.add_nanos(saturating_nanos(wait()));
        }
    }

    #[cold]
    fn add_nanos(&self, nanos: u64) {
        let mut ranges = lock(&self.0);
        let ranges = ranges.get_or_insert_with(|| Box::new([Waited::default(); RANGES]));
        let range = &mut ranges[range_of(nanos)];
        range.count += 1;
        range.nanos = range.nanos.saturating_add(nanos);
    }

    /// Writes down how many waited how long.
    pub fn measure(&self, into: &mut Measures) {
        let ranges = lock(&self.0).as_ref().map(|ranges| ranges.to_vec());
        into.waits(&metric::WAIT_SECONDS, ranges.unwrap_or_default());
    }
}

fn range_of(nanos: u64) -> usize {
    let exponent = nanos.max(1).ilog2();
    if exponent < SHORT {
        0
    } else if exponent >= LONG {
        RANGES - 1
    } else {
        let eighth = (nanos >> (exponent - 3)) & 7;
        (exponent - SHORT) as usize * 8 + eighth as usize + 1
    }
}

impl fmt::Debug for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count: u64 = lock(&self.0).iter().flat_map(|ranges| ranges.iter()).map(|range| range.count).sum();
        f.debug_struct("Waits").field("count", &count).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{RANGES, range_of};

    #[test]
    fn a_range_is_never_wider_than_an_eighth_of_its_waits() {
        assert_eq!((range_of(0), range_of(1023), range_of(1024)), (0, 0, 1));
        assert_eq!(
            (range_of((1 << 41) - 1), range_of(1 << 41), range_of(u64::MAX)),
            (RANGES - 2, RANGES - 1, RANGES - 1)
        );
        let mut least = 1024_u64;
        for nanos in
            (10..41).flat_map(|exponent| (0..64).map(move |part| (1_u64 << exponent) + (part << (exponent - 6))))
        {
            if range_of(nanos) != range_of(least) {
                assert_eq!(range_of(nanos), range_of(least) + 1);
                least = nanos;
            }
            assert!(nanos - least <= least / 8, "{least} and {nanos} are in one range");
        }
    }
}
