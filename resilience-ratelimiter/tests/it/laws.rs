//! The laws, for random rates and random sequences of operations, against the naive model.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use proptest::prelude::*;
use resilience_core::{CallOptions, Code, ManualClock, Nanos};
use resilience_ratelimiter::{Acquire, RateLimiter};

use crate::{
    NS, limiter,
    model::{Answer, Model},
};

#[derive(Clone, Copy, Debug)]
enum Op {
    Advance(u64),
    Try(u64),
    Wait(u64),
    /// Drops one of those who wait.
    Cancel(usize),
    Look,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        4 => (0_u64..3_000).prop_map(Op::Advance),
        1 => any::<u32>().prop_map(|nanos| Op::Advance(nanos.into())),
        4 => (0_u64..4).prop_map(Op::Try),
        1 => any::<u64>().prop_map(Op::Try),
        4 => (0_u64..4).prop_map(Op::Wait),
        2 => (0_usize..8).prop_map(Op::Cancel),
        1 => Just(Op::Look),
    ];
    prop::collection::vec(op, 1..200)
}

/// Rates from whole intervals to fractions of a nanosecond.
fn rates() -> impl Strategy<Value = (u32, Duration)> {
    let small = (1_u32..20, 1_u64..2_000);
    let large = (1_u32..1_000_000_000, 1_u64..10_000_000_000);
    prop_oneof![small, large].prop_map(|(permits, extra)| (permits, Duration::from_nanos(u64::from(permits) + extra)))
}

struct Waiter<'a> {
    future: Pin<Box<Acquire<'a>>>,
    n: u64,
    start: u128,
}

fn poll(future: &mut Pin<Box<Acquire<'_>>>) -> Poll<Result<(), resilience_core::Rejection>> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// Moves the clock from due time to due time: who is due starts then, neither before nor after.
fn advance(clock: &ManualClock, waiting: &mut VecDeque<Waiter<'_>>, to: u128) {
    while let Some(next) = waiting.iter().map(|waiter| waiter.start).min().filter(|start| *start <= to) {
        clock.advance_to(Nanos::new(u64::try_from(next - 1).unwrap()));
        for waiter in waiting.iter_mut() {
            assert!(poll(&mut waiter.future).is_pending(), "it starts before its time");
        }
        clock.advance_to(Nanos::new(u64::try_from(next).unwrap()));
        waiting.retain_mut(|waiter| {
            let ready = poll(&mut waiter.future);
            assert_eq!(ready.is_ready(), waiter.start == next);
            ready.is_pending()
        });
    }
    clock.advance_to(Nanos::new(u64::try_from(to).unwrap()));
}

fn run(permits: u32, period: Duration, max_wait: Duration, ops: Vec<Op>) {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, permits, period, max_wait);
    let mut model = Model::new(permits, period);
    let mut waiting: VecDeque<Waiter<'_>> = VecDeque::new();
    for op in ops {
        let now = u128::from(clock.now().as_u64());
        match op {
            Op::Advance(nanos) => advance(&clock, &mut waiting, now + u128::from(nanos)),
            Op::Try(n) => {
                let before = limiter.snapshot();
                let got = limiter.try_acquire_n(n);
                let expected = model.acquire(now, n.into(), 0);
                check_refusal(got.err(), expected);
                if got.is_err() {
                    assert_eq!(limiter.snapshot(), before, "a refused call changes nothing");
                }
            }
            Op::Wait(n) => {
                let before = limiter.snapshot();
                let mut future = Box::pin(limiter.acquire_async_n(n));
                match (poll(&mut future), model.acquire(now, n.into(), max_wait.as_nanos())) {
                    (Poll::Pending, Answer::At(start)) => {
                        assert!(start - now <= max_wait.as_nanos());
                        waiting.push_back(Waiter { future, n, start });
                    }
                    (Poll::Pending, other) => panic!("it waits, and should {other:?}"),
                    (Poll::Ready(got), expected) => {
                        check_refusal(got.err(), expected);
                        if got.is_err() {
                            assert_eq!(limiter.snapshot(), before, "a refused call changes nothing");
                        }
                    }
                }
            }
            Op::Cancel(at) => {
                if let Some(waiter) = waiting.remove(at) {
                    drop(waiter.future);
                    model.give_back(waiter.n.into());
                }
            }
            Op::Look => {}
        }
        let now = u128::from(clock.now().as_u64());
        assert_eq!(u128::from(limiter.available_permits()), model.available(now));
        assert_eq!(clock.pending_tasks(), waiting.len());
    }
}

fn check_refusal(rejection: Option<resilience_core::Rejection>, expected: Answer) {
    let answer = rejection.map(|rejection| match rejection.code() {
        Code::TooManyPermits => Answer::Never,
        _ => Answer::Refused(rejection.retry_after().map_or(0, |after| after.as_nanos())),
    });
    assert_eq!(answer.unwrap_or(Answer::Now), expected);
}

proptest! {
    /// Laws 3, 4 and 6, and the times of law 2.
    #[test]
    fn the_limiter_and_the_naive_model_agree((permits, period) in rates(), wait in 0_u64..5_000, ops in ops()) {
        run(permits, period, Duration::from_nanos(wait), ops);
    }

    /// Law 1: no window of any length sees more than a burst and the rate, and who keeps to the rate is never refused.
    #[test]
    fn no_window_sees_more_than_the_burst_and_the_rate(
        (permits, period) in (1_u32..12, 12_u64..2_000).prop_map(|(p, n)| (p, Duration::from_nanos(n))),
        steps in prop::collection::vec((0_u64..400, 1_u32..6), 1..200),
    ) {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, permits, period, Duration::ZERO);
        let mut starts = Vec::new();
        for (step, tries) in steps {
            clock.advance(Duration::from_nanos(step));
            for _ in 0..tries {
                if limiter.try_acquire().is_ok() {
                    starts.push(u128::from(clock.now().as_u64()));
                }
            }
        }
        let interval = period.as_nanos() / u128::from(permits);
        let units = |now: u128| now * interval * u128::from(permits) / period.as_nanos();
        for (first, begin) in starts.iter().enumerate() {
            for (last, end) in starts.iter().enumerate().skip(first) {
                let most = u128::from(permits) + (units(*end) - units(*begin)) / interval;
                prop_assert!((last - first + 1) as u128 <= most, "{starts:?}");
            }
        }
    }

    #[test]
    fn who_keeps_to_the_rate_is_never_refused((permits, period) in rates(), calls in 1_u32..500) {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, permits, period, Duration::ZERO);
        let begin = clock.now();
        for n in 0..calls {
            // The n-th call at the first nanosecond at which n intervals are over.
            let due = (u128::from(n) * period.as_nanos()).div_ceil(u128::from(permits));
            clock.advance_to(begin.after(Duration::from_nanos(u64::try_from(due).unwrap())));
            prop_assert!(limiter.try_acquire().is_ok(), "call {n}");
        }
    }

    /// Law 3: the newest reservation, cancelled, was never there; any, cancelled, lets nothing extra through.
    #[test]
    fn a_cancelled_reservation_was_never_there((permits, period) in rates(), taken in 0_u32..40, cancelled in 0_usize..8) {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, permits, period, Duration::MAX);
        limiter.try_acquire_n(permits.into()).unwrap();
        clock.advance(Duration::from_nanos(taken.into()));
        limiter.try_acquire_n(limiter.available_permits().into()).unwrap();
        let before = limiter.snapshot();
        let mut waiting: Vec<_> = (0..8).map(|_| Box::pin(limiter.acquire_async())).collect();
        for future in &mut waiting {
            prop_assert!(poll(future).is_pending());
        }
        let all = limiter.snapshot();
        drop(waiting.remove(cancelled));
        let seven = limiter.snapshot();
        let mut again = Box::pin(limiter.acquire_async());
        _ = poll(&mut again);
        prop_assert_eq!(limiter.snapshot(), all);
        drop(again);
        prop_assert_eq!(limiter.snapshot(), seven);
        drop(waiting);
        prop_assert_eq!(limiter.snapshot(), before);
    }

    /// What a refused call is told is the least time after which it is not refused.
    #[test]
    fn the_advertised_time_is_the_least(
        (permits, period) in rates(), n in 1_u64..5, max_wait in 0_u64..2_000, step in 0_u64..5_000,
    ) {
        let set_up = || {
            let clock = ManualClock::new();
            let limiter = limiter(&clock, permits, period, Duration::from_nanos(max_wait));
            clock.advance(Duration::from_nanos(step));
            limiter.try_acquire_n(permits.into()).unwrap();
            (clock, limiter)
        };
        let (_, limiter) = set_up();
        let refused = |limiter: &RateLimiter| {
            let future = limiter.acquire_async_with(CallOptions::new().permits(n));
            match poll(&mut Box::pin(future)) {
                Poll::Ready(Err(rejection)) => rejection.retry_after(),
                _ => None,
            }
        };
        if let Some(after) = refused(&limiter) {
            let (clock, limiter) = set_up();
            clock.advance(after - NS);
            prop_assert_eq!(refused(&limiter), Some(NS));
            clock.advance(NS);
            prop_assert_eq!(refused(&limiter), None);
        }
    }
}
