//! What most programs need: `use resilience::prelude::*;`

pub use resilience_core::{
    Call, CallOptions, Class, Clock, Code, ConfigError, Error, Interrupt, Kind, ManualClock, Nanos, Pipeline, Registry,
    RegistryError, Rejection,
};

#[cfg(feature = "rate-limiter")]
pub use resilience_ratelimiter::{PipelineExt as _, RateLimiter, RegistryExt as _, SnapshotExt as _};
