//! Rates that do not come out in whole nanoseconds, long times, large numbers: all exact.

use std::time::Duration;

use resilience_core::{Code, ManualClock, Nanos, Settings};
use resilience_ratelimiter::{Config, RateLimiter};

use crate::{MS, NS, SECOND, burst, limiter, retry_after};

const YEAR: Duration = Duration::from_secs(365 * 24 * 3_600);

/// Takes all there is, `steps` times, a step apart; says how many permits that were.
fn drain(permits: u32, period: Duration, step: Duration, steps: u32) -> u64 {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, permits, period, Duration::ZERO);
    let mut taken = 0;
    for _ in 0..=steps {
        let n = u64::from(limiter.available_permits());
        limiter.try_acquire_n(n).unwrap();
        assert!(limiter.try_acquire().is_err(), "more than it said");
        taken += n;
        clock.advance(step);
    }
    taken
}

#[test]
fn three_million_per_second_over_an_hour() {
    let expected = 3_000_000 * 3_600 + 3_000_000;
    assert!(drain(3_000_000, SECOND, MS, 3_600_000).abs_diff(expected) <= 1);
}

#[test]
fn rates_with_a_fraction_of_a_nanosecond_between_permits() {
    for (permits, period) in [(700_000_000, SECOND), (1_000_000_000, SECOND), (3, SECOND), (7, SECOND), (11, 13 * NS)] {
        let steps = 100_000;
        let expected = u64::from(permits)
            + (u128::from(permits) * (7 * MS).as_nanos() * u128::from(steps) / period.as_nanos()) as u64;
        // At these steps a small burst overflows: then what is taken is a burst per step.
        let most = u64::from(permits) * u64::from(steps + 1);
        let taken = drain(permits, period, 7 * MS, steps);
        assert!(taken.abs_diff(expected.min(most)) <= 1, "{permits} per {period:?}: {taken}");
    }
}

#[test]
fn seven_per_second_gives_exactly_seven_at_exactly_one_second() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 7, SECOND, Duration::ZERO);
    for _ in 0..10_000 {
        assert_eq!(burst(&limiter, 8), "AAAAAAAR");
        clock.advance(SECOND - NS);
        assert_eq!(limiter.available_permits(), 6);
        clock.advance(NS);
        assert_eq!(limiter.available_permits(), 7);
    }
}

#[test]
fn a_period_of_two_days_on_a_clock_at_zero() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 10, 48 * 3_600 * SECOND, Duration::ZERO);
    assert_eq!(burst(&limiter, 11), "AAAAAAAAAAR");
    assert_eq!(retry_after(limiter.try_acquire()), 48 * 360 * SECOND);
    clock.advance(48 * 360 * SECOND);
    assert_eq!(burst(&limiter, 2), "AR");
}

#[test]
fn a_hundred_years_of_idling_give_one_burst() {
    for (permits, period) in [(5, SECOND), (3, SECOND), (700_000_000, SECOND), (1, 100 * YEAR)] {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, permits, period, Duration::ZERO);
        limiter.try_acquire_n(permits.into()).unwrap();
        clock.advance(100 * YEAR);
        assert_eq!(limiter.available_permits(), permits);
        limiter.try_acquire_n(permits.into()).unwrap();
        assert!(limiter.try_acquire().is_err());
    }
}

#[test]
fn any_weight_either_passes_or_is_refused() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 1_000_000_000, SECOND, Duration::MAX);
    for n in [1_000_000_001, u64::from(u32::MAX), u64::MAX / 2, u64::MAX - 1, u64::MAX] {
        assert_eq!(limiter.try_acquire_n(n).unwrap_err().code(), Code::TooManyPermits);
        assert_eq!(limiter.acquire_n(n).unwrap_err().code(), Code::TooManyPermits);
    }
    assert_eq!(limiter.available_permits(), 1_000_000_000);
    limiter.try_acquire_n(1_000_000_000).unwrap();
    limiter.try_acquire_n(0).unwrap();
    limiter.acquire_n(1_000_000_000).unwrap();
    assert_eq!(clock.now(), SECOND);
}

#[test]
fn the_last_instants_of_a_clock() {
    for (permits, period) in [(5, SECOND), (7, SECOND), (1_000_000_000, SECOND), (1, 100 * YEAR), (3, 100 * YEAR)] {
        let clock = ManualClock::new();
        let limiter = limiter(&clock, permits, period, Duration::MAX);
        for back in (0..3_u64).rev() {
            clock.advance_to(Nanos::new(Nanos::LAST.as_u64() - back));
            let free = limiter.available_permits();
            assert_eq!(free, if back == 2 { permits } else { free });
            limiter.try_acquire_n(free.into()).unwrap();
            assert!(limiter.try_acquire().is_err(), "more than a burst");
        }
        assert_eq!(clock.now(), Nanos::LAST);
        let rejection = limiter.acquire().unwrap_err();
        assert_eq!((rejection.code(), rejection.retry_after()), (Code::RateLimitExceeded, None));
        assert_eq!(limiter.snapshot().waiting, 0, "nothing is promised beyond the end of the clock");
    }
}

#[test]
fn waits_as_long_as_can_be() {
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 1, 100 * YEAR, Duration::MAX);
    for year in [0, 100] {
        limiter.acquire().unwrap();
        assert_eq!(clock.now(), year * YEAR);
    }
    assert!(limiter.acquire().is_err(), "200 years are beyond the clock");
    assert_eq!(clock.now(), 100 * YEAR);
}

#[test]
fn what_is_out_of_range_is_refused_with_its_code() {
    let codes = |permits, period| -> Vec<String> {
        let problems = Config { permits, period, ..Config::default() }.problems();
        problems.iter().map(|problem| problem.code.to_string()).collect()
    };
    assert_eq!(codes(0, SECOND), ["R4C-ATR-003"]);
    assert_eq!(codes(1, Duration::ZERO), ["R4C-ATR-002"]);
    assert_eq!(codes(0, Duration::ZERO), ["R4C-ATR-003", "R4C-ATR-002"]);
    assert_eq!(codes(1_000_000_001, 2 * SECOND), ["R4C-CFG-002"]);
    assert_eq!(codes(u32::MAX, Duration::MAX), ["R4C-CFG-002", "R4C-CFG-002"]);
    assert_eq!(codes(1_000_000_000, SECOND - NS), ["R4C-ATR-005"]);
    assert_eq!(codes(2, NS), ["R4C-ATR-005"]);
    for (permits, period) in [(1_000_000_000, SECOND), (1, NS), (1, 100 * YEAR)] {
        assert_eq!(codes(permits, period), [""; 0]);
    }
    let error = RateLimiter::builder().name("search").permits(0).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "R4C-REG-001: invalid configuration of `search`\n  \
         `permits = 0`: a count below 1; allowed: 1 to 1_000_000_000 (R4C-ATR-003)"
    );
}

#[test]
fn a_permit_that_is_due_after_the_end_of_the_clock_has_no_time() {
    let day = Duration::from_secs(86_400);
    let clock = ManualClock::new();
    let limiter = limiter(&clock, 97, 24_929 * day, 40_349 * day);
    limiter.try_acquire_n(79).unwrap();
    limiter.acquire_n(73).unwrap();
    let reserved = limiter.reserve(79).unwrap();
    let rejection = limiter.try_acquire_n(79).unwrap_err();
    assert_eq!((rejection.code(), rejection.retry_after()), (Code::RateLimitExceeded, None));
    drop(reserved);
}
