//! What this crate adds to the types of core.

use std::sync::Arc;

use resilience_core::{
    PipelineBuilder, Registry, RegistryError, Snapshot as RegistrySnapshot, at,
    pipeline::{Draft, Insert},
};

use crate::{Builder, Snapshot, Timeout};

/// Adds `.timeout(..)` to the pipeline builder.
pub trait PipelineExt<L, C, B> {
    /// Adds a timeout.
    ///
    /// ```
    /// use resilience_core::{Pipeline, Registry};
    /// use resilience_timeout::{PipelineExt, RegistryExt};
    /// use std::time::Duration;
    ///
    /// let registry = Registry::new();
    /// let search = Pipeline::builder(&registry, "search")
    ///     .timeout(|timeout| timeout.timeout(Duration::from_secs(60)))
    ///     .build()?;
    ///
    /// assert_eq!(search.execute(|| Ok::<_, ()>("results")), Ok("results"));
    /// assert_eq!(registry.timeout("search")?.snapshot().timed_out, 0);
    /// # Ok::<(), resilience_core::RegistryError>(())
    /// ```
    fn timeout<I>(self, set: impl FnOnce(Builder) -> Builder) -> PipelineBuilder<L::Out, C, B>
    where
        L: Insert<Draft<Timeout>, at::Timeout, I>;
}

impl<L, C, B> PipelineExt<L, C, B> for PipelineBuilder<L, C, B> {
    fn timeout<I>(self, set: impl FnOnce(Builder) -> Builder) -> PipelineBuilder<L::Out, C, B>
    where
        L: Insert<Draft<Timeout>, at::Timeout, I>,
    {
        self.managed(set(Builder::new()).draft())
    }
}

/// Adds `registry.timeout(..)`.
pub trait RegistryExt {
    /// The timeout of this id, which exists once its pipeline was built.
    ///
    /// # Errors
    ///
    /// R4C-REG-009 if there is none; the error lists the nearest known ids.
    fn timeout(&self, id: impl AsRef<str>) -> Result<Arc<Timeout>, RegistryError>;
}

impl RegistryExt for Registry {
    fn timeout(&self, id: impl AsRef<str>) -> Result<Arc<Timeout>, RegistryError> {
        self.get(id)
    }
}

/// Adds `registry.snapshot().timeouts()`.
pub trait SnapshotExt {
    /// The timeouts, by id.
    fn timeouts(&self) -> Vec<&Snapshot>;
}

impl SnapshotExt for RegistrySnapshot {
    fn timeouts(&self) -> Vec<&Snapshot> {
        self.list()
    }
}
