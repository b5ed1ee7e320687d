//! What is done to a limiter as a whole, or to a key by hand.

use std::{fmt, hash::BuildHasher, mem};

use hashbrown::HashTable;
use resilience_core::{Clock, ConfigError, Id, Settings, sync::lock};

use super::{KeyRef, KeyedRateLimiter, Snapshot, entry::Entry, shard::Shard, terms::Terms};
use crate::{Config, Event};

impl<K: Send, S: BuildHasher + Send + Sync> KeyedRateLimiter<K, S> {
    /// Changes the configuration of the live limiter, at any moment and from any thread, for all keys without a quota
    /// of their own; `max_wait` and `enabled` for all keys.
    ///
    /// Permits used so far stay used, as permits, up to the new burst. Calls that wait keep their start; their permits
    /// stay promised, and until then a larger burst has no permits to give. The new rate holds for everybody who comes
    /// from now on. Equal values change nothing at all.
    ///
    /// Cost: a few nanoseconds a key, and calls to about 1 440 keys at a time wait for it. While it runs, some keys
    /// have the old values and some the new.
    ///
    /// ```
    /// # use resilience_core::ManualClock;
    /// # use resilience_ratelimiter::{Config, KeyedRateLimiter};
    /// let limiter: KeyedRateLimiter<String> =
    ///     KeyedRateLimiter::builder().permits(10).clock(&ManualClock::new()).build()?;
    /// limiter.try_acquire_n("alice", 4).unwrap();
    /// limiter.reconfigure(Config { permits: 20, ..limiter.config() })?;
    /// assert_eq!(limiter.available_permits("alice"), 16);
    /// assert_eq!(limiter.available_permits("bob"), 20);
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong; nothing changes then.
    pub fn reconfigure(&self, config: Config) -> Result<(), ConfigError> {
        ConfigError::check(self.id.as_str(), config.problems())?;
        let now = self.clock.now();
        let mut current = lock(&self.config);
        if *current == config {
            return Ok(());
        }
        let terms = Terms::new(&config, self.id);
        self.shards.each(|shard| shard.change_terms(terms, now), drop);
        let from = mem::replace(&mut *current, config);
        drop(current);
        self.publish(|| Event::Reconfigured { from, to: config });
        Ok(())
    }

    /// Asks the quota function again for a key that is known, say because its plan has changed. What it has used stays
    /// used and what is promised stays promised, both as permits, as in [`KeyedRateLimiter::reconfigure`].
    pub fn refresh_quota<Q: KeyRef<K> + ?Sized>(&self, key: &Q) {
        if let Some(quota) = &self.quota {
            let quota = quota(&key.to_key());
            let (now, spot) = (self.clock.now(), self.spot(key));
            let change = |entry: &mut Entry<K>, terms: &Terms| entry.change_quota(terms, quota, now);
            lock(self.shards.at(spot)).change(spot.hash, key, change);
        }
    }

    /// Forgets a key whatever its state, and says whether it was known: it has a full burst again. Calls that wait
    /// keep their start.
    pub fn remove<Q: KeyRef<K> + ?Sized>(&self, key: &Q) -> bool {
        let spot = self.spot(key);
        let removed = lock(self.shards.at(spot)).remove(spot.hash, key);
        self.bound.free(removed.is_some().into());
        removed.is_some()
    }

    /// Forgets all keys, as [`KeyedRateLimiter::remove`], and gives their memory back.
    pub fn clear(&self) {
        let gone = |entries: HashTable<_>| self.bound.free(entries.len() as u64);
        self.shards.each(Shard::clear, gone);
    }

    /// What the limiter shows of itself now. Changes nothing.
    pub fn snapshot(&self) -> Snapshot {
        let (config, counts) = (self.config(), self.bound.counts());
        Snapshot {
            instance: self.id,
            keys: counts.keys,
            max_keys: self.bound.max_keys,
            at_bound: self.bound.policy,
            forgotten: counts.forgotten,
            evicted: counts.evicted,
            refused_at_bound: counts.refused,
            permits: config.permits,
            period: config.period,
            max_wait: config.max_wait,
        }
    }

    /// What a key shows of itself now, as a limiter of its own would; one that is not known is full. Changes nothing.
    pub fn snapshot_of<Q: KeyRef<K> + ?Sized>(&self, key: &Q) -> crate::Snapshot {
        let now = self.clock.now().as_u64();
        let view = self.view(self.spot(key), key);
        let config = self.config();
        let default = (config.permits, config.period);
        let (permits, period) = view.quota.as_ref().map_or(default, |it| (it.permits(), it.period()));
        crate::Snapshot {
            instance: self.id,
            available_permits: view.rate().available(view.arrival, now),
            permits,
            period,
            max_wait: config.max_wait,
            waiting: view.rate().promised(view.arrival, now),
        }
    }
}

impl<K, S> KeyedRateLimiter<K, S> {
    /// The configuration in force.
    pub fn config(&self) -> Config {
        *lock(&self.config)
    }

    /// The clock on which the limiter decides and waits.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The instance id.
    pub fn id(&self) -> Id {
        self.id
    }
}

impl<K, S> fmt::Debug for KeyedRateLimiter<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedRateLimiter")
            .field("id", &self.id)
            .field("config", &self.config())
            .field("keys", &self.bound.counts().keys)
            .finish_non_exhaustive()
    }
}
