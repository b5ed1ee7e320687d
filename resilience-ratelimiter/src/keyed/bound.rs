//! How many keys there may be, exactly, over all shards.
//!
//! A key that is to be kept takes its place first and enters its shard then; one that leaves gives its place back
//! after. So there are never more keys than places taken, and the count is touched by newcomers only.

use resilience_core::{
    Nanos,
    sync::{AtomicU64, Mutex, Ordering, OwnLine, lock},
};

use super::shard::{Shard, Sweep, Swept};

/// What becomes of a call with a new key when there are [`max_keys`](super::Builder::max_keys) already and none of
/// those looked at is full again.
///
/// Closed on purpose: there is nothing else to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum AtBound {
    /// It is rejected with R4C-RT-001, without a `retry_after`. Known keys are as exact as ever.
    #[default]
    Reject,
    /// The key that was not asked for longest, of a few that are looked at, makes room; should it come back, it has a
    /// full burst. Whoever makes up new keys faster than old ones become full gets more than the rate that way.
    EvictOldest,
}

/// The bound and what it came to.
pub(super) struct Bound {
    pub(super) max_keys: u64,
    pub(super) policy: AtBound,
    tally: OwnLine<Tally>,
}

struct Tally {
    /// Places taken.
    keys: AtomicU64,
    forgotten: AtomicU64,
    evicted: AtomicU64,
    refused: AtomicU64,
}

/// What [`Bound`] has counted.
pub(super) struct Counts {
    pub(super) keys: u64,
    pub(super) forgotten: u64,
    pub(super) evicted: u64,
    pub(super) refused: u64,
}

/// The place of a key that is not there yet; given back when dropped.
pub(super) struct Place<'a>(&'a Bound);

/// How many entries a call looks at for a place, in at most so many shards.
const LOOKS: usize = 32;
const SHARDS: usize = 8;

impl Bound {
    pub(super) fn new(max_keys: u64, policy: AtBound) -> Self {
        Self {
            max_keys,
            policy,
            tally: OwnLine(Tally {
                keys: AtomicU64::new(0),
                forgotten: AtomicU64::new(0),
                evicted: AtomicU64::new(0),
                refused: AtomicU64::new(0),
            }),
        }
    }

    /// A place for a key that is to enter the first of `shards`. If none is free, keys that are full again leave, or
    /// else, if the limiter evicts, another one.
    pub(super) fn place<'s, K: 's>(
        &self,
        shards: impl Iterator<Item = &'s Mutex<Shard<K>>>,
        now: Nanos,
    ) -> Option<Place<'_>> {
        if self.take() {
            return Some(Place(self));
        }
        let mut sweep = Sweep { now, looks: LOOKS, idle: 0, evict: self.policy == AtBound::EvictOldest };
        for shard in shards.take(SHARDS) {
            let swept = lock(shard).sweep(sweep);
            sweep.looks -= swept.looked;
            if swept.gone() > 0 {
                self.leave(&swept, 1);
                let place = Place(self);
                drop(swept); // may panic: then the place is free again
                return Some(place);
            }
            if sweep.looks == 0 {
                break;
            }
        }
        None
    }

    fn take(&self) -> bool {
        let one_more = |keys| (keys < self.max_keys).then_some(keys + 1);
        // Ordering: Relaxed, Relaxed; a count. The keys themselves are behind the locks of their shards.
        self.tally.keys.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    /// Counts those who left; `kept` of their places are taken at once.
    pub(super) fn leave<K>(&self, swept: &Swept<K>, kept: u64) {
        self.free(swept.gone() - kept);
        add(&self.tally.forgotten, swept.forgotten);
        add(&self.tally.evicted, swept.evicted);
    }

    /// So many keys have left.
    pub(super) fn free(&self, places: u64) {
        if places > 0 {
            // Ordering: Relaxed; as take.
            self.tally.keys.fetch_sub(places, Ordering::Relaxed);
        }
    }

    /// Counts a call that found no place.
    pub(super) fn refuse(&self) {
        add(&self.tally.refused, 1);
    }

    pub(super) fn counts(&self) -> Counts {
        // Ordering: Relaxed; counts.
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Counts {
            keys: get(&self.tally.keys),
            forgotten: get(&self.tally.forgotten),
            evicted: get(&self.tally.evicted),
            refused: get(&self.tally.refused),
        }
    }
}

fn add(count: &AtomicU64, more: u64) {
    if more > 0 {
        // Ordering: Relaxed; a count.
        count.fetch_add(more, Ordering::Relaxed);
    }
}

impl Place<'_> {
    /// The key is there.
    pub(super) fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.free(1);
    }
}
