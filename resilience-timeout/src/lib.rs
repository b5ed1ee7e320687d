//! A timeout: ends an async call at its deadline, and marks a sync call that came back late.
#![doc = include_str!("../docs/timeout.md")]

mod config;
mod event;
mod registry;
mod snapshot;
mod timeout;

pub use config::{Builder, Config};
pub use event::Event;
pub use registry::{PipelineExt, RegistryExt, SnapshotExt};
pub use resilience_core::remaining;
pub use snapshot::Snapshot;
pub use timeout::Timeout;
