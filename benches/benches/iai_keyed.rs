//! Instructions and heap blocks of a call through a limiter per key, beside governor's on a `DashMap`. The key is known,
//! the clock stands still, and what became of the call is checked after the count has ended.

#![expect(missing_docs, reason = "the macros make items public")]

use std::{hash::Hash, num::NonZeroU32};

use governor::{
    NotUntil, clock::FakeRelativeClock, middleware::NoOpMiddleware, nanos::Nanos, state::keyed::DashMapStateStore,
};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use resilience::{
    Rejection,
    ratelimiter::keyed::{KeyRef, KeyedRateLimiter},
};
use resilience_benches::{
    Quota,
    iai::{MORNING, blocks, leak, must_be_admitted, must_be_rejected, still_clock},
};

type Governor<K> = governor::RateLimiter<K, DashMapStateStore<K>, FakeRelativeClock, NoOpMiddleware<Nanos>>;
type Governed = Result<(), NotUntil<Nanos>>;

const NUMBER: u64 = 7;
const TEXT: &str = "tenant-00007";
const MAX_KEYS: u32 = 10_000;

fn with<K: Send, Q: KeyRef<K> + ?Sized>(key: &Q, taken: u32) -> &'static KeyedRateLimiter<K> {
    let limiter = leak(Quota::WHOLE.keyed(&still_clock(), MAX_KEYS));
    limiter.try_acquire_n(key, taken.into()).expect("it was full");
    limiter
}

/// The key has had a call, and gets the next.
fn open() -> &'static KeyedRateLimiter<u64> {
    with(&NUMBER, 1)
}

/// The key has no permit for the next call.
fn drained() -> &'static KeyedRateLimiter<u64> {
    with(&NUMBER, Quota::WHOLE.permits)
}

fn open_text() -> &'static KeyedRateLimiter<String> {
    with(TEXT, 1)
}

fn governor_with<K: Hash + Eq + Clone>(key: &K, taken: u32) -> &'static Governor<K> {
    let (clock, permits) =
        (FakeRelativeClock::default(), NonZeroU32::new(Quota::WHOLE.permits).expect("more than none"));
    let governor = leak(Governor::dashmap_with_clock(governor::Quota::per_second(permits), clock.clone()));
    clock.advance(MORNING);
    let taken = NonZeroU32::new(taken).expect("more than none");
    governor.check_key_n(key, taken).expect("the burst is larger").expect("it was full");
    governor
}

fn open_governor() -> &'static Governor<u64> {
    governor_with(&NUMBER, 1)
}

fn drained_governor() -> &'static Governor<u64> {
    governor_with(&NUMBER, Quota::WHOLE.permits)
}

/// Its look-up takes a `&String`.
fn open_governor_text() -> (&'static Governor<String>, &'static String) {
    let key = leak(TEXT.to_owned());
    (governor_with(key, 1), key)
}

#[library_benchmark]
#[bench::admitted(setup = open, teardown = must_be_admitted)]
#[bench::rejected(setup = drained, teardown = must_be_rejected)]
fn try_acquire(limiter: &KeyedRateLimiter<u64>) -> Result<(), Rejection> {
    limiter.try_acquire(&NUMBER)
}

#[library_benchmark]
#[bench::admitted_str(setup = open_text, teardown = must_be_admitted)]
fn try_acquire_str(limiter: &KeyedRateLimiter<String>) -> Result<(), Rejection> {
    limiter.try_acquire(TEXT)
}

#[library_benchmark]
#[bench::admitted(setup = open_governor, teardown = must_be_admitted)]
#[bench::rejected(setup = drained_governor, teardown = must_be_rejected)]
fn governor_check_key(governor: &Governor<u64>) -> Governed {
    governor.check_key(&NUMBER)
}

#[library_benchmark]
#[bench::admitted_str(setup = open_governor_text, teardown = must_be_admitted)]
fn governor_check_key_str((governor, key): (&Governor<String>, &String)) -> Governed {
    governor.check_key(key)
}

library_benchmark_group!(
    name = ours;
    config = blocks(0);
    benchmarks = try_acquire, try_acquire_str
);

library_benchmark_group!(
    name = peers;
    config = blocks(0);
    benchmarks = governor_check_key, governor_check_key_str
);

main!(library_benchmark_groups = ours, peers);
