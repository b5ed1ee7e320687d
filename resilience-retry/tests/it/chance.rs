//! Jitter, through the policy.

use std::time::Duration;

use proptest::prelude::*;
use resilience_core::{ManualClock, Registry};
use resilience_retry::{Backoff, Config, Jitter, PipelineExt, Retry};

use crate::{Failing, MS, SECOND, delays};

const JITTERS: [Jitter; 4] = [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated];

#[test]
fn the_same_seed_gives_the_same_delays_which_can_be_asked_for() {
    for jitter in JITTERS {
        let build = |clock: &ManualClock, seed| {
            Retry::builder().max_attempts(20).jitter(jitter).seed(seed).clock(clock).build().unwrap()
        };
        let clock = ManualClock::new();
        let (one, same, other) = (build(&clock, 7), build(&clock, 7), build(&clock, 8));
        let told: Vec<_> = one.config().delays(7).collect();
        assert_eq!(told.len(), 19);
        assert_eq!(delays(&clock, &one), told);
        assert_eq!(delays(&clock, &same), told);
        assert_eq!(delays(&clock, &other) == told, jitter == Jitter::None);
        assert_eq!(delays(&clock, &one) == told, jitter == Jitter::None, "the second call has chances of its own");
    }
}

#[test]
fn retries_of_a_registry_draw_from_its_seed_each_for_itself() {
    let delays = |seed, id: &str| {
        let clock = ManualClock::new();
        let registry = Registry::builder().clock(&clock).seed(seed).build();
        let build =
            |id| resilience_core::Pipeline::builder(&registry, id).retry(|it| it.max_attempts(5)).build().unwrap();
        let (pipeline, other) = (build(id), build("other"));
        _ = other.execute(|| Err::<(), _>("moves the chance of `other` only"));
        let failing = Failing::default();
        _ = pipeline.execute(|| failing.call(&clock));
        failing.delays()
    };
    assert_eq!(delays(1, "search"), delays(1, "search"));
    assert_ne!(delays(1, "search"), delays(2, "search"));
    assert_ne!(delays(1, "search"), delays(1, "find"));
}

/// Law 1, on whole calls with a fixed seed: of the delays at the cap, as many are in each quarter of what the jitter
/// leaves open. (backon adds its jitter to the cap; Resilience4j cuts it off there.)
#[test]
fn the_spread_survives_the_cap_and_keeps_below_it() {
    for (jitter, low) in [(Jitter::Full, Duration::ZERO), (Jitter::Equal, 500 * MS), (Jitter::Decorrelated, 10 * MS)] {
        let config = Config { delay: 10 * MS, max_delay: SECOND, jitter, max_attempts: 4_020, ..Config::default() };
        let mut quarters = [0; 4];
        for delay in config.delays(3).skip(20) {
            assert!((low..=SECOND).contains(&delay), "{jitter}: {delay:?}");
            let share = (delay - low).as_secs_f64() / (SECOND - low).as_secs_f64();
            quarters[((share * 4.0) as usize).min(3)] += 1;
        }
        let largest_at_cap = config.delays(3).filter(|delay| *delay == SECOND).count();
        assert!(largest_at_cap < 3, "{jitter}: {largest_at_cap} delays lie on the cap");
        // A decorrelated delay climbs back from wherever it fell: long ones are rarer, not gone.
        let expected = if jitter == Jitter::Decorrelated { 300..2_500 } else { 920..1_080 };
        assert!(quarters.iter().all(|count| expected.contains(count)), "{jitter}: {quarters:?}");
    }
}

#[test]
fn an_unseeded_retry_draws_other_numbers_each_time() {
    let clock = ManualClock::new();
    let draw = || delays(&clock, &Retry::builder().max_attempts(9).clock(&clock).build().unwrap());
    assert_ne!(draw(), draw());
}

proptest! {
    /// Law 1.
    #[test]
    fn calls_are_at_most_max_attempts_and_delays_within_the_cap(
        max_attempts in 1_u32..40, delay in 0_u64..2_000_000_000, more in 0_u64..20_000_000_000, multiplier in 1.0..10.0,
        backoff in prop_oneof![Just(Backoff::Fixed), Just(Backoff::Linear), Just(Backoff::Exponential)],
        jitter in proptest::sample::select(&JITTERS), seed: u64,
    ) {
        let (delay, max_delay) = (Duration::from_nanos(delay), Duration::from_nanos(delay + more));
        let clock = ManualClock::new();
        let builder = Retry::builder().max_attempts(max_attempts).delay(delay).max_delay(max_delay).backoff(backoff);
        let builder = builder.multiplier(multiplier).jitter(jitter).seed(seed).clock(&clock);
        let found = delays(&clock, &builder.build().unwrap());
        prop_assert_eq!(found.len() as u32, max_attempts - 1);
        prop_assert!(found.iter().all(|delay| *delay <= max_delay));
        prop_assert!(jitter != Jitter::Decorrelated || found.iter().all(|found| *found >= delay));
    }
}
