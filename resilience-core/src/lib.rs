//! The core of the **resilience** policies.
//!
//! - [`Policy`]: what a policy is. It never waits; it is asked "may this call go on?" and told "this is how it ended".
//! - [`Pipeline`]: policies composed in one documented order ([`Layer`]), as a type that costs nothing.
//! - The drivers behind [`Pipeline::execute`] and [`Pipeline::execute_async`] do the waiting, for threads and futures.
//! - [`Clock`]: decisions and waits use the same one, so a test with a [`ManualClock`] moves both.
//! - [`Error`], [`Rejection`], [`Code`]: who rejected a call, why, and when to come back.
//! - [`Registry`]: instances by id, with their [`event`]s (listeners, channels, filters, `tracing`) and snapshots.
//!
//! Core names no policy. Policies plug in: a place ([`at`]), a configuration ([`Settings`]), events and a snapshot of
//! their own ([`Managed`]); yours have the same rights as ours.
//!
//! Most people want the facade `resilience`, or one policy crate.
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `std` (default) | nothing yet is left out without it |
//! | `tokio` | waits on tokio's timer inside a tokio runtime, and `Clock::tokio` |
//! | `config` | configuration from files and the environment, changed live |
//! | `metrics` | [numbers](Metrics) of all instances, for a recorder of the crate `metrics` |
//! | `serde` | `Serialize` for ids, snapshots and events |
//! | `testing` | the contract suite that every policy runs |
//! | `tracing` | [events](event) as events of the `tracing` crate, and spans of calls |

mod any;
mod clock;
#[cfg(feature = "config")]
pub mod config;
mod cx;
mod driver;
mod error;
pub mod event;
mod fallback;
mod fallible;
mod id;
mod interrupt;
mod kind;
mod layer;
pub mod measure;
pub mod meter;
#[cfg(all(feature = "metrics", not(loom)))]
mod metrics;
mod nanos;
mod options;
mod outcome;
pub mod pipeline;
mod policy;
mod random;
pub mod registry;
mod rejection;
mod remaining;
mod settings;
mod shield;
pub mod stack;
pub mod sync;
#[cfg(feature = "testing")]
pub mod testing;
mod timer;
mod values;
#[doc(hidden)]
pub mod wrap;

pub use any::AsAny;
pub use clock::{Clock, ManualClock, TimeSource};
pub use cx::Cx;
pub use driver::{Execute, Solo, Target};
pub use error::Error;
pub use event::Events;
pub use fallback::{CopyOf, Fallback, FallbackApplied, Make, NoFallback, Recover};
pub use fallible::Fallible;
pub use id::Id;
pub use interrupt::Interrupt;
pub use kind::{Kind, KindSet};
pub use layer::{Layer, at};
#[cfg(all(feature = "metrics", not(loom)))]
pub use metrics::{Metrics, Upkeep};
pub use nanos::{Nanos, saturating_nanos};
pub use options::CallOptions;
pub use outcome::{ByResult, Class, Classify, Failure, Outcome};
pub use pipeline::{Pipeline, PipelineBuilder};
pub use policy::{Admission, Policy, Queued, SinglePass, Verdict, Was};
pub use random::{HashState, Random};
pub use registry::{Env, Managed, Registry, RegistryError, Snapshot};
pub use rejection::Rejection;
pub use remaining::remaining;
pub use resilience_keys::{Code, Problem, nearest};
pub use settings::{ConfigError, Settings, Written};
pub use stack::Call;
pub use timer::{Sleep, Timer, TimerFuture};
pub use values::Values;

/// The table of configuration keys.
pub use resilience_keys as keys;
