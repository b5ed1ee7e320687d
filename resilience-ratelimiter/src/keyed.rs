//! A rate limiter per key: a client, a tenant, an address.
#![doc = include_str!("../docs/keyed.md")]

mod bound;
mod builder;
mod entry;
mod key;
mod manage;
mod quota;
mod shard;
mod shards;
mod snapshot;
mod terms;
mod wait;

use std::hash::BuildHasher;

use resilience_core::{
    Clock, Code, Events, HashState, Id, Managed, Nanos, Rejection,
    event::Level,
    sync::{Mutex, MutexGuard, lock, lock_briefly},
};

use crate::{Config, Event, RateLimiter, request::Ask};
use bound::{Bound, Place};
use builder::QuotaOf;
use entry::{Entry, View};
use shard::Shard;
use shards::{Shards, Spot};
use terms::{Answer, Straight, fits};

pub use bound::AtBound;
pub use builder::Builder;
pub use key::KeyRef;
pub use quota::Quota;
pub use snapshot::Snapshot;

/// Lets through at most so many calls per period and key, and rejects or delays the rest.
///
/// All methods take `&self`; share it in an [`Arc`](std::sync::Arc). See the [module](self) for how it behaves.
///
/// ```
/// use resilience_ratelimiter::KeyedRateLimiter;
/// use std::{net::IpAddr, time::Duration};
///
/// let clients: KeyedRateLimiter<IpAddr> =
///     KeyedRateLimiter::builder().permits(100).period(Duration::from_secs(60)).build()?;
///
/// let address = IpAddr::from([192, 0, 2, 1]);
/// let page = clients.execute(&address, || Ok::<_, std::io::Error>("hello"));
/// assert_eq!(page.unwrap(), "hello");
/// assert_eq!(clients.available_permits(&address), 99);
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
pub struct KeyedRateLimiter<K, S = HashState> {
    shards: Shards<K>,
    bound: Bound,
    hasher: S,
    quota: Option<QuotaOf<K>>,
    /// The configuration in force; locked while it changes.
    config: Mutex<Config>,
    id: Id,
    clock: Clock,
    events: Events,
}

impl<K> KeyedRateLimiter<K> {
    /// Begins a limiter.
    pub fn builder() -> Builder<K> {
        Builder::new()
    }
}

impl<K: Send, S: BuildHasher + Send + Sync> KeyedRateLimiter<K, S> {
    /// Takes a permit of `key` if one is there; never waits.
    ///
    /// Cost: one clock read, one hash, one lock that is held for a few nanoseconds.
    ///
    /// # Errors
    ///
    /// R4C-RT-001 if none is there; nothing was taken, and the rejection says when one will be. The same code, without
    /// a `retry_after`, if the key is new and there is no room for it ([`AtBound::Reject`]).
    #[inline]
    pub fn try_acquire<Q: KeyRef<K> + ?Sized>(&self, key: &Q) -> Result<(), Rejection> {
        self.try_acquire_n(key, 1)
    }

    /// Takes `n` permits of `key` if they are there; never waits. `n = 0` passes and takes nothing.
    ///
    /// # Errors
    ///
    /// As [`KeyedRateLimiter::try_acquire`]; R4C-RT-006 if the key can never have so many at once.
    #[inline]
    pub fn try_acquire_n<Q: KeyRef<K> + ?Sized>(&self, key: &Q, n: u64) -> Result<(), Rejection> {
        match self.ask(self.spot(key), key, &self.ask_for(n)) {
            Answer::Reject(rejection) => Err(self.tell(rejection)),
            _ => Ok(()),
        }
    }

    /// Calls of `key` that would pass now without waiting, rounded down; 0 while permits are promised that are not
    /// due yet. A full burst if the key is not known. Changes nothing.
    pub fn available_permits<Q: KeyRef<K> + ?Sized>(&self, key: &Q) -> u32 {
        let now = self.clock.now();
        let view = self.view(self.spot(key), key);
        view.rate().available(view.arrival, now.as_u64())
    }

    /// Whether [`KeyedRateLimiter::try_acquire_n`] would pass now. Changes nothing that can be noticed: to find out
    /// whether there is room for a new key, it may forget some that are full again.
    pub fn would_admit<Q: KeyRef<K> + ?Sized>(&self, key: &Q, n: u64) -> bool {
        let (ask, spot) = (self.ask_for(n), self.spot(key));
        let view = self.view(spot, key);
        match view.terms.judge(view.rate(), view.arrival, &ask).0 {
            Answer::Reject(_) => false,
            Answer::Now if !view.is_known && self.bound.policy == AtBound::Reject => {
                self.place(spot, ask.now).is_some()
            }
            _ => true,
        }
    }

    /// Gives `n` permits back to `key` that were taken and not used; never more than a full burst comes together.
    pub fn refund<Q: KeyRef<K> + ?Sized>(&self, key: &Q, n: u64) {
        self.give_back(self.spot(key), key, n);
    }

    fn give_back<Q: KeyRef<K> + ?Sized>(&self, spot: Spot, key: &Q, n: u64) {
        lock(self.shards.at(spot)).change(spot.hash, key, |entry, terms| entry.give_back(terms, n));
        self.publish(|| Event::GivenBack { permits: n });
    }

    #[inline(always)]
    fn ask_for(&self, permits: u64) -> Ask {
        Ask { permits, now: self.clock.now(), deadline: Nanos::NEVER, waits: false }
    }

    #[inline(always)]
    fn spot<Q: KeyRef<K> + ?Sized>(&self, key: &Q) -> Spot {
        Spot::new(self.hasher.hash_one(key))
    }

    #[inline(always)]
    fn ask<Q: KeyRef<K> + ?Sized>(&self, spot: Spot, key: &Q, ask: &Ask) -> Answer {
        let mut shard = lock_briefly(self.shards.at(spot));
        match shard.ask_straight(spot.hash, key, ask) {
            Some(Straight::Now(_)) => Answer::Now,
            Some(Straight::TooEarly(nanos)) => {
                drop(shard);
                let rejection = self.rejection(Code::RateLimitExceeded);
                Answer::Reject(rejection.with_retry_after_nanos(nanos))
            }
            Some(Straight::Off) | None => self.ask_closely(shard, spot, key, *ask),
        }
    }

    /// Off the straight way: whatever is not that simple, and keys that are not known. Foreign code runs while nothing
    /// is locked, so for a new key the shard is locked anew, and looks again before the key is kept.
    #[cold]
    #[inline(never)]
    fn ask_closely<Q>(&self, mut shard: MutexGuard<'_, Shard<K>>, spot: Spot, key: &Q, ask: Ask) -> Answer
    where
        Q: KeyRef<K> + ?Sized,
    {
        if let Some(answer) = shard.ask(spot.hash, key, &ask) {
            return answer;
        }
        let fresh = shard.terms.judge(&shard.terms.rate, 0, &ask).0;
        drop(shard);
        if matches!(fresh, Answer::Pass) {
            return fresh;
        }
        let asked = self.quota.as_ref().map(|quota| {
            let own = key.to_key();
            (quota(&own), own)
        });
        let (quota, own) = asked.unzip();
        let quota = quota.flatten();
        let fits = quota.as_ref().map_or(matches!(fresh, Answer::Now), |quota| fits(quota.rate(), ask.permits));
        if !fits {
            return Answer::Reject(self.rejection(Code::TooManyPermits));
        }
        let Some(place) = self.place(spot, ask.now) else {
            self.bound.refuse();
            return Answer::Reject(self.rejection(Code::RateLimitExceeded));
        };
        let entry = Entry::new(spot.hash, own.unwrap_or_else(|| key.to_key()), quota);
        let mut shard = lock(self.shards.at(spot));
        if let Some(answer) = shard.ask(spot.hash, key, &ask) {
            return answer; // somebody was faster
        }
        let kept = shard.keep(entry, &ask);
        drop(shard);
        match kept {
            Ok(swept) => {
                place.keep();
                self.bound.leave(&swept, 0);
                Answer::Now
            }
            Err((answer, _)) => answer,
        }
    }

    fn place(&self, spot: Spot, now: Nanos) -> Option<Place<'_>> {
        self.bound.place(self.shards.beginning_at(spot), now)
    }

    fn view<Q: KeyRef<K> + ?Sized>(&self, spot: Spot, key: &Q) -> View {
        let mut view = lock(self.shards.at(spot)).view(spot.hash, key);
        if let (false, Some(quota)) = (view.is_known, &self.quota) {
            view.quota = quota(&key.to_key());
        }
        view
    }

    #[inline(always)]
    fn rejection(&self, code: Code) -> Rejection {
        terms::rejection(code, self.id)
    }

    /// Publishes a rejection.
    #[inline(always)]
    fn tell(&self, rejection: Rejection) -> Rejection {
        if self.events.is_heard_at(Level::Debug) {
            self.publish(|| Event::Rejected(rejection));
        }
        rejection
    }

    #[inline(always)]
    fn publish(&self, event: impl FnOnce() -> Event) {
        if self.events.is_heard() {
            self.events.publish(RateLimiter::KIND, self.id, self.clock.now(), &event());
        }
    }
}
