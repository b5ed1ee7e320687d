//! A circuit breaker: stops calling what keeps failing, and finds out when it works again.
#![doc = include_str!("../docs/circuit-breaker.md")]

mod breaker;
mod builder;
mod config;
mod control;
mod event;
mod gate;
mod machine;
mod permit;
mod rates;
mod record;
mod registry;
mod snapshot;
mod state;
mod window;

pub use breaker::{CircuitBreaker, Ticket};
pub use builder::Builder;
pub use config::{Config, OnDropped, WindowType};
pub use event::{Cause, End, Event, Transition};
pub use permit::Permit;
pub use rates::Rates;
pub use registry::{PipelineExt, RegistryExt, SnapshotExt};
pub use snapshot::Snapshot;
pub use state::State;
