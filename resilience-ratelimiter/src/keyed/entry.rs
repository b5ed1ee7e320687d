use resilience_core::Nanos;

use super::{
    Quota,
    terms::{Answer, Straight, Terms, carried},
};
use crate::{gcra::Rate, request::Ask};

/// What is known of a key: 32 bytes for a `u64`.
pub(super) struct Entry<K> {
    pub(super) key: K,
    /// Its own rate, if not that of the terms.
    quota: Option<Quota>,
    /// The theoretical arrival time, in units of its rate since the origin of the clock.
    arrival: u64,
    pub(super) hash: u32,
    /// When it was last asked for: see [`coarse`].
    seen: u32,
}

/// What a key was at one moment.
pub(super) struct View {
    pub(super) terms: Terms,
    pub(super) quota: Option<Quota>,
    pub(super) arrival: u64,
    pub(super) is_known: bool,
}

impl<K> Entry<K> {
    /// A key that is full.
    pub(super) fn new(hash: u32, key: K, quota: Option<Quota>) -> Self {
        Self { key, quota, arrival: 0, hash, seen: 0 }
    }

    /// Asked counts as used, also if the answer is no: whoever hammers at an empty bucket is not to be evicted for it.
    #[inline(always)]
    pub(super) fn ask_straight(&mut self, terms: &Terms, ask: &Ask) -> Straight {
        self.seen = coarse(ask.now);
        let straight = match &self.quota {
            None => terms.straight(&terms.rate, self.arrival, ask),
            Some(quota) => Self::ask_quota(quota, self.arrival, terms, ask),
        };
        if let Straight::Now(next) = straight {
            self.arrival = next;
        }
        straight
    }

    /// Not inlined, so that the other rate need not be looked for where the quota is.
    #[inline(never)]
    fn ask_quota(quota: &Quota, arrival: u64, terms: &Terms, ask: &Ask) -> Straight {
        terms.straight(quota.rate(), arrival, ask)
    }

    pub(super) fn ask(&mut self, terms: &Terms, ask: &Ask) -> Answer {
        self.seen = coarse(ask.now);
        let (answer, arrival) = terms.judge(self.rate(terms), self.arrival, ask);
        self.arrival = arrival;
        answer
    }

    #[inline(always)]
    fn rate<'a>(&'a self, terms: &'a Terms) -> &'a Rate {
        self.quota.as_ref().map_or(&terms.rate, Quota::rate)
    }

    /// How long it was not asked for, as [`coarse`] counts. Who read the clock before the last call finds it young.
    pub(super) fn age(&self, now: Nanos) -> u32 {
        match coarse(now).wrapping_sub(self.seen) {
            age if age < u32::MAX - MINUTE => age,
            _ => 0,
        }
    }

    /// Whether it has a full burst: then it is as good as new.
    pub(super) fn is_full(&self, terms: &Terms, now: Nanos) -> bool {
        self.arrival <= self.rate(terms).units(now.as_u64())
    }

    /// Whether some of its permits are promised.
    pub(super) fn is_waited_for(&self, terms: &Terms, now: Nanos) -> bool {
        self.rate(terms).promised(self.arrival, now.as_u64()) > 0
    }

    pub(super) fn give_back(&mut self, terms: &Terms, permits: u64) {
        self.arrival = self.rate(terms).give_back(self.arrival, permits);
    }

    pub(super) fn change_quota(&mut self, terms: &Terms, quota: Option<Quota>, now: Nanos) {
        let to = quota.as_ref().map_or(&terms.rate, Quota::rate);
        self.arrival = carried(self.rate(terms), self.arrival, now, to);
        self.quota = quota;
    }

    /// Keys without a quota of their own go from one rate to the other.
    pub(super) fn change_default(&mut self, from: &Rate, to: &Rate, now: Nanos) {
        if self.quota.is_none() {
            self.arrival = carried(from, self.arrival, now, to);
        }
    }
}

impl View {
    /// A key that is not known is full.
    pub(super) fn new<K>(terms: &Terms, entry: Option<&Entry<K>>) -> Self {
        Self {
            terms: *terms,
            quota: entry.and_then(|entry| entry.quota.clone()),
            arrival: entry.map_or(0, |entry| entry.arrival),
            is_known: entry.is_some(),
        }
    }

    pub(super) fn rate(&self) -> &Rate {
        self.quota.as_ref().map_or(&self.terms.rate, Quota::rate)
    }
}

/// A minute, about.
pub(super) const MINUTE: u32 = 60_000;

/// The time in about milliseconds, going round every 52 days: good enough to tell who was not asked for longest.
fn coarse(now: Nanos) -> u32 {
    (now.as_u64() >> 20) as u32
}

#[cfg(test)]
mod tests {
    use super::{Entry, MINUTE};
    use resilience_core::Nanos;

    #[test]
    fn ages_go_round_and_a_late_caller_finds_a_young_key() {
        let mut entry = Entry::new(0, "key", None);
        for begin in [0_u64, 1 << 40, (1 << 52) - 5] {
            let at = |ms: u64| Nanos::new((begin + ms) << 20);
            entry.seen = super::coarse(at(1_000));
            let ages = [1_000, 1_001, 61_000, 4_000_000_000, 999, 0].map(|ms| entry.age(at(ms)));
            assert_eq!(ages, [0, 1, MINUTE, 3_999_999_000, 0, 0]);
        }
    }
}
