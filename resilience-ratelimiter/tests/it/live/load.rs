//! A rate that changes every few milliseconds, under the load of eight threads, on the real clock.
//!
//! What is guaranteed: be I the integral of the rate in force, from the moment when the limiter is drained to the end.
//! As long as the bucket is not full, nothing is lost. So, where bursts are equal, every permit of I was admitted or is
//! still there: `admitted + available = I`, but for the part of a permit at the end, and what is rounded at each change:
//! less than two nanoseconds' worth, and always down. Where bursts differ, a larger one adds the difference, at most, and
//! a smaller one adds nothing.
//!
//! A change takes effect at a moment between two readings of the clock around it, so I lies between two sums.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use resilience_core::{Clock, Nanos};
use resilience_ratelimiter::{Config, RateLimiter};

use crate::{MS, NS, SECOND};

/// Only then are the threads sure to keep up with a million per second, also on a busy machine.
const OPTIMISED: bool = !cfg!(debug_assertions);

const LENGTH: Duration = Duration::from_secs(if OPTIMISED { 10 } else { 2 });

/// The part of a permit that a change takes away at most: two units of at least a thousand.
const ROUNDED: f64 = 0.002;

/// Something that happened between two readings of the clock.
#[derive(Clone, Copy)]
struct Moment {
    earliest: Nanos,
    latest: Nanos,
}

fn moment<T>(clock: &Clock, op: impl FnOnce() -> T) -> (Moment, T) {
    let earliest = clock.now();
    let result = op();
    (Moment { earliest, latest: clock.now() }, result)
}

/// The integral of the rate, at least and at most.
#[derive(Default)]
struct Integral {
    least: f64,
    most: f64,
}

impl Integral {
    fn add(&mut self, config: &Config, from: Moment, to: Moment) {
        let rate = f64::from(config.permits) / config.period.as_secs_f64();
        self.least += rate * to.earliest.since(from.latest).as_secs_f64();
        self.most += rate * to.latest.since(from.earliest).as_secs_f64();
    }
}

struct Seen {
    admitted: f64,
    available: f64,
    integral: Integral,
    /// From before it was drained until after `available` was read.
    length: Duration,
    changes: f64,
}

/// Drains the limiter, then lets eight threads take what they can while it goes through the configurations, again and
/// again, one after every so long.
fn load(configs: &[Config], every: Duration, length: Duration) -> Seen {
    let clock = Clock::system();
    let builder = RateLimiter::builder().permits(configs[0].permits).period(configs[0].period);
    let limiter = builder.clock(&clock).build().unwrap();
    let pace = RateLimiter::builder().permits(1).period(every).max_wait(SECOND).build().unwrap();
    let stop = AtomicBool::new(false);
    let spin = || {
        let mut admitted = 0_u64;
        while !stop.load(Ordering::Relaxed) {
            admitted += u64::from(limiter.try_acquire().is_ok());
        }
        admitted
    };
    let (mut integral, mut changes) = (Integral::default(), 0.0);
    let (begin, drained) = moment(&clock, || limiter.try_acquire_n(configs[0].permits.into()));
    drained.unwrap();
    let (mut config, mut since) = (&configs[0], begin);
    let admitted: u64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(spin)).collect();
        for next in configs.iter().cycle().skip(1).take_while(|_| clock.now().since(begin.latest) < length) {
            pace.acquire().unwrap();
            let (change, result) = moment(&clock, || limiter.reconfigure(*next));
            result.unwrap();
            integral.add(config, since, change);
            (config, since, changes) = (next, change, changes + 1.0);
        }
        stop.store(true, Ordering::Relaxed);
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let (end, available) = moment(&clock, || limiter.available_permits());
    integral.add(config, since, end);
    let length = end.latest.since(begin.earliest);
    Seen { admitted: admitted as f64, available: available.into(), integral, length, changes }
}

#[test]
fn a_rate_that_changes_under_load_loses_and_doubles_no_permit() {
    // 50 000, 200 000 and 1 000 000 per second; a bucket that a second does not fill.
    let config = |millis| Config { permits: 1_000_000, period: millis * MS, ..Config::default() };
    let Seen { admitted, available, integral, changes, .. } = load(&[20_000, 5_000, 1_000].map(config), 3 * MS, LENGTH);
    let Integral { least, most } = integral;
    let told = format!("{admitted} admitted, {available} left, integral {least} to {most}, {changes} changes");
    assert!(admitted + available <= most + 1.0, "{told}");
    assert!(admitted + available >= least - 1.0 - changes * ROUNDED, "{told}");
    assert!(!OPTIMISED || admitted >= 0.95 * least, "{told}");
}

/// Nearly always, somebody is about to take a permit while the numbers change. The rates are so alike that the integral
/// is known whenever the changes are.
#[test]
fn changes_without_a_pause_lose_and_double_no_permit() {
    let config = |millis| Config { permits: 1_000_000, period: millis * MS, ..Config::default() };
    let Seen { admitted, available, length, changes, .. } = load(&[1_000, 1_001].map(config), NS, LENGTH / 4);
    let (least, most) = (length.as_secs_f64() * 1e6 / 1.001, length.as_secs_f64() * 1e6);
    let told = format!("{admitted} admitted, {available} left, integral {least} to {most}, {changes} changes");
    assert!(admitted + available <= most + 1.0, "{told}");
    assert!(admitted + available >= least - 1.0 - changes * ROUNDED, "{told}");
}

#[test]
fn a_burst_that_changes_under_load_adds_what_it_grew_and_no_more() {
    // 50 000, 200 000 and 1 000 000 per second, in bursts of as many hundredths.
    let config = |permits| Config { permits, period: 10 * MS, ..Config::default() };
    let Seen { admitted, available, integral, changes, .. } =
        load(&[500, 2_000, 10_000].map(config), 3 * MS, LENGTH / 4);
    let grown = 9_500.0 * (changes / 3.0).ceil();
    let Integral { least, most } = integral;
    let told = format!("{admitted} admitted, {available} left, integral {least} to {most}, {changes} changes");
    assert!(admitted + available <= most + grown + 1.0, "{told}");
    assert!(!OPTIMISED || admitted >= 0.95 * least, "{told}");
}
