//! A retry: tries failed calls again, after a delay, so many times in all.
#![doc = include_str!("../docs/retry.md")]

mod attempt;
mod backoff;
mod budget;
mod builder;
mod call;
mod config;
mod decision;
mod delays;
mod event;
mod jitter;
mod plans;
mod registry;
mod retry;
mod snapshot;

pub use attempt::Attempt;
pub use backoff::Backoff;
pub use builder::Builder;
pub use config::Config;
pub use decision::Reason;
pub use delays::Delays;
pub use event::Event;
pub use jitter::Jitter;
pub use registry::{PipelineExt, RegistryExt, SnapshotExt};
pub use retry::Retry;
pub use snapshot::Snapshot;
