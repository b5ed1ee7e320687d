//! What most programs need: `use resilience::prelude::*;`

pub use resilience_core::{
    Call, CallOptions, Class, Clock, Code, ConfigError, CopyOf, Error, Fallback, Interrupt, Kind, ManualClock, Nanos,
    Pipeline, Registry, RegistryError, Rejection,
};

#[cfg(feature = "bulkhead")]
pub use resilience_bulkhead::{Bulkhead, PipelineExt as _, RegistryExt as _, SnapshotExt as _};

#[cfg(feature = "circuit-breaker")]
pub use resilience_breaker::{CircuitBreaker, PipelineExt as _, RegistryExt as _, SnapshotExt as _};

#[cfg(feature = "macros")]
pub use resilience_macros::{FromRejection, resilient};

#[cfg(feature = "rate-limiter")]
pub use resilience_ratelimiter::{PipelineExt as _, RateLimiter, RegistryExt as _, SnapshotExt as _};

#[cfg(feature = "retry")]
pub use resilience_retry::{PipelineExt as _, RegistryExt as _, Retry, SnapshotExt as _};

#[cfg(feature = "timeout")]
pub use resilience_timeout::{PipelineExt as _, RegistryExt as _, SnapshotExt as _, Timeout};
