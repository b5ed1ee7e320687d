//! What this crate adds to the types of core.

use std::sync::Arc;

use resilience_core::{
    PipelineBuilder, Registry, RegistryError, Snapshot as RegistrySnapshot, at,
    pipeline::{Draft, Insert},
};

use crate::{Builder, Bulkhead, Snapshot};

/// Adds `.bulkhead(..)` to the pipeline builder.
pub trait PipelineExt<L, C, B> {
    /// Adds a bulkhead.
    ///
    /// ```
    /// use resilience_bulkhead::{PipelineExt, RegistryExt};
    /// use resilience_core::{Pipeline, Registry};
    ///
    /// let registry = Registry::new();
    /// let search = Pipeline::builder(&registry, "search").bulkhead(|bulkhead| bulkhead.max_concurrent(10)).build()?;
    ///
    /// assert_eq!(search.execute(|| Ok::<_, ()>("results")), Ok("results"));
    /// assert_eq!(registry.bulkhead("search")?.available(), 10);
    /// # Ok::<(), resilience_core::RegistryError>(())
    /// ```
    fn bulkhead<I>(self, set: impl FnOnce(Builder) -> Builder) -> PipelineBuilder<L::Out, C, B>
    where
        L: Insert<Draft<Bulkhead>, at::Bulkhead, I>;
}

impl<L, C, B> PipelineExt<L, C, B> for PipelineBuilder<L, C, B> {
    fn bulkhead<I>(self, set: impl FnOnce(Builder) -> Builder) -> PipelineBuilder<L::Out, C, B>
    where
        L: Insert<Draft<Bulkhead>, at::Bulkhead, I>,
    {
        self.managed(set(Builder::new()).draft())
    }
}

/// Adds `registry.bulkhead(..)`.
pub trait RegistryExt {
    /// The bulkhead of this id, which exists once its pipeline was built.
    ///
    /// # Errors
    ///
    /// R4C-REG-009 if there is none; the error lists the nearest known ids.
    fn bulkhead(&self, id: impl AsRef<str>) -> Result<Arc<Bulkhead>, RegistryError>;
}

impl RegistryExt for Registry {
    fn bulkhead(&self, id: impl AsRef<str>) -> Result<Arc<Bulkhead>, RegistryError> {
        self.get(id)
    }
}

/// Adds `registry.snapshot().bulkheads()`.
pub trait SnapshotExt {
    /// The bulkheads, by id.
    fn bulkheads(&self) -> Vec<&Snapshot>;
}

impl SnapshotExt for RegistrySnapshot {
    fn bulkheads(&self) -> Vec<&Snapshot> {
        self.list()
    }
}
