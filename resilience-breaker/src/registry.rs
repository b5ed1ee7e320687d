//! What this crate adds to the types of core.

use std::sync::Arc;

use resilience_core::{
    PipelineBuilder, Registry, RegistryError, Snapshot as RegistrySnapshot, at,
    pipeline::{Draft, Insert},
};

use crate::{Builder, CircuitBreaker, Snapshot};

/// Adds `.circuit_breaker(..)` to the pipeline builder.
pub trait PipelineExt<L, C, B> {
    /// Adds a circuit breaker.
    ///
    /// ```
    /// use resilience_breaker::{PipelineExt, RegistryExt, State};
    /// use resilience_core::{Pipeline, Registry};
    ///
    /// let registry = Registry::new();
    /// let search = Pipeline::builder(&registry, "search")
    ///     .circuit_breaker(|breaker| breaker.failure_rate_threshold(50.0))
    ///     .build()?;
    ///
    /// assert_eq!(search.execute(|| Ok::<_, ()>("results")), Ok("results"));
    /// assert_eq!(registry.circuit_breaker("search")?.state(), State::Closed);
    /// # Ok::<(), resilience_core::RegistryError>(())
    /// ```
    fn circuit_breaker<I>(self, set: impl FnOnce(Builder) -> Builder) -> PipelineBuilder<L::Out, C, B>
    where
        L: Insert<Draft<CircuitBreaker>, at::CircuitBreaker, I>;
}

impl<L, C, B> PipelineExt<L, C, B> for PipelineBuilder<L, C, B> {
    fn circuit_breaker<I>(self, set: impl FnOnce(Builder) -> Builder) -> PipelineBuilder<L::Out, C, B>
    where
        L: Insert<Draft<CircuitBreaker>, at::CircuitBreaker, I>,
    {
        self.managed(set(Builder::new()).draft())
    }
}

/// Adds `registry.circuit_breaker(..)`.
pub trait RegistryExt {
    /// The circuit breaker of this id, which exists once its pipeline was built.
    ///
    /// # Errors
    ///
    /// R4C-REG-009 if there is none; the error lists the nearest known ids.
    fn circuit_breaker(&self, id: impl AsRef<str>) -> Result<Arc<CircuitBreaker>, RegistryError>;
}

impl RegistryExt for Registry {
    fn circuit_breaker(&self, id: impl AsRef<str>) -> Result<Arc<CircuitBreaker>, RegistryError> {
        self.get(id)
    }
}

/// Adds `registry.snapshot().circuit_breakers()`.
pub trait SnapshotExt {
    /// The circuit breakers, by id.
    fn circuit_breakers(&self) -> Vec<&Snapshot>;
}

impl SnapshotExt for RegistrySnapshot {
    fn circuit_breakers(&self) -> Vec<&Snapshot> {
        self.list()
    }
}
