use std::{fmt, sync::Arc};

use super::{Difference, Instance, RegistryError};
use crate::{Clock, ConfigError, Id, Policy, Random, Settings, event::Events};

/// What the instances of a registry share.
#[derive(Clone, Debug)]
pub struct Env {
    clock: Clock,
    events: Events,
    random: Random,
}

impl Env {
    /// For a policy outside a registry.
    pub fn new(clock: Clock, events: Events, random: Random) -> Self {
        Self { clock, events, random }
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The event bus.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Chance of its own for the instance `id` of a kind of policy: the same whatever other instances draw.
    pub fn random(&self, kind: &str, id: Id) -> Random {
        self.random.fork(kind).fork(id.as_str())
    }
}

/// A policy that a registry can keep.
pub trait Managed: Policy + Sized + 'static {
    /// The kind of policy, as configuration and events name it: `rate_limiter`, ..
    const KIND: &'static str;

    /// Its configuration.
    type Config: Settings;

    /// What it shows of itself.
    type Snapshot: fmt::Debug + Send + Sync + 'static;

    /// A new instance. The configuration has been checked.
    ///
    /// # Errors
    ///
    /// If the policy cannot be had for reasons that its configuration does not show.
    fn create(id: Id, config: Self::Config, env: &Env) -> Result<Self, ConfigError>;

    /// The configuration in force.
    fn config(&self) -> Self::Config;

    /// What the instance shows now. Changes nothing.
    fn snapshot(&self) -> Self::Snapshot;
}

pub(super) fn check<P: Managed>(id: Id, config: &P::Config) -> Result<(), RegistryError> {
    let problems = config.problems().into_iter().map(|problem| problem.at(P::KIND)).collect();
    Ok(ConfigError::check(id.as_str(), problems)?)
}

/// The instance, if it has this very configuration.
pub(super) fn shared<P: Managed>(instance: &Instance, id: Id, config: &P::Config) -> Result<Arc<P>, RegistryError> {
    let policy = Arc::clone(&instance.policy).downcast::<P>();
    let policy = policy.map_err(|_| RegistryError::Conflict { kind: P::KIND, id, differences: Vec::new() })?;
    let existing = policy.config();
    if existing == *config {
        return Ok(policy);
    }
    let pairs = existing.entries().into_iter().zip(config.entries());
    let differences = pairs
        .filter(|((_, existing), (_, asked))| existing != asked)
        .map(|((key, existing), (_, asked))| Difference { key, existing, asked })
        .collect();
    Err(RegistryError::Conflict { kind: P::KIND, id, differences })
}
