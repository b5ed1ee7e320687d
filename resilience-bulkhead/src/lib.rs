//! A bulkhead: lets at most so many calls run at the same time, and rejects the rest or lets them wait in line.
#![doc = include_str!("../docs/bulkhead.md")]

mod bulkhead;
mod config;
mod enter;
mod event;
mod permit;
mod queue;
mod registry;
mod semaphore;
mod snapshot;
mod wait;

pub use bulkhead::Bulkhead;
pub use config::{Builder, Config};
pub use enter::Enter;
pub use event::Event;
pub use permit::{OwnedPermit, Permit};
pub use registry::{PipelineExt, RegistryExt, SnapshotExt};
pub use snapshot::Snapshot;
