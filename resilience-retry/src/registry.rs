//! What this crate adds to the types of core.

use std::sync::Arc;

use resilience_core::{
    PipelineBuilder, Registry, RegistryError, Snapshot as RegistrySnapshot, at,
    pipeline::{Draft, Insert},
};

use crate::{Builder, Retry, Snapshot};

/// Adds `.retry(..)` to the pipeline builder.
pub trait PipelineExt<L, C, B> {
    /// Adds a retry.
    ///
    /// ```
    /// use resilience_core::{ManualClock, Pipeline, Registry};
    /// use resilience_retry::{PipelineExt, RegistryExt};
    ///
    /// let registry = Registry::builder().clock(ManualClock::new()).build();
    /// let search = Pipeline::builder(&registry, "search").retry(|retry| retry.max_attempts(3)).build()?;
    ///
    /// let mut answers = [Err("down"), Err("down"), Ok("results")].into_iter();
    /// assert_eq!(search.execute(|| answers.next().unwrap()), Ok("results"));
    /// assert_eq!(registry.retry("search")?.snapshot().retries, 2);
    /// # Ok::<(), resilience_core::RegistryError>(())
    /// ```
    fn retry<I>(self, set: impl FnOnce(Builder) -> Builder) -> PipelineBuilder<L::Out, C, B>
    where
        L: Insert<Draft<Retry>, at::Retry, I>;
}

impl<L, C, B> PipelineExt<L, C, B> for PipelineBuilder<L, C, B> {
    fn retry<I>(self, set: impl FnOnce(Builder) -> Builder) -> PipelineBuilder<L::Out, C, B>
    where
        L: Insert<Draft<Retry>, at::Retry, I>,
    {
        self.managed(set(Builder::new()).draft())
    }
}

/// Adds `registry.retry(..)`.
pub trait RegistryExt {
    /// The retry of this id, which exists once its pipeline was built.
    ///
    /// # Errors
    ///
    /// R4C-REG-009 if there is none; the error lists the nearest known ids.
    fn retry(&self, id: impl AsRef<str>) -> Result<Arc<Retry>, RegistryError>;
}

impl RegistryExt for Registry {
    fn retry(&self, id: impl AsRef<str>) -> Result<Arc<Retry>, RegistryError> {
        self.get(id)
    }
}

/// Adds `registry.snapshot().retries()`.
pub trait SnapshotExt {
    /// The retries, by id.
    fn retries(&self) -> Vec<&Snapshot>;
}

impl SnapshotExt for RegistrySnapshot {
    fn retries(&self) -> Vec<&Snapshot> {
        self.list()
    }
}
