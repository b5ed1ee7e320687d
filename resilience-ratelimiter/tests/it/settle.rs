//! Look first, charge a guess, settle later; several limiters at once.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use proptest::prelude::*;
use resilience_core::{Code, Events, ManualClock, Rejection, event};
use resilience_ratelimiter::{Config, Event, RateLimiter, try_acquire_all, try_acquire_all_n};

use crate::{MS, NS, SECOND, burst, limiter, retry_after};

/// Ten per second, with some taken at the beginning of time.
fn ten(clock: &ManualClock, taken: u64) -> RateLimiter {
    let limiter = limiter(clock, 10, SECOND, Duration::ZERO);
    limiter.try_acquire_n(taken).unwrap();
    limiter
}

fn code(result: Result<(), Rejection>) -> Option<Code> {
    result.err().map(|rejection| rejection.code())
}

proptest! {
    #[test]
    fn a_look_changes_nothing_and_tells_what_would_happen(
        permits in 1_u32..2_000,
        extra in 0_u64..5_000,
        enabled in prop::bool::weighted(0.9),
        steps in prop::collection::vec((0_u64..4_000, prop_oneof![4 => 0_u64..5, 1 => 0_u64..3_000, 1 => any::<u64>()]), 1..60),
    ) {
        let clock = ManualClock::new();
        let period = Duration::from_nanos(u64::from(permits) + extra);
        let builder = RateLimiter::builder().permits(permits).period(period).max_wait(SECOND).enabled(enabled);
        let limiter = builder.clock(&clock).build().unwrap();
        for (step, n) in steps {
            clock.advance(Duration::from_nanos(step));
            let before = limiter.snapshot();
            let seen = limiter.would_admit(n);
            prop_assert_eq!(limiter.would_admit(n), seen);
            prop_assert_eq!(limiter.snapshot(), before, "a look changes nothing");
            prop_assert_eq!(limiter.try_acquire_n(n).is_ok(), seen, "{} at once", n);
        }
    }

    /// As many as are available would be admitted, and not one more.
    #[test]
    fn what_is_available_would_be_admitted_and_no_more(taken in 0_u64..=10, step in 0_u64..2_000_000_000) {
        let clock = ManualClock::new();
        let limiter = ten(&clock, taken);
        clock.advance(Duration::from_nanos(step));
        let available = u64::from(limiter.available_permits());
        prop_assert!(limiter.would_admit(available) && !limiter.would_admit(available + 1));
    }

    /// A guess that is settled costs what it should have cost, at whatever time it is settled.
    #[test]
    fn a_guess_that_is_settled_leaves_the_limiter_as_if_it_had_been_right(
        taken in 0_u64..=5, guess in 0_u64..=5, right in 0_u64..=5, later in 0_u64..3_000_000_000,
    ) {
        let right = right.min(guess);
        let clock = ManualClock::new();
        let (guessed, exact) = (ten(&clock, taken), ten(&clock, taken));
        guessed.try_acquire_n(guess).unwrap();
        exact.try_acquire_n(right).unwrap();
        clock.advance(Duration::from_nanos(later));
        guessed.refund(guess - right);
        prop_assert_eq!(guessed.snapshot(), exact.snapshot());
        let ask = |limiter: &RateLimiter| limiter.try_acquire_n(10).err().and_then(|rejection| rejection.retry_after());
        prop_assert_eq!(ask(&guessed), ask(&exact), "to the nanosecond");
    }

    #[test]
    fn a_refund_never_fills_above_full(taken in 0_u64..=10, refunds in prop::collection::vec(any::<u64>(), 1..5), step in 0_u64..2_000_000_000) {
        let clock = ManualClock::new();
        let limiter = ten(&clock, taken);
        clock.advance(Duration::from_nanos(step));
        for n in refunds {
            let before = u64::from(limiter.available_permits());
            limiter.refund(n);
            prop_assert_eq!(u64::from(limiter.available_permits()), before.saturating_add(n).min(10));
        }
        limiter.refund(u64::MAX);
        prop_assert_eq!(burst(&limiter, 12), "AAAAAAAAAARR");
    }
}

#[test]
fn a_refund_to_a_full_limiter_is_not_saved_up() {
    let clock = ManualClock::new();
    let limiter = ten(&clock, 0);
    limiter.refund(1_000_000);
    assert_eq!(burst(&limiter, 11), "AAAAAAAAAAR");
    clock.advance(10 * SECOND);
    limiter.refund(1_000_000);
    assert_eq!(burst(&limiter, 11), "AAAAAAAAAAR");
    assert_eq!(retry_after(limiter.try_acquire()), 100 * MS);
}

/// Dropped or cancelled, before, at and after its start, by weight.
#[test]
fn a_reservation_gives_its_permits_back_until_its_start_and_not_from_then_on() {
    type End = fn(resilience_ratelimiter::Reservation<'_>);
    let ends: [End; 2] = [|it| drop(it), |it| _ = it.cancel()];
    for (n, end) in [1_u32, 2, 5].into_iter().flat_map(|n| ends.map(|end| (n, end))) {
        let start = 100 * MS * n;
        for (after, given_back) in [(Duration::ZERO, true), (start - NS, true), (start, false), (start + MS, false)] {
            let clock = ManualClock::new();
            let [limiter, never_asked] = [(); 2].map(|()| {
                let limiter = limiter(&clock, 10, SECOND, SECOND);
                limiter.try_acquire_n(10).unwrap();
                limiter
            });
            let reservation = limiter.reserve(n.into()).unwrap();
            assert_eq!((reservation.permits(), reservation.wait()), (n.into(), start));
            assert_eq!(reservation.start(), start);
            assert_eq!(limiter.snapshot().waiting, u64::from(n));
            clock.advance(after);
            assert_eq!(reservation.wait(), start.saturating_sub(after));
            end(reservation);
            assert_eq!(limiter.snapshot().waiting, 0);
            clock.advance(start);
            let spent = if given_back { 0 } else { n };
            assert_eq!(limiter.available_permits() + spent, never_asked.available_permits());
        }
    }
}

#[test]
fn cancelling_says_whether_it_came_in_time() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 1, SECOND, 2 * SECOND);
    let at_once = limiter.reserve(1).unwrap();
    assert_eq!((at_once.start(), at_once.wait()), (clock.now(), Duration::ZERO));
    assert!(!at_once.cancel(), "it had started");
    assert_eq!(limiter.available_permits(), 0);

    let [first, second] = [limiter.reserve(1).unwrap(), limiter.reserve(1).unwrap()];
    clock.advance(SECOND);
    assert!(!first.cancel());
    assert!(second.cancel());
    assert_eq!((limiter.snapshot().waiting, limiter.available_permits()), (0, 0));
    clock.advance(SECOND - NS);
    assert!(!limiter.would_admit(1));
    clock.advance(NS);
    assert!(limiter.would_admit(1), "the first one's permit is paid for, the second one's was never taken");
}

#[test]
fn a_reservation_is_refused_like_a_call_that_waits_and_then_changes_nothing() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 2, SECOND, SECOND);
    limiter.try_acquire_n(2).unwrap();
    let before = limiter.snapshot();
    assert_eq!(limiter.reserve(3).unwrap_err().code(), Code::TooManyPermits);
    let held = limiter.reserve(2).unwrap();
    let refused = limiter.reserve(1).unwrap_err();
    assert_eq!((refused.code(), refused.retry_after()), (Code::RateLimitExceeded, Some(500 * MS)));
    drop(held);
    assert_eq!(limiter.snapshot(), before);
    let nothing = limiter.reserve(0).unwrap();
    assert_eq!((nothing.permits(), nothing.wait()), (0, Duration::ZERO));
    assert!(!nothing.cancel());
    assert_eq!(limiter.snapshot(), before);
}

#[test]
fn a_reservation_of_a_disabled_limiter_holds_nothing_that_it_could_give_back() {
    let clock = ManualClock::new();
    let limiter = ten(&clock, 10);
    let on = limiter.config();
    limiter.reconfigure(Config { enabled: false, ..on }).unwrap();
    let reservation = limiter.reserve(3).unwrap();
    limiter.reconfigure(on).unwrap();
    drop(reservation);
    assert_eq!(limiter.available_permits(), 0);
}

#[test]
fn a_refund_and_a_cancelled_reservation_are_published() {
    let events = Events::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    let _listening = events.subscribe(move |event: &event::Event<'_>| {
        list.lock().unwrap().push(*event.payload::<Event>().unwrap());
    });
    let builder = RateLimiter::builder().permits(2).period(SECOND).max_wait(SECOND);
    let limiter = builder.clock(ManualClock::new()).events(&events).build().unwrap();
    limiter.try_acquire_n(2).unwrap();
    assert!(!limiter.would_admit(1), "a look publishes nothing");
    let reservation = limiter.reserve(2).unwrap();
    let start = reservation.start();
    reservation.cancel();
    limiter.refund(1);
    assert_eq!(
        *heard.lock().unwrap(),
        [
            Event::WaitStarted { permits: 2, start, wait: SECOND },
            Event::GivenBack { permits: 2 },
            Event::GivenBack { permits: 1 },
        ]
    );
}

#[test]
fn several_limiters_give_all_or_none() {
    let clock = ManualClock::new();
    let (some, few, none) = (ten(&clock, 0), ten(&clock, 8), ten(&clock, 10));
    try_acquire_all([&some, &few]).unwrap();
    assert_eq!((some.available_permits(), few.available_permits()), (9, 1));
    for order in [[&some, &few, &none], [&none, &few, &some], [&few, &none, &some]] {
        let before = order.map(RateLimiter::snapshot);
        assert_eq!(retry_after(try_acquire_all(order)), 100 * MS);
        assert_eq!(order.map(RateLimiter::snapshot), before);
    }
}

#[test]
fn the_largest_wait_of_those_who_lack_permits_is_told() {
    let clock = ManualClock::new();
    let (full, tenths, thirds) = (ten(&clock, 0), ten(&clock, 10), limiter(&clock, 3, SECOND, Duration::ZERO));
    thirds.try_acquire_n(3).unwrap();
    let expected = Duration::from_nanos(333_333_334);
    for order in [[&full, &tenths, &thirds], [&thirds, &tenths, &full]] {
        assert_eq!(retry_after(try_acquire_all(order)), expected);
    }
    assert_eq!(retry_after(try_acquire_all_n(&[(&full, 1), (&tenths, 5), (&thirds, 1)])), 500 * MS);
    clock.advance(expected - NS);
    assert_eq!(retry_after(try_acquire_all([&full, &tenths, &thirds])), NS);
    clock.advance(NS);
    try_acquire_all([&full, &tenths, &thirds]).unwrap();
}

#[test]
fn one_that_can_never_give_so_many_outweighs_every_wait() {
    let clock = ManualClock::new();
    let (full, empty) = (ten(&clock, 0), ten(&clock, 10));
    for impossible in [11, u64::from(u32::MAX) + 2, u64::MAX] {
        for asked in [[(&empty, 1), (&full, impossible)], [(&full, impossible), (&empty, 1)]] {
            let rejection = try_acquire_all_n(&asked).unwrap_err();
            assert_eq!((rejection.code(), rejection.retry_after()), (Code::TooManyPermits, None));
        }
    }
    assert_eq!((full.available_permits(), empty.available_permits()), (10, 0));
}

#[test]
fn none_and_nothing_always_pass_and_take_nothing() {
    let clock = ManualClock::new();
    let empty = ten(&clock, 10);
    try_acquire_all([]).unwrap();
    try_acquire_all_n(&[]).unwrap();
    try_acquire_all_n(&[(&empty, 0), (&empty, 0)]).unwrap();
    assert_eq!(code(try_acquire_all_n(&[(&empty, 0), (&empty, 1)])), Some(Code::RateLimitExceeded));
    assert_eq!(empty.available_permits(), 0);
    clock.advance(100 * MS);
    assert_eq!(burst(&empty, 2), "AR");
}

#[test]
fn a_limiter_that_stands_in_the_list_twice_pays_twice_or_not_at_all() {
    let clock = ManualClock::new();
    let (limiter, other) = (ten(&clock, 5), ten(&clock, 0));
    try_acquire_all_n(&[(&limiter, 1), (&other, 1), (&limiter, 3)]).unwrap();
    assert_eq!((limiter.available_permits(), other.available_permits()), (1, 9));
    assert_eq!(retry_after(try_acquire_all([&limiter, &other, &limiter])), 100 * MS);
    assert_eq!((limiter.available_permits(), other.available_permits()), (1, 9));
    clock.advance(100 * MS);
    try_acquire_all([&limiter, &other, &limiter]).unwrap();
    assert_eq!((limiter.available_permits(), other.available_permits()), (0, 9));
}

/// On real threads; the clock stands still, so that every permit can be counted. There is one of each limiter for four
/// threads: most of what they try fails between the first and the second.
#[test]
fn four_threads_in_opposite_order_lose_and_gain_no_permit() {
    let clock = ManualClock::new();
    let [left, right] = [ten(&clock, 9), ten(&clock, 9)];
    let (inside, passed) = (AtomicU64::new(0), AtomicU64::new(0));
    let take_and_settle = |order: [&RateLimiter; 2]| {
        for _ in 0..50_000 {
            if try_acquire_all(order).is_ok() {
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "nobody else has a permit");
                inside.fetch_sub(1, Ordering::SeqCst);
                passed.fetch_add(1, Ordering::Relaxed);
                left.refund(1);
                right.refund(1);
            }
        }
    };
    let take_and_settle = &take_and_settle;
    thread::scope(|scope| {
        for order in [[&left, &right], [&right, &left]].repeat(2) {
            scope.spawn(move || take_and_settle(order));
        }
    });
    assert!(passed.into_inner() > 0);
    assert_eq!((left.available_permits(), right.available_permits()), (1, 1));
}

#[test]
fn several_at_once_of_one_limiter_are_asked_for_together() {
    let clock = ManualClock::new();
    let ten = limiter(&clock, 10, SECOND, Duration::ZERO);
    let never = try_acquire_all_n(&[(&ten, 6), (&ten, 6)]).unwrap_err();
    assert_eq!(never.code(), Code::TooManyPermits);
    ten.try_acquire_n(8).unwrap();
    let wait = try_acquire_all_n(&[(&ten, 3), (&ten, 4)]).unwrap_err().retry_after().unwrap();
    clock.advance(wait - NS);
    assert!(try_acquire_all_n(&[(&ten, 3), (&ten, 4)]).is_err());
    clock.advance(NS);
    assert!(try_acquire_all_n(&[(&ten, 3), (&ten, 4)]).is_ok());
    assert_eq!(ten.available_permits(), 0);
}
