use std::sync::Arc;

use crate::{
    Code, ConfigError, Id, Policy, Problem, Registry, RegistryError, Settings, Written, registry::Managed,
    stack::Member,
};

/// What will be a policy once the pipeline is built.
pub trait Part {
    /// The policy.
    type Policy: Policy;

    /// Whether it can be had; creates nothing.
    ///
    /// # Errors
    ///
    /// As [`Part::make`].
    fn check(&self, registry: &Registry, pipeline: Id) -> Result<(), RegistryError>;

    /// The policy.
    ///
    /// # Errors
    ///
    /// If its configuration is invalid, or its name belongs to an instance with another one.
    fn make(self, registry: &Registry, pipeline: Id) -> Result<Self::Policy, RegistryError>;
}

/// A policy to be created, or shared under its name: what the builder of a policy ends in.
#[derive(Clone, Debug)]
pub struct Draft<P: Managed> {
    /// The id; that of the pipeline if there is none.
    pub name: Option<Id>,
    /// The configuration as code alone makes it, not checked yet.
    pub config: P::Config,
    /// What of it code wrote.
    pub written: Written,
}

impl<P: Managed> Draft<P> {
    /// With a configuration that code wrote as a whole.
    pub fn new(name: Option<Id>, config: P::Config) -> Self {
        let written = Written { values: config.values(), ..Written::default() };
        Self { name, config, written }
    }
}

impl<P: Managed> Part for Draft<P> {
    type Policy = Arc<P>;

    fn check(&self, registry: &Registry, pipeline: Id) -> Result<(), RegistryError> {
        registry.could_have::<P>(self.name.unwrap_or(pipeline), &self.config, &self.written)
    }

    fn make(self, registry: &Registry, pipeline: Id) -> Result<Arc<P>, RegistryError> {
        registry.obtain(self.name.unwrap_or(pipeline), &self.config, &self.written)
    }
}

/// A policy at hand.
#[derive(Clone, Debug)]
pub struct Ready<P>(pub(super) P);

impl<P: Policy> Part for Ready<P> {
    type Policy = P;

    fn check(&self, registry: &Registry, pipeline: Id) -> Result<(), RegistryError> {
        Ok(ConfigError::check(pipeline.as_str(), other_clock(registry, &self.0).into_iter().collect())?)
    }

    fn make(self, _: &Registry, _: Id) -> Result<P, RegistryError> {
        Ok(self.0)
    }
}

/// A policy keeps its state on one clock; it must be that of the pipeline.
pub(super) fn other_clock(registry: &Registry, policy: &(impl Member + ?Sized)) -> Option<Problem> {
    let other = policy.clock().is_some_and(|clock| !clock.is_same_as(registry.clock()));
    let allowed = "a policy on the clock of the registry";
    other.then(|| Problem::new(Code::InvalidConfig, "clock", policy.id().as_str(), allowed))
}
