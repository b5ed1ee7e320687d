//! Resilience policies for services: they keep a service standing when what it depends on does not.
//!
//! <!-- passage: stack -->
//! ```
//! use resilience::prelude::*;
//! use std::time::Duration;
//!
//! fn main() -> Result<(), RegistryError> {
//!     let registry = Registry::new();
//!     let search = Pipeline::builder(&registry, "search")
//!         .retry(|it| it.max_attempts(3))
//!         .circuit_breaker(|it| it.failure_rate_threshold(50.0))
//!         .rate_limiter(|it| it.permits(10).period(Duration::from_secs(1)))
//!         .timeout(|it| it.timeout(Duration::from_secs(2)))
//!         .bulkhead(|it| it.max_concurrent(25))
//!         .fallback_value("nothing found")
//!         .build()?;
//!
//!     let results = search.execute(|| Ok::<_, std::io::Error>("results"));
//!     assert_eq!(results.unwrap(), "results");
//!     assert_eq!(registry.rate_limiter("search")?.available_permits(), 9);
//!     Ok(())
//! }
//! ```
//! <!-- end of passage -->
//!
//! - [`Pipeline`] composes policies in one documented order, whatever the order of the builder's calls: fallback > retry >
//!   circuit breaker > rate limiter > timeout > bulkhead > the call. `execute` runs a closure, `execute_async` a future.
//! - [`Registry`] keeps the instances by id, with their clock, [`event`]s and snapshots; see [below](#handles).
//! - [`Error`] says whether the call failed or a policy rejected it: who, with which [`Code`], and when to come back.
//! - [`ManualClock`] moves decisions and waits in tests.
//!
//! [`macro@resilient`] puts whole traits behind policies.
//!
//! Policies, each of which is also the guide to it: [`retry`], [`breaker`], [`ratelimiter`], [`timeout`], [`bulkhead`].
//! Each is a crate of its own too, useful without the rest; what its examples import from `resilience_core` and from its
//! own crate, `resilience_retry` say, the facade has as `resilience::..` and `resilience::retry::..`.
//!
//! # Handles
//!
//! | policy | in a pipeline | the live instance | all of them |
//! | --- | --- | --- | --- |
//! | [`retry`] | `.retry(..)` | `registry.retry(id)` | `registry.snapshot().retries()` |
//! | [`breaker`] | `.circuit_breaker(..)` | `registry.circuit_breaker(id)` | `registry.snapshot().circuit_breakers()` |
//! | [`ratelimiter`] | `.rate_limiter(..)` | `registry.rate_limiter(id)` | `registry.snapshot().rate_limiters()` |
//! | [`timeout`] | `.timeout(..)` | `registry.timeout(id)` | `registry.snapshot().timeouts()` |
//! | [`bulkhead`] | `.bulkhead(..)` | `registry.bulkhead(id)` | `registry.snapshot().bulkheads()` |
//!
//! The id is that of the pipeline, unless the policy is given a `name`. A live instance shows itself (`snapshot()`) and can
//! be changed (`reconfigure(..)`); its pipelines go on with it:
//!
//! ```
//! use resilience::{bulkhead, prelude::*, retry, timeout};
//! use std::time::Duration;
//!
//! let registry = Registry::new();
//! let search = Pipeline::builder(&registry, "search")
//!     .retry(|it| it.name("patient"))
//!     .circuit_breaker(|it| it)
//!     .rate_limiter(|it| it)
//!     .timeout(|it| it)
//!     .bulkhead(|it| it.max_concurrent(25))
//!     .build()?;
//! assert!(search.execute(|| Ok::<_, ()>("results")).is_ok());
//!
//! let slots = registry.bulkhead("search")?;
//! slots.reconfigure(bulkhead::Config { max_concurrent: 40, ..slots.config() }).expect("valid");
//! assert_eq!(slots.available(), 40);
//! registry.timeout("search")?.reconfigure(timeout::Config::default()).expect("valid");
//! registry.retry("patient")?.reconfigure(retry::Config { max_attempts: 5, ..Default::default() }).expect("valid");
//!
//! let now = registry.snapshot();
//! assert_eq!(now.retries()[0].max_attempts, 5);
//! assert_eq!(now.circuit_breakers()[0].window.calls, 1);
//! assert_eq!(now.rate_limiters()[0].permits, 50);
//! assert_eq!(now.timeouts()[0].timeout, Duration::from_secs(2));
//! assert_eq!(now.bulkheads()[0].max_concurrent, 40);
//! # Ok::<(), RegistryError>(())
//! ```
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `retry`, `circuit-breaker`, `rate-limiter`, `timeout`, `bulkhead` (default) | the policy of that name |
//! | `macros` (default) | [`macro@resilient`]: traits, impls and functions behind policies |
//! | `config` | [configuration](config) from files and the environment, changed live |
//! | `dashboard` | [a page](dashboard) that shows what all policies are doing, for an axum server |
//! | `metrics` | [numbers](Metrics) of all instances, for Prometheus, OpenTelemetry, .. through the crate `metrics` |
//! | `tokio` (default) | waits on tokio's timer inside a tokio runtime, and `Clock::tokio` |
//! | `serde` | `Serialize` for snapshots and events |
//! | `tracing` | [events](event) as events of the `tracing` crate, and spans of calls |
//! | `full` | all of them |

mod book;
pub mod prelude;
mod readme;

pub use resilience_core::*;

#[cfg(feature = "bulkhead")]
pub use resilience_bulkhead as bulkhead;

#[cfg(feature = "circuit-breaker")]
pub use resilience_breaker as breaker;

#[cfg(feature = "dashboard")]
pub use resilience_dashboard as dashboard;

#[cfg(feature = "macros")]
pub use resilience_macros::FromRejection;

#[cfg(feature = "macros")]
#[doc = include_str!("../docs/traits.md")]
pub use resilience_macros::resilient;

#[cfg(feature = "rate-limiter")]
pub use resilience_ratelimiter as ratelimiter;

#[cfg(feature = "retry")]
pub use resilience_retry as retry;

#[cfg(feature = "timeout")]
pub use resilience_timeout as timeout;
