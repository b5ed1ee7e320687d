//! What this crate adds to the types of core.

use std::sync::Arc;

use resilience_core::{
    PipelineBuilder, Registry, RegistryError, Snapshot as RegistrySnapshot, at,
    pipeline::{Draft, Insert},
};

use crate::{Builder, RateLimiter, Snapshot};

/// Adds `.rate_limiter(..)` to the pipeline builder.
pub trait PipelineExt<L, C, B> {
    /// Adds a rate limiter.
    ///
    /// ```
    /// use resilience_core::{Pipeline, Registry};
    /// use resilience_ratelimiter::{PipelineExt, RegistryExt};
    /// use std::time::Duration;
    ///
    /// let registry = Registry::new();
    /// let search = Pipeline::builder(&registry, "search")
    ///     .rate_limiter(|limiter| limiter.permits(10).period(Duration::from_secs(1)))
    ///     .build()?;
    ///
    /// assert_eq!(search.execute(|| Ok::<_, ()>("results")), Ok("results"));
    /// assert_eq!(registry.rate_limiter("search")?.available_permits(), 9);
    /// # Ok::<(), resilience_core::RegistryError>(())
    /// ```
    fn rate_limiter<I>(self, set: impl FnOnce(Builder) -> Builder) -> PipelineBuilder<L::Out, C, B>
    where
        L: Insert<Draft<RateLimiter>, at::RateLimiter, I>;
}

impl<L, C, B> PipelineExt<L, C, B> for PipelineBuilder<L, C, B> {
    fn rate_limiter<I>(self, set: impl FnOnce(Builder) -> Builder) -> PipelineBuilder<L::Out, C, B>
    where
        L: Insert<Draft<RateLimiter>, at::RateLimiter, I>,
    {
        self.managed(set(Builder::new()).draft())
    }
}

/// Adds `registry.rate_limiter(..)`.
pub trait RegistryExt {
    /// The rate limiter of this id, which exists once its pipeline was built.
    ///
    /// # Errors
    ///
    /// R4C-REG-009 if there is none; the error lists the nearest known ids.
    fn rate_limiter(&self, id: impl AsRef<str>) -> Result<Arc<RateLimiter>, RegistryError>;
}

impl RegistryExt for Registry {
    fn rate_limiter(&self, id: impl AsRef<str>) -> Result<Arc<RateLimiter>, RegistryError> {
        self.get(id)
    }
}

/// Adds `registry.snapshot().rate_limiters()`.
pub trait SnapshotExt {
    /// The rate limiters, by id.
    fn rate_limiters(&self) -> Vec<&Snapshot>;
}

impl SnapshotExt for RegistrySnapshot {
    fn rate_limiters(&self) -> Vec<&Snapshot> {
        self.list()
    }
}
