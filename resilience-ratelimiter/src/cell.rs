//! The state of a limiter: one word that callers move forward, and back when they give up, next to the numbers of the
//! rate, which can be changed at any moment.
//!
//! # The protocol
//!
//! The word holds the theoretical arrival time in its low bits, counted from a base, and the number of the generation
//! above them. The numbers (base, rate, boundary between the two parts) belong to a generation.
//!
//! - A **caller** loads the word, then the numbers, decides, and exchanges the word for the next one. If the exchange
//!   succeeds, the word was the same all the time, and so were the numbers.
//! - A **changer** holds a lock, swaps in [`CLOSED`], writes the numbers, and stores the arrival, carried over to them,
//!   under the next generation. Whoever meets `CLOSED` spins for that long.
//!
//! The tempting races: to decide and write in two steps, so that two callers share a permit; and to put the state back
//! without a generation, so that a caller who read the old numbers finds the very word it remembers (a full bucket is
//! always the same number) and charges a permit in the old units. A caller could still be fooled if it slept through
//! exactly 2^16 changes, and then only by a state equal to the bit.
//!
//! The boundary leaves the arrival 48 bits, three days in nanoseconds. When that is not enough, the base is moved
//! forward, or the boundary up (to 63 bits, at the cost of bits for the generation), by the same protocol.

use resilience_core::{
    Nanos,
    sync::{AtomicU64, Mutex, Ordering, OwnLine, back_off, fence, lock, spin_loop},
};

use crate::gcra::{Fraction, Rate};

/// A word and its numbers, on different cache lines: the one is written by everybody, the others are read by
/// everybody.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Generation above, arrival below the boundary; or [`CLOSED`].
    word: OwnLine<AtomicU64>,
    /// Written by changers between closing and opening the word.
    shared: OwnLine<Shared>,
    /// Held by a changer. The generation.
    changing: Mutex<u64>,
}

/// The word while the numbers change: all bits, which no open word has, for its arrival is less than the mask.
const CLOSED: u64 = u64::MAX;

/// The numbers of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// From when on time and arrival are counted.
    pub(crate) base: u64,
    /// The bits of the arrival.
    mask: u64,
    /// The most permits at once; 0 if the limiter is disabled.
    pub(crate) limit: u64,
    /// How long a call may wait, in nanoseconds.
    pub(crate) max_wait: u64,
    pub(crate) rate: Rate,
}

/// [`Numbers`] that can be changed, and what the straight way makes of them. See `load` and `store` for the orderings.
#[derive(Debug)]
struct Shared {
    /// Until when the straight way is open for rates of whole nanoseconds, and for others.
    whole_until: AtomicU64,
    scaled_until: AtomicU64,
    base: AtomicU64,
    mask: AtomicU64,
    interval: AtomicU64,
    /// Units that a bucket may lack and still give a permit.
    slack: AtomicU64,
    limit: AtomicU64,
    max_wait: AtomicU64,
    units_high: AtomicU64,
    units_low: AtomicU64,
    period: AtomicU64,
    nanos_high: AtomicU64,
    nanos_low: AtomicU64,
}

/// What a limiter was at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    word: u64,
    pub(crate) numbers: Numbers,
}

impl View {
    /// The theoretical arrival time, in units since the base.
    pub(crate) fn arrival(&self) -> u64 {
        self.word & self.numbers.mask
    }

    /// The time in nanoseconds since the base. Who read the clock before the base was moved is that late.
    pub(crate) fn since_base(&self, now: Nanos) -> u64 {
        now.as_u64().saturating_sub(self.numbers.base)
    }
}

impl Numbers {
    pub(crate) fn new(rate: Rate, enabled: bool, max_wait: u64, base: u64, arrival: u64) -> Self {
        let limit = if enabled { rate.permits() } else { 0 };
        Self { base, mask: Self::mask_for(arrival, &rate), limit, max_wait, rate }
    }

    /// Room for arrivals up to `farthest`, and then some: 48 bits, or as many as needed, at most 63.
    fn mask_for(farthest: u64, rate: &Rate) -> u64 {
        let bits = u64::BITS - farthest.saturating_add(3 * rate.burst).leading_zeros();
        (1 << bits.clamp(48, 63)) - 1
    }

    /// Until when there is room for whatever comes at once: a burst beyond now. With 63 bits that is for ever, for a
    /// clock and the longest burst together are shorter.
    fn room_until(&self) -> u64 {
        self.base.saturating_add(self.mask - self.rate.burst)
    }

    /// Until when the straight way is open: while there is room, and the end of the clock is more than a burst away.
    fn open_until(&self) -> u64 {
        let end = Nanos::LAST.as_u64().saturating_sub(self.rate.period);
        if self.limit > 0 { self.room_until().min(end) } else { 0 }
    }

    /// The largest arrival there is room for.
    const FARTHEST: u64 = (1 << 63) - 2;
}

impl Cell {
    pub(crate) fn new(numbers: &Numbers) -> Self {
        Self { word: OwnLine(AtomicU64::new(0)), shared: OwnLine(Shared::new(numbers)), changing: Mutex::new(0) }
    }

    /// Takes `permits` at the time `now` if they are there, or finds that they are not. Whatever is not that simple is
    /// off the straight way: a wait, none or too many permits, a disabled limiter, a closed word, no room, the end of the
    /// clock, the rejection of a rate that is not in whole nanoseconds.
    ///
    /// The arithmetic wraps, for the numbers may be of two generations until the word is known to be the same still.
    #[inline(always)]
    pub(crate) fn take(&self, permits: u64, now: Nanos, waits: bool) -> Straight {
        let shared = &*self.shared;
        // Ordering: Acquire; pairs with the Release in change: who sees a generation sees its numbers. So the word comes
        // first, and with the fence in exchange once more after the numbers.
        let word = self.word.load(Ordering::Acquire);
        // Ordering: Relaxed; see exchange for what tells numbers of another generation.
        let get = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let (nanos, base) = (now.as_u64(), get(&shared.base));
        let whole = nanos < get(&shared.whole_until);
        if !whole && nanos >= get(&shared.scaled_until) {
            return Straight::Off;
        }
        let now = if whole { nanos.wrapping_sub(base) } else { shared.to_units().scale(nanos.saturating_sub(base)) };
        let (interval, slack) = (get(&shared.interval), get(&shared.slack));
        let (cost, slack) = match permits {
            1 => (interval, slack),
            _ if permits.wrapping_sub(1) >= get(&shared.limit) => return Straight::Off,
            _ => {
                let more = interval.wrapping_mul(permits - 1);
                (interval.wrapping_add(more), slack.wrapping_sub(more))
            }
        };
        // A closed word is further ahead than any slack. Who read the clock before the base was moved is behind it.
        let ahead = (word & get(&shared.mask)).wrapping_sub(now) as i64;
        let lacks = ahead.wrapping_sub(slack as i64);
        if lacks > 0 {
            // What is promised can lie further out than the clock goes.
            let comes = lacks as u64 <= Nanos::LAST.as_u64() - nanos;
            let known = whole && comes && (!waits || get(&shared.max_wait) == 0) && self.is_still(word);
            return if known { Straight::Refused { retry_after: lacks as u64 } } else { Straight::Off };
        }
        let idle = ahead.wrapping_neg().max(0) as u64;
        let next = word.wrapping_add(idle).wrapping_add(cost);
        if self.exchange(word, next) { Straight::Taken } else { Straight::Lost }
    }

    /// Whether the word was still the same, and is the next one now.
    #[inline(always)]
    fn exchange(&self, word: u64, next: u64) -> bool {
        // Ordering: Acquire; pairs with the Release fence in change: if a number was of a later generation, the
        // exchange sees that the word has been closed.
        fence(Ordering::Acquire);
        // Ordering: Relaxed, Relaxed; the word is all there is to tell, and one word has one order of changes for all.
        self.word.compare_exchange(word, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Whether the word is open and still the same, and with it the numbers.
    #[inline(always)]
    fn is_still(&self, word: u64) -> bool {
        if word == CLOSED {
            return false;
        }
        // Ordering: Acquire; as in exchange.
        fence(Ordering::Acquire);
        // Ordering: Relaxed; the fence orders it after the numbers.
        self.word.load(Ordering::Relaxed) == word
    }

    /// What the limiter is now.
    #[inline]
    pub(crate) fn view(&self) -> View {
        loop {
            // Ordering: Acquire; pairs with the Release in change.
            let word = self.word.load(Ordering::Acquire);
            let numbers = self.shared.load();
            if self.is_still(word) {
                return View { word, numbers };
            }
            spin_loop();
        }
    }

    /// Changes the arrival to what `decide` makes of it, unless it makes nothing of it: then nothing changes.
    #[inline]
    pub(crate) fn update<R>(&self, now: Nanos, decide: impl Fn(&View) -> Result<u64, R>) -> Result<(), R> {
        loop {
            let view = self.view();
            let next = decide(&view)?;
            let mask = view.numbers.mask;
            if next >= mask || now.as_u64() >= view.numbers.room_until() {
                self.make_room(&view, now, next);
            } else if self.exchange(view.word, (view.word & !mask) | next) {
                return Ok(());
            }
            back_off();
        }
    }

    /// Moves the base forward by whole periods, which changes no fraction of a unit, and the boundary to where the
    /// arrival needs it.
    #[cold]
    fn make_room(&self, seen: &View, now: Nanos, next: u64) {
        self.change(|old, arrival| {
            if *old != seen.numbers {
                return (*old, arrival); // somebody was faster
            }
            let periods = now.as_u64().saturating_sub(old.base) / old.rate.period;
            let past = periods * old.rate.burst;
            let base = old.base + periods * old.rate.period;
            let farthest = next.saturating_sub(past).max(now.as_u64().saturating_sub(base));
            let numbers = Numbers { base, mask: Numbers::mask_for(farthest, &old.rate), ..*old };
            (numbers, arrival.saturating_sub(past))
        });
    }

    /// Changes the numbers; what is used and promised is carried over.
    pub(crate) fn reconfigure(&self, rate: Rate, enabled: bool, max_wait: u64, now: Nanos) {
        self.change(|old, arrival| {
            if rate == old.rate {
                let limit = if enabled { rate.permits() } else { 0 };
                return (Numbers { limit, max_wait, ..*old }, arrival);
            }
            let base = now.as_u64().max(old.base);
            let arrival = old.rate.carry_over(arrival, base - old.base, &rate).min(Numbers::FARTHEST);
            (Numbers::new(rate, enabled, max_wait, base, arrival), arrival)
        });
    }

    fn change(&self, op: impl FnOnce(&Numbers, u64) -> (Numbers, u64)) {
        let mut generation = lock(&self.changing);
        let old = self.shared.load();
        // Ordering: AcqRel; the number alone tells, Acquire keeps what follows behind it.
        let word = self.word.swap(CLOSED, Ordering::AcqRel);
        let (new, arrival) = op(&old, word & old.mask);
        // Ordering: Release; pairs with the Acquire fences of callers: who sees a new number sees the word closed.
        fence(Ordering::Release);
        self.shared.store(&new);
        *generation += 1;
        // The low bits of the generation come first, so that the next one differs however few bits there are.
        let word = (generation.reverse_bits() & !new.mask) | arrival;
        // Ordering: Release; pairs with the Acquire of callers that load the word.
        self.word.store(word, Ordering::Release);
    }
}

/// Where the straight way ends.
pub(crate) enum Straight {
    /// The permits are taken.
    Taken,
    /// They are not there. They will be after so many nanoseconds.
    Refused { retry_after: u64 },
    /// Somebody else was faster.
    Lost,
    /// It takes a closer look.
    Off,
}

impl Shared {
    fn new(numbers: &Numbers) -> Self {
        let shared = Self {
            whole_until: AtomicU64::new(0),
            scaled_until: AtomicU64::new(0),
            base: AtomicU64::new(0),
            mask: AtomicU64::new(0),
            interval: AtomicU64::new(0),
            slack: AtomicU64::new(0),
            limit: AtomicU64::new(0),
            max_wait: AtomicU64::new(0),
            units_high: AtomicU64::new(0),
            units_low: AtomicU64::new(0),
            period: AtomicU64::new(0),
            nanos_high: AtomicU64::new(0),
            nanos_low: AtomicU64::new(0),
        };
        shared.store(numbers);
        shared
    }

    #[inline(always)]
    fn to_units(&self) -> Fraction {
        // Ordering: Relaxed, Relaxed; as load.
        Fraction { high: self.units_high.load(Ordering::Relaxed), low: self.units_low.load(Ordering::Relaxed) }
    }

    /// May be of two generations: good only once the word is known to have been the same all the time.
    #[inline(always)]
    fn load(&self) -> Numbers {
        // Ordering: Relaxed; whoever loads asks for the word before and after, with fences.
        let get = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let interval = get(&self.interval);
        Numbers {
            base: get(&self.base),
            mask: get(&self.mask),
            limit: get(&self.limit),
            max_wait: get(&self.max_wait),
            rate: Rate {
                interval,
                burst: get(&self.slack).wrapping_add(interval),
                period: get(&self.period),
                to_units: self.to_units(),
                to_nanos: Fraction { high: get(&self.nanos_high), low: get(&self.nanos_low) },
            },
        }
    }

    /// Only while the word is closed, or before anybody sees it.
    fn store(&self, numbers: &Numbers) {
        // Ordering: Relaxed; between the Release fence and the Release store in change.
        let set = |number: &AtomicU64, value| number.store(value, Ordering::Relaxed);
        let Numbers { base, mask, limit, max_wait, rate } = numbers;
        let until = numbers.open_until();
        set(&self.whole_until, if rate.is_whole() { until } else { 0 });
        set(&self.scaled_until, until);
        set(&self.base, *base);
        set(&self.mask, *mask);
        set(&self.interval, rate.interval);
        set(&self.slack, rate.burst - rate.interval);
        set(&self.limit, *limit);
        set(&self.max_wait, *max_wait);
        set(&self.units_high, rate.to_units.high);
        set(&self.units_low, rate.to_units.low);
        set(&self.period, rate.period);
        set(&self.nanos_high, rate.to_nanos.high);
        set(&self.nanos_low, rate.to_nanos.low);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::{collections::HashSet, time::Duration};

    use super::*;
    use crate::gcra::Decision;

    fn numbers(permits: u32, period: u64) -> Numbers {
        Numbers::new(Rate::new(permits, Duration::from_secs(period)), true, 0, 0, 0)
    }

    /// A full bucket on a clock that stands still is the same number in any units.
    #[test]
    fn a_word_that_a_caller_remembers_does_not_come_back_with_other_numbers() {
        for period in [1, 48 * 3_600, 100 * 365 * 86_400] {
            let cell = Cell::new(&numbers(2, period));
            let mut seen = HashSet::new();
            let bits = 64 - cell.view().numbers.mask.count_ones();
            for change in 0..(1_u64 << bits.min(12)) {
                let view = cell.view();
                assert_eq!(view.arrival(), 0);
                assert!(seen.insert(view.word), "change {change} of {period} s");
                cell.reconfigure(Rate::new(change as u32 + 3, Duration::from_secs(period)), true, 0, Nanos::ZERO);
                assert!(!cell.exchange(view.word, view.word), "its exchange fails");
            }
        }
    }

    /// The base moves by whole periods only, so for most of a century there is no more room to be made.
    #[test]
    fn the_longest_period_has_room_for_all_its_years() {
        let year = 365 * 86_400 * 1_000_000_000_u64;
        for permits in [1, 2, 1_000_000_000] {
            let cell = Cell::new(&numbers(permits, 100 * 31_557_600));
            for years in 0..146 {
                let now = Nanos::new(years * year);
                let asked = cell.update(now, |view| {
                    match view.numbers.rate.decide(view.arrival(), view.since_base(now), 1, u64::MAX) {
                        Decision::Now { next } | Decision::At { next, .. } => Ok(next.min(Numbers::FARTHEST)),
                        refused @ Decision::No { .. } => Err(refused),
                    }
                });
                assert_eq!(asked, Ok(()), "after {years} years");
            }
        }
    }

    #[test]
    fn room_is_made_for_years_without_losing_a_unit() {
        let cell = Cell::new(&numbers(7, 1));
        let year = 365 * 86_400 * 1_000_000_000_u64;
        for years in 0..140 {
            let now = Nanos::new(years * year);
            for _ in 0..7 {
                let taken = matches!(cell.take(1, now, false), Straight::Taken)
                    || cell
                        .update(now, |view| {
                            match view.numbers.rate.decide(view.arrival(), view.since_base(now), 1, 0) {
                                Decision::Now { next } => Ok(next),
                                other => Err(other),
                            }
                        })
                        .is_ok();
                assert!(taken, "after {years} years");
            }
            let view = cell.view();
            assert_eq!(view.numbers.rate.available(view.arrival(), view.since_base(now)), 0);
            let next = now.as_u64() + 142_857_143;
            assert_eq!(view.numbers.rate.available(view.arrival(), view.since_base(Nanos::new(next - 1))), 0);
            assert_eq!(view.numbers.rate.available(view.arrival(), view.since_base(Nanos::new(next))), 1);
        }
    }
}
