//! What most programs need: `use resilience::prelude::*;`

pub use resilience_core::{
    CallOptions, Class, Clock, Code, Error, Interrupt, Kind, ManualClock, Pipeline, Registry, RegistryError, Rejection,
};

#[cfg(feature = "rate-limiter")]
pub use resilience_ratelimiter::{PipelineExt as _, RateLimiter, RegistryExt as _, SnapshotExt as _};
