//! How keys are spread over shards: by one half of their hash. Within a shard, the other half tells where they are.

use std::thread;

use resilience_core::sync::{Mutex, OwnLine, lock};

use super::{shard::Shard, terms::Terms};

pub(super) struct Shards<K>(Box<[OwnLine<Mutex<Shard<K>>>]>);

/// Where a key is: the two halves of its hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    shard: u32,
    /// What its shard knows it by.
    pub(super) hash: u32,
}

impl Spot {
    #[inline(always)]
    pub(super) fn new(hash: u64) -> Self {
        Self { shard: (hash >> 32) as u32, hash: hash as u32 }
    }
}

impl<K> Shards<K> {
    pub(super) fn new(max_keys: u32, terms: &Terms) -> Self {
        let new = || OwnLine(Mutex::new(Shard::new(*terms)));
        Self((0..count(max_keys)).map(|_| new()).collect())
    }

    #[inline(always)]
    pub(super) fn at(&self, spot: Spot) -> &Mutex<Shard<K>> {
        &self.0[self.index(spot)]
    }

    /// All, beginning with the one at this spot.
    pub(super) fn beginning_at(&self, spot: Spot) -> impl Iterator<Item = &Mutex<Shard<K>>> {
        let (before, after) = self.0.split_at(self.index(spot));
        after.iter().chain(before).map(|shard| &**shard)
    }

    /// Maps the whole range of `spot.shard` evenly to that of the shards.
    #[inline(always)]
    fn index(&self, spot: Spot) -> usize {
        ((u64::from(spot.shard) * self.0.len() as u64) >> 32) as usize
    }

    /// Locks one after the other.
    pub(super) fn each<R>(&self, mut op: impl FnMut(&mut Shard<K>) -> R, mut unlocked: impl FnMut(R)) {
        for shard in &self.0 {
            let result = op(&mut lock(shard));
            unlocked(result);
        }
    }
}

/// Four times as many as there are processors, so that threads rarely meet; more for very many keys, so that none is
/// long busy when its table grows; fewer for few, so that each has enough to choose from when there is no room.
///
/// And as many as it takes for all tables to be about four fifths full when there is no room: then a `u64` key takes 47
/// bytes, where it would take up to 76 in a table that has just grown.
fn count(max_keys: u32) -> usize {
    let max_keys = max_keys as usize;
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let wanted = (4 * processors).max(max_keys / KEYS).min(MOST);
    let mut keys = FEWEST_KEYS;
    while keys * wanted < max_keys {
        keys *= 2;
    }
    max_keys.div_ceil(keys)
}

/// How many keys a shard has at least if it is not the only one. A table of 128 buckets holds 112; this and its doubles
/// are four fifths of what tables hold.
const FEWEST_KEYS: usize = 90;

/// How many keys a shard is to have at most, if that is possible.
const KEYS: usize = 16 * FEWEST_KEYS;

/// Shards are a few hundred bytes each.
const MOST: usize = 4096;
