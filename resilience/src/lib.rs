//! Resilience policies for services: they keep a service standing when what it depends on does not.
//!
//! ```
//! use resilience::prelude::*;
//! use std::time::Duration;
//!
//! let registry = Registry::new();
//! let search = Pipeline::builder(&registry, "search")
//!     .rate_limiter(|limiter| limiter.permits(10).period(Duration::from_secs(1)))
//!     .build()?;
//!
//! let result = search.execute(|| Ok::<_, std::io::Error>("results"));
//! # assert!(result.is_ok());
//! # Ok::<(), RegistryError>(())
//! ```
//!
//! - [`Pipeline`] composes policies in one documented order; `execute` runs a closure, `execute_async` a future.
//! - [`Registry`] keeps the instances by id, with their clock, [`event`]s and snapshots.
//! - [`Error`] says whether the call failed or a policy rejected it: who, with which [`Code`], and when to come back.
//! - [`ManualClock`] moves decisions and waits in tests.
//!
//! Policies: [`ratelimiter`], which is also the guide to it. Each is a crate of its own too, useful without the rest;
//! what its examples import from `resilience_core` and `resilience_ratelimiter`, the facade has as `resilience::..` and
//! `resilience::ratelimiter::..`.
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `rate-limiter` (default) | the rate limiter |
//! | `tokio` (default) | waits on tokio's timer inside a tokio runtime, and `Clock::tokio` |
//! | `serde` | `Serialize` for snapshots |
//! | `full` | all of them |

pub mod prelude;
mod readme;

pub use resilience_core::*;

#[cfg(feature = "rate-limiter")]
pub use resilience_ratelimiter as ratelimiter;
