//! A keyed limiter against one plain limiter per key, on the same clock: every answer and every snapshot is equal, also
//! when keys are forgotten all the time (law 7).

use std::task::Poll;

use proptest::prelude::*;
use resilience_core::{CallOptions, Code, ManualClock, Nanos, Rejection};
use resilience_ratelimiter::{Config, KeyedRateLimiter, Quota, RateLimiter};

use super::{Duration, Wait, builder, poll};
use crate::limiter as plain;

type Key = u8;

#[derive(Clone, Copy, Debug)]
enum Op {
    Advance(u64),
    Try(Key, u64),
    /// With a timeout.
    Wait(Key, u64, u64),
    /// Drops one of those who wait.
    Cancel(usize),
    Refund(Key, u64),
    /// So many permits, each so many nanoseconds: exact also from another time on.
    Rate(u32, u64),
    MaxWait(u64),
    Enable(bool),
}

fn ops(keys: Key, live: u32) -> impl Strategy<Value = Vec<Op>> {
    let amount = prop_oneof![8 => 0_u64..4, 1 => any::<u64>()];
    let timeout = prop_oneof![1 => 0_u64..3_000, 2 => Just(u64::MAX)];
    let op = prop_oneof![
        6 => (0_u64..3_000).prop_map(Op::Advance),
        1 => any::<u32>().prop_map(|nanos| Op::Advance(nanos.into())),
        8 => (0..keys, amount.clone()).prop_map(|(key, n)| Op::Try(key, n)),
        8 => (0..keys, amount.clone(), timeout).prop_map(|(key, n, timeout)| Op::Wait(key, n, timeout)),
        3 => (0_usize..8).prop_map(Op::Cancel),
        1 => (0..keys, amount).prop_map(|(key, n)| Op::Refund(key, n)),
        live => (1_u32..20, 1_u64..500).prop_map(|(permits, each)| Op::Rate(permits, each)),
        live => (0_u64..10_000).prop_map(Op::MaxWait),
        live => prop::bool::weighted(0.8).prop_map(Op::Enable),
    ];
    prop::collection::vec(op, 1..150)
}

fn rates() -> impl Strategy<Value = (u32, Duration)> {
    let small = (1_u32..20, 1_u64..2_000);
    let large = (1_u32..1_000_000_000, 1_u64..10_000_000_000);
    prop_oneof![small, large].prop_map(|(permits, extra)| (permits, Duration::from_nanos(u64::from(permits) + extra)))
}

/// Both limiters, and those who wait at both.
struct Pair<'a> {
    clock: &'a ManualClock,
    keyed: &'a KeyedRateLimiter<Key>,
    plain: &'a [RateLimiter],
    /// Which keys have a quota of their own.
    own: Key,
    waiting: Vec<(Wait<'a>, Wait<'a>)>,
}

/// Names that live long enough.
static KEYS: [Key; 256] = {
    let mut keys = [0; 256];
    let mut at = 0;
    while at < keys.len() {
        keys[at] = at as Key;
        at += 1;
    }
    keys
};

impl Pair<'_> {
    fn run(&mut self, op: Op) {
        match op {
            Op::Advance(nanos) => self.clock.advance(Duration::from_nanos(nanos)),
            Op::Try(key, n) => {
                let refused = self.keyed.snapshot().refused_at_bound;
                let got = self.keyed.try_acquire_n(&key, n);
                if !self.found_no_room(key, refused, got) {
                    assert_eq!(got, self.plain[usize::from(key)].try_acquire_n(n));
                }
            }
            Op::Wait(key, n, timeout) => {
                let options = CallOptions::new().permits(n).timeout(Duration::from_nanos(timeout));
                let mut wait: Wait<'_> =
                    Box::pin(self.keyed.acquire_async_with(&KEYS[usize::from(key)], options.clone()));
                let refused = self.keyed.snapshot().refused_at_bound;
                let got = poll(&mut wait);
                if let Poll::Ready(got) = got {
                    if self.found_no_room(key, refused, got) {
                        return;
                    }
                }
                let mut other: Wait<'_> = Box::pin(self.plain[usize::from(key)].acquire_async_with(options));
                assert_eq!(got, poll(&mut other));
                if got.is_pending() {
                    self.waiting.push((wait, other));
                }
            }
            Op::Cancel(at) if at < self.waiting.len() => drop(self.waiting.remove(at)),
            Op::Cancel(_) => {}
            Op::Refund(key, n) => {
                self.keyed.refund(&key, n);
                self.plain[usize::from(key)].refund(n);
            }
            Op::Rate(permits, each) => {
                let period = Duration::from_nanos(u64::from(permits) * each);
                self.change(|config| Config { permits, period, ..config });
            }
            Op::MaxWait(nanos) => {
                let max_wait = Duration::from_nanos(nanos);
                self.change(|config| Config { max_wait, ..config });
            }
            Op::Enable(enabled) => self.change(|config| Config { enabled, ..config }),
        }
        self.waiting.retain_mut(|(wait, other)| {
            let got = poll(wait);
            assert_eq!(got, poll(other));
            got.is_pending()
        });
    }

    fn change(&self, change: impl Fn(Config) -> Config) {
        self.keyed.reconfigure(change(self.keyed.config())).unwrap();
        for (key, plain) in self.plain.iter().enumerate() {
            let (old, mut new) = (plain.config(), change(plain.config()));
            if key < self.own.into() {
                (new.permits, new.period) = (old.permits, old.period);
            }
            plain.reconfigure(new).unwrap();
        }
    }

    /// Whether a new key was turned away for want of room: then as many keys as there may be are not full.
    fn found_no_room(&self, key: Key, refused: u64, got: Result<(), Rejection>) -> bool {
        if self.keyed.snapshot().refused_at_bound == refused {
            return false;
        }
        let rejection = got.expect_err("it was counted");
        assert_eq!((rejection.code(), rejection.retry_after()), (Code::RateLimitExceeded, None));
        let is_full = |plain: &&RateLimiter| plain.available_permits() == plain.config().permits;
        assert!(is_full(&&self.plain[usize::from(key)]), "a known key is turned away");
        let busy = self.plain.iter().filter(|plain| !is_full(plain)).count() as u64;
        assert!(busy >= self.keyed.snapshot().max_keys, "{busy} keys are busy, and there is no room");
        true
    }

    fn check(&self) {
        for (key, plain) in self.plain.iter().enumerate() {
            let key = key as Key;
            assert_eq!(self.keyed.snapshot_of(&key), plain.snapshot());
            assert_eq!(self.keyed.available_permits(&key), plain.available_permits());
            let known_or_room = self.keyed.would_admit(&key, 1);
            assert!(known_or_room <= plain.would_admit(1));
        }
        let snapshot = self.keyed.snapshot();
        assert!(snapshot.keys <= snapshot.max_keys && snapshot.evicted == 0);
    }
}

/// When it begins: with the clock, at some time, or near the end of the clock.
fn begins() -> impl Strategy<Value = u64> {
    let last = Nanos::LAST.as_u64();
    prop_oneof![Just(0), 0..last, last - 1_000_000..=last]
}

struct Setup {
    begin: u64,
    rate: (u32, Duration),
    max_wait: u64,
    keys: Key,
    /// How many of the keys have a quota of their own.
    own: Key,
    max_keys: u32,
}

fn run(Setup { begin, rate: (permits, period), max_wait, keys, own, max_keys }: Setup, ops: Vec<Op>) -> u64 {
    let (clock, max_wait) = (ManualClock::new(), Duration::from_nanos(max_wait));
    clock.advance_to(Nanos::new(begin));
    let quota = Quota::new(3, Duration::from_micros(1)).unwrap();
    let plain: Vec<_> = (0..keys)
        .map(|key| {
            let (permits, period) = if key < own { (quota.permits(), quota.period()) } else { (permits, period) };
            plain(&clock, permits, period, max_wait)
        })
        .collect();
    let builder = builder(&clock, permits, period, max_wait).max_keys(max_keys);
    let keyed = builder.quota(move |key: &Key| (*key < own).then(|| quota.clone())).build().unwrap();
    let mut pair = Pair { clock: &clock, keyed: &keyed, plain: &plain, own, waiting: Vec::new() };
    for op in ops {
        pair.run(op);
        pair.check();
    }
    drop(pair);
    assert_eq!(clock.pending_tasks(), 0);
    keyed.snapshot().forgotten
}

proptest! {
    #[test]
    fn each_key_is_as_a_limiter_of_its_own(begin in begins(), rate in rates(), max_wait in 0_u64..5_000, ops in ops(3, 0)) {
        run(Setup { begin, rate, max_wait, keys: 3, own: 1, max_keys: 100 }, ops);
    }

    #[test]
    fn each_key_is_as_a_limiter_of_its_own_under_live_change(
        begin in begins(), permits in 1_u32..20, each in 1_u64..500, max_wait in 0_u64..5_000, ops in ops(3, 1),
    ) {
        let rate = (permits, Duration::from_nanos(u64::from(permits) * each));
        run(Setup { begin, rate, max_wait, keys: 3, own: 1, max_keys: 100 }, ops);
    }

    /// Law 7, in a limiter that has room for four of ten keys.
    #[test]
    fn nobody_can_tell_that_full_keys_are_forgotten(
        begin in begins(), permits in 1_u32..20, each in 1_u64..500, max_wait in 0_u64..5_000, ops in ops(10, 1),
    ) {
        let rate = (permits, Duration::from_nanos(u64::from(permits) * each));
        run(Setup { begin, rate, max_wait, keys: 10, own: 1, max_keys: 4 }, ops);
    }
}

#[test]
fn full_keys_are_forgotten_where_the_law_is_checked() {
    let round = (0..10).flat_map(|key| [Op::Try(key, 1), Op::Advance(100)]);
    let rate = (2, Duration::from_nanos(200));
    let setup = Setup { begin: 0, rate, max_wait: 0, keys: 10, own: 1, max_keys: 4 };
    let forgotten = run(setup, round.cycle().take(200).collect());
    assert!(forgotten > 50, "{forgotten}");
}
