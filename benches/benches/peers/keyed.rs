//! Limiters per key: one call that takes one permit of a key that is known.

use std::{
    hash::Hash,
    hint::black_box,
    sync::atomic::{AtomicUsize, Ordering},
};

use resilience::{
    Clock,
    ratelimiter::keyed::{KeyRef, KeyedRateLimiter},
};
use resilience_benches::{Contender, Quota, Scene, Suite};

use crate::{floor, limiter::governed};

type Governor<K> = governor::DefaultKeyedRateLimiter<K>;

const RESILIENCE: &str = "resilience";
const GOVERNOR: &str = "governor";

/// All calls have one key.
const HOT: &str = "hot `u64`";
/// The keys are asked for in turn, in an order that no cache can guess.
const MANY: &str = "10 000 `String`s";
const KEYS: usize = 10_000;
/// Has no divisor in common with the number of keys.
const STEP: usize = 7_919;

pub(crate) fn suite() -> Suite {
    let mut contenders = Vec::new();
    for scene in [Scene::alone(HOT), Scene::shared(HOT)] {
        contenders.extend([resilience_hot(scene), governor_hot(scene)]);
    }
    contenders.extend([resilience_many(Scene::alone(MANY)), governor_many(Scene::alone(MANY))]);
    contenders.extend(floor::of_a_keyed_limiter());
    Suite { policy: "keyed", references: &[GOVERNOR, floor::CLOCK], contenders }
}

fn limiter<K>() -> KeyedRateLimiter<K> {
    Quota::PLENTY.keyed(&Clock::system(), 2 * KEYS as u32)
}

fn governor<K: Hash + Eq + Clone>() -> Governor<K> {
    Governor::keyed(governed(Quota::PLENTY))
}

fn take<K: Send, Q: KeyRef<K> + ?Sized>(limiter: &KeyedRateLimiter<K>, key: &Q) -> bool {
    black_box(&limiter.try_acquire(key)).is_ok()
}

fn resilience_hot(scene: Scene) -> Contender {
    let limiter = limiter::<u64>();
    Contender::new(RESILIENCE, scene, move || take(&limiter, &black_box(7)))
}

fn governor_hot(scene: Scene) -> Contender {
    let governor = governor::<u64>();
    Contender::new(GOVERNOR, scene, move || black_box(&governor.check_key(&black_box(7))).is_ok())
}

fn resilience_many(scene: Scene) -> Contender {
    let (limiter, keys, turn) = (limiter::<String>(), keys(), AtomicUsize::new(0));
    Contender::new(RESILIENCE, scene, move || take(&limiter, next(&keys, &turn).as_str()))
}

fn governor_many(scene: Scene) -> Contender {
    let (governor, keys, turn) = (governor::<String>(), keys(), AtomicUsize::new(0));
    Contender::new(GOVERNOR, scene, move || black_box(&governor.check_key(next(&keys, &turn))).is_ok())
}

fn keys() -> Vec<String> {
    (0..KEYS).map(|key| format!("tenant-{key:05}")).collect()
}

/// For one thread: calls of two would get the same key now and then.
fn next<'a>(keys: &'a [String], turn: &AtomicUsize) -> &'a String {
    // Ordering: Relaxed, Relaxed; only this thread counts.
    let at = turn.load(Ordering::Relaxed);
    turn.store((at + STEP) % KEYS, Ordering::Relaxed);
    &keys[at]
}
