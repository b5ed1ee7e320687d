//! A rate limiter: lets through at most a given number of calls per period, and rejects (or delays) the rest.
//!
//! **Use it when** a dependency has a quota (an API that allows 10 requests per second), or when you want to keep one
//! client from flooding a shared service.
//!
//! **Don't use it when** what you need to limit is how many calls run at the same time, whatever their rate: that is a
//! bulkhead. And a limiter limits one process only: with several instances of your service, each has its own limit.
//!
//! ```
//! use resilience_ratelimiter::RateLimiter;
//! use std::time::Duration;
//!
//! let limiter = RateLimiter::builder().permits(10).period(Duration::from_secs(1)).build()?;
//!
//! let result = limiter.execute(|| Ok::<_, std::io::Error>("results"));
//! # assert!(result.is_ok());
//! # Ok::<(), resilience_core::ConfigError>(())
//! ```
//!
//! # How it behaves
//!
//! Think of the permits as evenly spaced: with 10 permits per second, one becomes available every 100 ms. Permits you
//! don't use are saved, up to 10 of them, so after a quiet moment a burst of up to 10 calls passes at once; then calls
//! pass at the steady rate.
//!
//! ```text
//! call arrives ── permit available now? ── yes ──> take it, run the call
//!                          │ no
//!                 due within max_wait? ─── yes ──> reserve it, wait until it is due, run the call
//!                          │ no
//!                  rejected, R4C-RT-001 (call not run, nothing reserved)
//! ```
//!
//! - **Rejection.** With `max_wait` 0, the default, a call without a permit is rejected at once. The rejection says
//!   when the same call would pass: waiting exactly that long is enough, for one caller. Many that were rejected
//!   together are told the same time; let them wait with `max_wait`, or add a random share to the time.
//! - **Waiting.** A call whose permit comes within `max_wait` reserves it and waits until it is due; one that would
//!   have to wait longer is rejected at once, without waiting at all. Waiters own their slots, start in the order in
//!   which they came, and never early. A wait past the call's own deadline is refused at once (R4C-RT-003).
//! - **Giving up.** Dropping the future, or triggering the [`Interrupt`](resilience_core::Interrupt) given with a call
//!   (R4C-RT-005), gives the permit of a call that still waits back. Later waiters keep their slots; newcomers may
//!   then share an instant with, or start before, a later waiter, since one number cannot remember a hole.
//! - **Bursts.** Because unused permits build up to a full burst, a window of one period can see up to twice `permits`
//!   calls: a full burst, then the steady rate. That is where the calls start; on the way to a server with windows of
//!   its own, calls that are late can fall together with those after them.
//! - **Weights.** A call can take several permits; more than `permits` can never be had (R4C-RT-006).
//! - **Nothing runs in the background.** Each call computes its permit from the clock.
//!
//! Under the hood this is GCRA, the meter form of a token bucket, in one word of state. Rates that do not come out in
//! whole nanoseconds are exact all the same.
//!
//! # Keys
//!
//! | key | default | allowed |
//! | --- | --- | --- |
//! | `permits` | 50 | 1 to 1 000 000 000 |
//! | `period` | 1 s | more than 0, at least 1 ns per permit, at most 100 years |
//! | `max_wait` | 0 | any |
//! | `enabled` | true | |
//!
//! # Async
//!
//! ```
//! use resilience_ratelimiter::RateLimiter;
//! use std::time::Duration;
//!
//! # futures_lite::future::block_on(async {
//! let limiter = RateLimiter::builder().permits(5).max_wait(Duration::from_millis(500)).build()?;
//! limiter.acquire_async().await.expect("a permit within 500 ms");
//! # Ok::<(), resilience_core::ConfigError>(())
//! # }).unwrap();
//! ```
//!
//! # With other policies
//!
//! The limiter is inside the circuit breaker and around timeout and bulkhead. Calls rejected by an open breaker use no
//! permits, each retry attempt takes a permit of its own, and the time spent waiting for a permit is not part of the
//! timeout. See [`PipelineExt`].

mod acquire;
mod all;
mod cell;
mod config;
mod event;
mod gcra;
mod limiter;
mod registry;
mod reservation;
mod snapshot;

pub use acquire::Acquire;
pub use all::{try_acquire_all, try_acquire_all_n};
pub use config::{Builder, Config};
pub use event::Event;
pub use limiter::RateLimiter;
pub use registry::{PipelineExt, RegistryExt, SnapshotExt};
pub use reservation::Reservation;
pub use snapshot::Snapshot;
