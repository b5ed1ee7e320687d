//! The calls of the last so many seconds, in ten buckets with running sums.

use resilience_core::Nanos;

use crate::rates::{Mark, Rates};

const BUCKETS: usize = 10;

/// A call counts as long as its bucket is one of the last ten, the one under way included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeWindow {
    /// The length of a bucket in nanoseconds; at least 1.
    width: u64,
    /// The number of the bucket under way, counted from the origin of the clock.
    newest: u64,
    /// Bucket `n` is at `n % BUCKETS`.
    buckets: [Rates; BUCKETS],
    sum: Rates,
}

impl TimeWindow {
    /// So many nanoseconds, rounded up to whole buckets.
    pub(crate) fn new(nanos: u64) -> Self {
        let width = nanos.div_ceil(BUCKETS as u64).max(1);
        Self { width, newest: 0, buckets: Default::default(), sum: Rates::default() }
    }

    pub(crate) fn reset(&mut self) {
        *self = Self { buckets: Default::default(), sum: Rates::default(), ..*self };
    }

    /// Adds a call. Cost: at most ten buckets are passed on, however much time went by.
    pub(crate) fn record(&mut self, now: Nanos, mark: Mark) -> Rates {
        self.pass_on(now);
        self.buckets[self.newest as usize % BUCKETS].add(mark);
        self.sum.add(mark);
        self.sum
    }

    /// What it holds at `now`.
    pub(crate) fn rates(mut self, now: Nanos) -> Rates {
        self.pass_on(now);
        self.sum
    }

    /// Another length; what it holds keeps its time, that of the beginning of its bucket.
    pub(crate) fn resize(&mut self, nanos: u64, now: Nanos) {
        self.pass_on(now);
        let old = std::mem::replace(self, Self::new(nanos));
        for number in old.newest.saturating_sub(BUCKETS as u64 - 1)..=old.newest {
            let rates = old.buckets[number as usize % BUCKETS];
            if rates.calls > 0 {
                self.pass_on(Nanos::new(number.saturating_mul(old.width)));
                self.buckets[self.newest as usize % BUCKETS].merge(rates);
                self.sum.merge(rates);
            }
        }
    }

    /// Forgets the buckets that are out of the window at `now`. A time before the newest bucket is taken as the newest:
    /// threads can come in another order than that in which they read the clock.
    fn pass_on(&mut self, now: Nanos) {
        let number = now.as_u64() / self.width;
        let passed = number.saturating_sub(self.newest).min(BUCKETS as u64);
        for ahead in 1..=passed {
            let bucket = &mut self.buckets[(self.newest + ahead) as usize % BUCKETS];
            self.sum.remove(std::mem::take(bucket));
        }
        self.newest = self.newest.max(number);
    }
}
