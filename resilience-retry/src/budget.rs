//! How many retries all calls together may make: a sliding window in ten buckets.
//!
//! The window counts what is certain. A bucket that the window covers only in part counts as a whole for retries and not
//! at all for calls: the ten whole buckets behind the current one, and the current one, hold every retry of the window;
//! the current one and the nine behind it hold no call from before it. So the limit holds for every retry and the true
//! window that ends with it, whichever way the buckets lie. A window has at least a nanosecond to the bucket.
//!
//! The allowance is compared in whole numbers. A percentage is taken in billionths of a percent, of which a retry is
//! 10^11.

use resilience_core::{Nanos, saturating_nanos};

use crate::Config;

/// Buckets that make up a window.
const BUCKETS: u64 = 10;
/// The current one, and those behind it that the window covers at least in part.
const CELLS: usize = BUCKETS as usize + 1;
/// Billionths of a percent in a whole.
const WHOLE: u128 = 100_000_000_000;

/// What a budget allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Terms {
    /// Billionths of a percent.
    per_call: u128,
    /// The minimum for a window, in the same unit.
    minimum: u128,
    /// The nanoseconds of ten buckets: a bucket need not be whole nanoseconds.
    window: u64,
}

impl Terms {
    /// `None` without a budget.
    fn of(config: &Config) -> Option<Self> {
        let per_call = (config.budget_percent? * 1e9).round() as u128;
        let window = saturating_nanos(config.budget_window).clamp(BUCKETS, Nanos::LAST.as_u64());
        // 10^11 for a retry, 10^9 ns to the second.
        let minimum = u128::from(config.budget_min_per_second) * u128::from(window) * 100;
        Some(Self { per_call, minimum, window })
    }

    /// The number of the bucket in which this time lies, counted from the origin of the clock.
    fn bucket(&self, at: Nanos) -> u64 {
        match at.as_u64().checked_mul(BUCKETS) {
            Some(tenths) => tenths / self.window,
            None => (u128::from(at.as_u64()) * u128::from(BUCKETS) / u128::from(self.window)) as u64,
        }
    }

    /// The first time that lies in the bucket of this number.
    fn begin(&self, bucket: u64) -> Nanos {
        let begin = (u128::from(bucket) * u128::from(self.window)).div_ceil(u128::from(BUCKETS));
        Nanos::new(u64::try_from(begin).unwrap_or(u64::MAX))
    }

    /// How many more retries there may be, after so many calls and retries.
    fn left(&self, calls: u64, retries: u64) -> u64 {
        let allowed = (self.per_call * u128::from(calls) + self.minimum) / WHOLE;
        u64::try_from(allowed).unwrap_or(u64::MAX).saturating_sub(retries)
    }
}

/// The window, and what it allows.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    terms: Terms,
    /// The number of the current bucket.
    newest: u64,
    /// The bucket of number `n` is at `n % CELLS`.
    cells: [Cell; CELLS],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    calls: u64,
    retries: u64,
}

impl Budget {
    /// `None` if the configuration has no budget.
    pub(crate) fn new(config: &Config) -> Option<Self> {
        Some(Self::empty(Terms::of(config)?))
    }

    fn empty(terms: Terms) -> Self {
        Self { terms, newest: 0, cells: [Cell::default(); CELLS] }
    }

    /// A call has begun.
    pub(crate) fn count(&mut self, now: Nanos) {
        self.current(now).calls += 1;
    }

    /// Takes a retry, if one is left.
    pub(crate) fn take(&mut self, now: Nanos) -> bool {
        let is_left = self.left(now) > 0;
        if is_left {
            self.current(now).retries += 1;
        }
        is_left
    }

    /// How many retries are left. Changes nothing.
    pub(crate) fn left(&self, now: Nanos) -> u64 {
        let last = self.terms.bucket(now).max(self.newest);
        let (mut calls, mut retries) = (0, 0);
        for (number, cell) in self.cells().filter(|(number, _)| number + BUCKETS >= last) {
            calls += if number + BUCKETS > last { cell.calls } else { 0 };
            retries += cell.retries;
        }
        self.terms.left(calls, retries)
    }

    /// The same calls and retries under another configuration, in buckets of another width if need be: calls as of the
    /// begin of the old bucket and retries as of its end, so that the change allows nothing more.
    pub(crate) fn carry_over(&self, config: &Config, now: Nanos) -> Option<Self> {
        let terms = Terms::of(config)?;
        if terms.window == self.terms.window {
            return Some(Self { terms, ..self.clone() });
        }
        let mut next = Self::empty(terms);
        for (number, cell) in self.cells() {
            next.current(self.terms.begin(number).min(now)).calls += cell.calls;
            next.current(self.terms.begin(number + 1).min(now)).retries += cell.retries;
        }
        Some(next)
    }

    /// The buckets with their numbers, oldest first.
    fn cells(&self) -> impl Iterator<Item = (u64, &Cell)> {
        let first = self.newest.saturating_sub(BUCKETS);
        (first..=self.newest).map(|number| (number, &self.cells[number as usize % CELLS]))
    }

    /// The bucket of this time, or the newest one for who comes late; those in between are emptied.
    fn current(&mut self, now: Nanos) -> &mut Cell {
        let bucket = self.terms.bucket(now);
        let passed = bucket.saturating_sub(self.newest).min(CELLS as u64);
        for number in bucket - passed + 1..=bucket {
            self.cells[number as usize % CELLS] = Cell::default();
        }
        self.newest = self.newest.max(bucket);
        &mut self.cells[self.newest as usize % CELLS]
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    fn config(percent: f64, per_second: u32, window: Duration) -> Config {
        let budget_percent = Some(percent);
        Config { budget_percent, budget_min_per_second: per_second, budget_window: window, ..Config::default() }
    }

    fn budget(percent: f64, per_second: u32, window: u64) -> Budget {
        Budget::new(&config(percent, per_second, Duration::from_nanos(window))).expect("a budget")
    }

    /// All that was counted and granted, each with its time.
    #[derive(Default)]
    struct List {
        calls: Vec<u64>,
        retries: Vec<u64>,
    }

    fn since(times: &[u64], first: u64) -> u128 {
        times.iter().filter(|time| **time >= first).count() as u128
    }

    #[derive(Clone, Copy, Debug)]
    enum Op {
        Pass(u64),
        Count,
        Take,
    }

    fn ops(window: u64) -> impl Strategy<Value = Vec<Op>> {
        let pass = prop_oneof![0..=window / 10 + 1, 0..=window * 2, Just(window), Just(window.div_ceil(10))];
        let op = prop_oneof![2 => pass.prop_map(Op::Pass), 4 => Just(Op::Count), 3 => Just(Op::Take)];
        proptest::collection::vec(op, 0..150)
    }

    proptest! {
        /// Law 3, in true windows and against a list in which times are rounded to their buckets.
        #[test]
        fn it_grants_what_the_list_allows_and_no_more(
            (window, ops) in prop_oneof![10_u64..300, Just(10_000_000_000), Just(999_999_999)]
                .prop_flat_map(|window| (Just(window), ops(window))),
            percent in prop_oneof![Just(100.0), Just(0.7), Just(20.0), 0.000_001..100.0],
            per_second in prop_oneof![Just(0_u32), Just(1), Just(10_000_000)],
        ) {
            let mut budget = budget(percent, per_second, window);
            let (mut list, mut now) = (List::default(), 0);
            let bucket = |at: &u64| at * 10 / window;
            let parts = (percent * 1e9).round() as u128;
            let minimum = u128::from(per_second) * u128::from(window) * 100;
            for op in ops {
                match op {
                    Op::Pass(nanos) => now += nanos,
                    Op::Count => {
                        budget.count(Nanos::new(now));
                        list.calls.push(now);
                    }
                    Op::Take => {
                        let within = |times: &[u64], back| {
                            times.iter().filter(|at| bucket(at) + back >= bucket(&now)).count() as u128
                        };
                        let (calls, retries) = (within(&list.calls, 9), within(&list.retries, 10));
                        let allowed = (retries + 1) * WHOLE <= parts * calls + minimum;
                        prop_assert_eq!(budget.left(Nanos::new(now)) > 0, allowed);
                        prop_assert_eq!(budget.take(Nanos::new(now)), allowed);
                        if allowed {
                            list.retries.push(now);
                            let first = (now + 1).saturating_sub(window);
                            let (calls, retries) = (since(&list.calls, first), since(&list.retries, first));
                            prop_assert!(retries * WHOLE <= parts * calls + minimum);
                        }
                    }
                }
            }
        }

        /// What is left is what can be taken, and a change of the window in between allows nothing more.
        #[test]
        fn a_change_keeps_what_was_counted(
            window in 10_u64..2_000, other in 10_u64..2_000, ops in ops(1_000), per_second in 0_u32..10_000_000,
        ) {
            let mut kept = budget(50.0, per_second, window);
            let (mut list, mut now) = (List::default(), 0);
            for op in ops {
                match op {
                    Op::Pass(nanos) => now += nanos,
                    Op::Count => {
                        kept.count(Nanos::new(now));
                        list.calls.push(now);
                    }
                    Op::Take => if kept.take(Nanos::new(now)) {
                        list.retries.push(now);
                    }
                }
            }
            let terms = config(50.0, per_second, Duration::from_nanos(other));
            let mut changed = kept.carry_over(&terms, Nanos::new(now)).expect("a budget");
            let left = changed.left(Nanos::new(now));
            // Only what the old window still knew can be carried over.
            let (known, first) = ((now + 1).saturating_sub(window), (now + 1).saturating_sub(other));
            let allowed = 50_000_000_000 * since(&list.calls, first) + u128::from(per_second) * u128::from(other) * 100;
            prop_assert!(u128::from(left) + since(&list.retries, first.max(known)) <= (allowed / WHOLE).max(
                since(&list.retries, first.max(known))
            ));
            for _ in 0..left.min(1_000) {
                prop_assert!(changed.take(Nanos::new(now)));
            }
            prop_assert!(left > 1_000 || !changed.take(Nanos::new(now)));
        }
    }

    #[test]
    fn a_percentage_is_exact_where_its_binary_form_is_not() {
        for (percent, calls, retries) in
            [(0.7, 1_000, 7), (0.1, 3_000, 3), (33.3, 1_000, 333), (29.0, 100, 29), (100.0, 5, 5)]
        {
            let mut budget = budget(percent, 0, 10_000_000_000);
            for _ in 0..calls {
                budget.count(Nanos::ZERO);
            }
            assert_eq!(budget.left(Nanos::ZERO), retries, "{percent} % of {calls}");
            assert_eq!((0..calls).filter(|_| budget.take(Nanos::ZERO)).count() as u64, retries);
        }
    }

    #[test]
    fn the_longest_window_and_the_end_of_the_clock_are_ordinary() {
        let mut long = Budget::new(&config(100.0, u32::MAX, Duration::MAX)).unwrap();
        long.count(Nanos::LAST);
        assert!(long.take(Nanos::LAST) && long.left(Nanos::LAST) > 1 << 60);
        let mut short = budget(100.0, 0, 1);
        short.count(Nanos::LAST);
        assert!(short.take(Nanos::LAST) && !short.take(Nanos::LAST));
        assert!(!short.take(Nanos::ZERO), "who comes late comes now");
    }
}
