//! A rate limiter: lets through at most so many calls per period, and rejects or delays the rest.
#![doc = include_str!("../docs/rate-limiter.md")]

mod acquire;
mod all;
mod cell;
mod config;
mod event;
mod gcra;
pub mod keyed;
mod limiter;
mod registry;
mod request;
mod reservation;
mod snapshot;

pub use acquire::Acquire;
pub use all::{try_acquire_all, try_acquire_all_n};
pub use config::{Builder, Config};
pub use event::Event;
pub use keyed::{AtBound, KeyedRateLimiter, Quota};
pub use limiter::RateLimiter;
pub use registry::{PipelineExt, RegistryExt, SnapshotExt};
pub use reservation::Reservation;
pub use snapshot::Snapshot;
