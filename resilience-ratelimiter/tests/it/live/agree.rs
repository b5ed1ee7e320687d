//! Random operations and changes against a naive model: GCRA with numbers as wide as they get, one list of those who
//! wait, and the rule of what is carried over.

use std::{task::Poll, time::Duration};

use proptest::prelude::*;
use resilience_core::{Code, ManualClock, Nanos, Rejection};
use resilience_ratelimiter::{Acquire, Config, RateLimiter};

use super::poll;
use crate::model::Answer;

#[derive(Clone, Copy, Debug)]
enum Op {
    Advance(u64),
    Try(u64),
    Wait(u64),
    /// Drops one of those who wait.
    Cancel(usize),
    Rate(u32, u64),
    MaxWait(u64),
    Enable(bool),
}

/// From whole intervals to fractions of a nanosecond.
fn rates() -> impl Strategy<Value = (u32, u64)> {
    let small = (1_u32..20, 0_u64..2_000);
    let large = (1_u32..1_000_000_000, 0_u64..10_000_000_000);
    prop_oneof![4 => small, 1 => large].prop_map(|(permits, extra)| (permits, u64::from(permits) + extra))
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => (0_u64..3_000).prop_map(Op::Advance),
        1 => any::<u32>().prop_map(|nanos| Op::Advance(nanos.into())),
        6 => (0_u64..8).prop_map(Op::Try),
        1 => any::<u64>().prop_map(Op::Try),
        6 => (0_u64..4).prop_map(Op::Wait),
        3 => (0_usize..8).prop_map(Op::Cancel),
        4 => rates().prop_map(|(permits, period)| Op::Rate(permits, period)),
        1 => (0_u64..10_000).prop_map(Op::MaxWait),
        1 => prop::bool::weighted(0.8).prop_map(Op::Enable),
    ];
    prop::collection::vec(op, 1..200)
}

/// What a limiter owes: `debt` at the time `since`, in nanosecond-like units of which a permit costs `interval`.
struct Model {
    config: Config,
    since: u128,
    debt: u128,
}

impl Model {
    fn permits(&self) -> u128 {
        self.config.permits.into()
    }

    fn interval(&self) -> u128 {
        self.config.period.as_nanos() / self.permits()
    }

    fn burst(&self) -> u128 {
        self.interval() * self.permits()
    }

    /// What has been paid since then.
    fn paid(&self, now: u128) -> u128 {
        (now - self.since) * self.burst() / self.config.period.as_nanos()
    }

    fn owed(&self, now: u128) -> u128 {
        self.debt.saturating_sub(self.paid(now))
    }

    fn available(&self, now: u128) -> u128 {
        self.burst().saturating_sub(self.owed(now)) / self.interval()
    }

    /// The first nanosecond at which so much has been paid.
    fn paid_at(&self, units: u128) -> u128 {
        self.since + (units * self.config.period.as_nanos()).div_ceil(self.burst())
    }

    fn acquire(&mut self, now: u128, n: u128, max_wait: u128) -> Answer {
        if n == 0 || !self.config.enabled {
            return Answer::Now;
        }
        if n > self.permits() {
            return Answer::Never;
        }
        let debt = self.debt.max(self.paid(now)) + n * self.interval();
        let must_be_paid = debt.saturating_sub(self.burst());
        if must_be_paid <= self.paid(now) {
            self.debt = debt;
            return Answer::Now;
        }
        let start = self.paid_at(must_be_paid);
        if start - now > max_wait {
            return Answer::Refused(start - now - max_wait);
        }
        self.debt = debt;
        Answer::At(start)
    }

    fn give_back(&mut self, n: u128) {
        self.debt = self.debt.saturating_sub(n * self.interval());
    }

    /// Used, at most a burst of either rate, and promised, beyond that, both as permits; each rounded up. With anything
    /// promised, the bucket is empty.
    fn reconfigure(&mut self, now: u128, to: Config) {
        let same_rate = (self.config.permits, self.config.period) == (to.permits, to.period);
        let (owed, interval, burst) = (self.owed(now), self.interval(), self.burst());
        self.config = to;
        if same_rate {
            return;
        }
        let in_new_units = |old_units: u128| (old_units * self.interval()).div_ceil(interval);
        let debt =
            if owed > burst { self.burst() + in_new_units(owed - burst) } else { in_new_units(owed).min(self.burst()) };
        // Never a permit gained but by a larger burst that nobody waits at, and none lost: within one unit, in permits of
        // either rate.
        let exact = if owed > burst {
            self.burst() * interval + (owed - burst) * self.interval()
        } else {
            (owed * self.interval()).min(self.burst() * interval)
        };
        assert!(debt * interval >= exact && debt * interval < exact + interval);
        (self.since, self.debt) = (now, debt);
    }
}

struct Waiter<'a> {
    future: std::pin::Pin<Box<Acquire<'a>>>,
    n: u64,
    start: u128,
}

struct Run<'a> {
    clock: &'a ManualClock,
    limiter: &'a RateLimiter,
    model: Model,
    waiting: Vec<Waiter<'a>>,
}

impl Run<'_> {
    fn now(&self) -> u128 {
        self.clock.now().as_u64().into()
    }

    /// Moves the clock from due time to due time: who is due starts then, neither before nor after, whatever changed.
    fn advance(&mut self, to: u128) {
        let at = |time: u128| Nanos::new(u64::try_from(time).unwrap());
        while let Some(next) = self.waiting.iter().map(|waiter| waiter.start).min().filter(|start| *start <= to) {
            self.clock.advance_to(at(next - 1));
            for waiter in &mut self.waiting {
                assert!(poll(&mut waiter.future).is_pending(), "it starts before its time");
            }
            self.clock.advance_to(at(next));
            self.waiting.retain_mut(|waiter| {
                let ready = poll(&mut waiter.future);
                assert_eq!(ready.is_ready(), waiter.start == next);
                ready.is_pending()
            });
        }
        self.clock.advance_to(at(to));
    }

    fn reconfigure(&mut self, change: impl FnOnce(&mut Config)) {
        let mut config = self.limiter.config();
        change(&mut config);
        self.limiter.reconfigure(config).unwrap();
        self.model.reconfigure(self.now(), config);
    }

    fn step(&mut self, op: Op) {
        let now = self.now();
        match op {
            Op::Advance(nanos) => self.advance(now + u128::from(nanos)),
            Op::Try(n) => {
                let seen = self.limiter.would_admit(n);
                let got = self.limiter.try_acquire_n(n);
                assert_eq!(got.is_ok(), seen);
                assert_eq!(answer(got), self.model.acquire(now, n.into(), 0));
            }
            Op::Wait(n) => {
                let mut future = Box::pin(self.limiter.acquire_async_n(n));
                match (poll(&mut future), self.model.acquire(now, n.into(), self.model.config.max_wait.as_nanos())) {
                    (Poll::Pending, Answer::At(start)) => self.waiting.push(Waiter { future, n, start }),
                    (Poll::Pending, other) => panic!("it waits, and should {other:?}"),
                    (Poll::Ready(got), expected) => assert_eq!(answer(got), expected),
                }
            }
            Op::Cancel(at) if at < self.waiting.len() => {
                let waiter = self.waiting.remove(at);
                drop(waiter.future);
                self.model.give_back(waiter.n.into());
            }
            Op::Cancel(_) => {}
            Op::Rate(permits, period) => self.reconfigure(|config| {
                (config.permits, config.period) = (permits, Duration::from_nanos(period));
            }),
            Op::MaxWait(nanos) => self.reconfigure(|config| config.max_wait = Duration::from_nanos(nanos)),
            Op::Enable(enabled) => self.reconfigure(|config| config.enabled = enabled),
        }
        assert_eq!(u128::from(self.limiter.available_permits()), self.model.available(self.now()));
        assert_eq!(self.clock.pending_tasks(), self.waiting.len());
    }
}

fn answer(result: Result<(), Rejection>) -> Answer {
    match result.map_err(|rejection| (rejection.code(), rejection.retry_after())) {
        Ok(()) => Answer::Now,
        Err((Code::TooManyPermits, _)) => Answer::Never,
        Err((_, after)) => Answer::Refused(after.expect("it says when").as_nanos()),
    }
}

proptest! {
    #[test]
    fn the_limiter_and_the_naive_model_agree_through_every_change(
        (permits, period) in rates(), wait in 0_u64..10_000, ops in ops(),
    ) {
        let clock = ManualClock::new();
        let period = Duration::from_nanos(period);
        let limiter = crate::limiter(&clock, permits, period, Duration::from_nanos(wait));
        let model = Model { config: limiter.config(), since: 0, debt: 0 };
        let mut run = Run { clock: &clock, limiter: &limiter, model, waiting: Vec::new() };
        for op in ops {
            run.step(op);
        }
    }
}
