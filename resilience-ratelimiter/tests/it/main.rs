//! The rate limiter: its laws, the cases from the field, and its numbers.

#![expect(clippy::unchecked_time_subtraction, reason = "a test that subtracts too much should panic")]

mod cases;
mod contract;
mod events;
mod exact;
mod keyed;
mod laws;
mod live;
mod model;
mod peers;
mod settle;
mod waiters;

use std::time::Duration;

use resilience_core::{ManualClock, Rejection};
use resilience_ratelimiter::RateLimiter;

const NS: Duration = Duration::from_nanos(1);
const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn limiter(clock: &ManualClock, permits: u32, period: Duration, max_wait: Duration) -> RateLimiter {
    let builder = RateLimiter::builder().name("test").permits(permits).period(period).max_wait(max_wait);
    builder.clock(clock).build().expect("a valid configuration")
}

/// Which of so many calls at one instant pass: `A`, or `R`.
fn burst(limiter: &RateLimiter, calls: usize) -> String {
    (0..calls).map(|_| if limiter.try_acquire().is_ok() { 'A' } else { 'R' }).collect()
}

fn retry_after(result: Result<(), Rejection>) -> Duration {
    result.expect_err("no permit").retry_after().expect("it says when")
}
