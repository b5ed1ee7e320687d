//! A part of the keys behind one lock: an open-addressing table, swept by a hand that moves on with each call that
//! brings a new key.
//!
//! Each entry remembers its hash, so that of foreign code nothing but `Eq` runs under the lock.

use std::mem;

use hashbrown::HashTable;
use resilience_core::Nanos;

use super::{
    KeyRef,
    entry::{Entry, MINUTE, View},
    terms::{Answer, Straight, Terms},
};
use crate::request::Ask;

pub(super) struct Shard<K> {
    table: HashTable<Entry<K>>,
    /// The bucket at which the next sweep begins.
    hand: usize,
    /// When the last key was forgotten. Who read the clock before that and comes in after it might find a key full
    /// that was not full yet at its time: it is taken to come now.
    forgot: Nanos,
    pub(super) terms: Terms,
}

/// What a sweep looks for.
#[derive(Clone, Copy)]
pub(super) struct Sweep {
    pub(super) now: Nanos,
    /// How many entries to look at.
    pub(super) looks: usize,
    /// For how long, as [`Entry::age`] counts, a full key must not have been asked for to be forgotten.
    pub(super) idle: u32,
    /// Whether another one has to leave if none is forgotten: the one that was not asked for longest. Those that
    /// callers wait for come last.
    pub(super) evict: bool,
}

/// What a sweep found.
pub(super) struct Swept<K> {
    /// Who left. To be dropped under no lock: `Drop` of a key is foreign code.
    entries: [Option<Entry<K>>; BATCH],
    /// How many left because they were full again.
    pub(super) forgotten: u64,
    /// How many left although they were not: 0 or 1.
    pub(super) evicted: u64,
    pub(super) looked: usize,
}

/// How many keys a sweep forgets at most.
const BATCH: usize = 4;

/// What a new key looks for while there is room: full keys that were not asked for in about a minute, for who comes
/// back sooner is to be spared the way in.
const IN_PASSING: Sweep = Sweep { now: Nanos::ZERO, looks: 4, idle: MINUTE, evict: false };

impl<K> Shard<K> {
    pub(super) fn new(terms: Terms) -> Self {
        Self { table: HashTable::new(), hand: 0, forgot: Nanos::ZERO, terms }
    }

    /// Asks a known key. `None` if it is not known.
    #[inline(always)]
    pub(super) fn ask_straight<Q: KeyRef<K> + ?Sized>(&mut self, hash: u32, key: &Q, ask: &Ask) -> Option<Straight> {
        let entry = self.table.find_mut(spread(hash), |entry| key.names(&entry.key))?;
        Some(entry.ask_straight(&self.terms, ask))
    }

    /// As `ask_straight`, whatever is asked.
    pub(super) fn ask<Q: KeyRef<K> + ?Sized>(&mut self, hash: u32, key: &Q, ask: &Ask) -> Option<Answer> {
        let entry = self.table.find_mut(spread(hash), |entry| key.names(&entry.key))?;
        Some(entry.ask(&self.terms, ask))
    }

    /// Asks a key that is not known, and keeps it if it takes something; then others may leave. If not, it comes back.
    pub(super) fn keep(&mut self, mut entry: Entry<K>, ask: &Ask) -> Result<Swept<K>, (Answer, Entry<K>)> {
        let now = ask.now.max(self.forgot);
        let answer = entry.ask(&self.terms, &Ask { now, ..*ask });
        if !matches!(answer, Answer::Now) {
            return Err((answer, entry));
        }
        let swept = self.sweep(Sweep { now, ..IN_PASSING });
        self.insert(entry);
        Ok(swept)
    }

    fn insert(&mut self, entry: Entry<K>) {
        let (len, buckets) = (self.table.len(), self.table.num_buckets());
        // Those who left wear a table out. One that is not nearly full of those who are there is made anew instead of
        // twice as large.
        if len == self.table.capacity() && len < buckets / 4 * 3 {
            for entry in mem::replace(&mut self.table, HashTable::with_capacity(buckets / 8 * 7)) {
                self.table.insert_unique(spread(entry.hash), entry, |entry| spread(entry.hash));
            }
        }
        self.table.insert_unique(spread(entry.hash), entry, |entry| spread(entry.hash));
    }

    /// Looks at the next few entries. Some of them leave.
    pub(super) fn sweep(&mut self, sweep: Sweep) -> Swept<K> {
        let Sweep { now, looks, idle, evict } = sweep;
        let mut swept = Swept { entries: [const { None }; BATCH], forgotten: 0, evicted: 0, looked: 0 };
        let (mut oldest, mut rank) = (0, None);
        // Bounded also where most buckets are empty.
        for _ in 0..self.table.num_buckets().min(16 * looks) {
            let hand = self.hand;
            self.hand = if hand + 1 < self.table.num_buckets() { hand + 1 } else { 0 };
            let Some(entry) = self.table.get_bucket(hand) else {
                continue;
            };
            swept.looked += 1;
            let age = entry.age(now);
            if age >= idle && entry.is_full(&self.terms, now) {
                swept.entries[swept.forgotten as usize] = self.take_out(hand);
                swept.forgotten += 1;
            } else if evict {
                let this = Some((!entry.is_waited_for(&self.terms, now), age));
                if this > rank {
                    (oldest, rank) = (hand, this);
                }
            }
            if swept.looked == looks || swept.forgotten as usize == BATCH {
                break;
            }
        }
        if swept.forgotten > 0 {
            self.forgot = self.forgot.max(now);
        } else if rank.is_some() {
            swept.entries[0] = self.take_out(oldest);
            swept.evicted = 1;
        }
        swept
    }

    fn take_out(&mut self, bucket: usize) -> Option<Entry<K>> {
        let found = self.table.get_bucket_entry(bucket).ok()?;
        Some(found.remove().0)
    }

    /// What is known of a key.
    pub(super) fn view<Q: KeyRef<K> + ?Sized>(&self, hash: u32, key: &Q) -> View {
        let entry = self.table.find(spread(hash), |entry| key.names(&entry.key));
        View::new(&self.terms, entry)
    }

    /// Changes a key if it is known.
    pub(super) fn change<Q>(&mut self, hash: u32, key: &Q, change: impl FnOnce(&mut Entry<K>, &Terms))
    where
        Q: KeyRef<K> + ?Sized,
    {
        if let Some(entry) = self.table.find_mut(spread(hash), |entry| key.names(&entry.key)) {
            change(entry, &self.terms);
        }
    }

    /// From now on these terms hold.
    pub(super) fn change_terms(&mut self, terms: Terms, now: Nanos) {
        if terms.rate != self.terms.rate {
            for entry in &mut self.table {
                entry.change_default(&self.terms.rate, &terms.rate, now);
            }
        }
        self.terms = terms;
    }

    /// Forgets a key, whatever its state.
    pub(super) fn remove<Q: KeyRef<K> + ?Sized>(&mut self, hash: u32, key: &Q) -> Option<Entry<K>> {
        let found = self.table.find_entry(spread(hash), |entry| key.names(&entry.key)).ok()?;
        Some(found.remove().0)
    }

    /// Forgets all keys, and gives their memory back.
    pub(super) fn clear(&mut self) -> HashTable<Entry<K>> {
        mem::take(&mut self.table)
    }
}

impl<K> Swept<K> {
    /// How many left.
    pub(super) fn gone(&self) -> u64 {
        self.forgotten + self.evicted
    }
}

/// The hash as the table wants it, which looks at both ends.
#[inline(always)]
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use resilience_core::{Id, Nanos};
    use std::time::Duration;

    /// One permit per 100 ns.
    fn shard() -> Shard<u64> {
        let config = Config { permits: 1, period: Duration::from_nanos(100), ..Config::default() };
        Shard::new(Terms::new(&config, Id::new("test")))
    }

    fn ask(shard: &mut Shard<u64>, key: u64, now: u64) -> bool {
        let ask = Ask { permits: 1, now: Nanos::new(now), deadline: Nanos::NEVER, waits: false };
        let answer = shard.ask(key as u32, &key, &ask);
        let kept = || shard.keep(Entry::new(key as u32, key, None), &ask).is_ok();
        answer.map_or_else(kept, |answer| matches!(answer, Answer::Now))
    }

    fn forget(shard: &mut Shard<u64>, now: u64) -> u64 {
        shard.sweep(Sweep { now: Nanos::new(now), looks: 9, idle: 0, evict: false }).forgotten
    }

    /// The tempting race: 1 is asked at 0, and forgotten at 100 by somebody else. Who read the clock at 50 comes in
    /// only now. Were it admitted at 50, the next call could come at 150: three in less than two intervals.
    #[test]
    fn who_comes_late_to_a_forgotten_key_comes_when_it_was_forgotten() {
        let mut shard = shard();
        assert!(ask(&mut shard, 1, 0) && !ask(&mut shard, 1, 50));
        assert_eq!((forget(&mut shard, 99), forget(&mut shard, 100)), (0, 1));
        assert!(ask(&mut shard, 1, 50));
        assert!(!ask(&mut shard, 1, 199) && ask(&mut shard, 1, 200));
    }

    #[test]
    fn a_worn_table_is_made_anew_in_the_same_size() {
        let mut shard = shard();
        for key in 0..90 {
            assert!(ask(&mut shard, key, 1));
        }
        let buckets = shard.table.num_buckets();
        for key in 90..100_000 {
            assert!(shard.remove((key - 90) as u32, &(key - 90)).is_some() && ask(&mut shard, key, 1));
            assert_eq!((shard.table.len(), shard.table.num_buckets()), (90, buckets));
        }
        assert!((99_910..100_000).all(|key| shard.view(key as u32, &key).is_known));
    }

    #[test]
    fn a_sweep_goes_round_and_finds_each_key_that_is_full() {
        let mut shard = shard();
        for key in 0..50 {
            assert!(ask(&mut shard, key, key));
        }
        let mut gone = 0;
        for now in (100..150).step_by(10) {
            let found: u64 = (0..20).map(|_| forget(&mut shard, now)).sum();
            gone += found;
            assert_eq!(gone, now - 99, "at {now}");
        }
    }
}
