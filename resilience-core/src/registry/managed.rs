use std::{fmt, sync::Arc};

use super::{Instance, RegistryError};
use crate::{Clock, ConfigError, Id, Policy, Random, Settings, event::Events, measure::Measures};

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

    /// Writes down what recorders show of the instance now. Changes nothing. By default there is nothing.
    fn measure(&self, into: &mut Measures) {
        _ = into;
    }

    /// Changes the configuration of the live instance. Equal values change nothing.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 if the configuration is invalid; nothing changes then.
    fn reconfigure(&self, config: Self::Config) -> Result<(), ConfigError>;
}

/// A change of a live instance that has been checked.
#[cfg(feature = "config")]
pub(super) struct Plan {
    pub(super) differences: Vec<super::Difference>,
    pub(super) apply: Box<dyn FnOnce() + Send>,
}

/// What these values would change; `None` if they have no say in it.
#[cfg(feature = "config")]
pub(super) fn plan<P: Managed>(
    policy: &Arc<dyn std::any::Any + Send + Sync>,
    values: &crate::Values,
) -> Result<Option<Plan>, Vec<crate::Problem>> {
    let policy = Arc::clone(policy).downcast::<P>().expect("stored together with this function");
    let Some(config) = P::Config::from_values(values) else { return Ok(None) };
    let problems = config.problems();
    if !problems.is_empty() {
        return Err(problems);
    }
    let differences = policy.config().differences(&config);
    let apply = move || policy.reconfigure(config).expect("it has been checked");
    Ok(Some(Plan { differences, apply: Box::new(apply) }))
}

/// All that the instance has set, and all that these values would set.
#[cfg(feature = "config")]
pub(super) fn read<P: Managed>(
    policy: &Arc<dyn std::any::Any + Send + Sync>,
    values: &crate::Values,
) -> [crate::Values; 2] {
    let policy = policy.downcast_ref::<P>().expect("stored together with this function");
    let expected = P::Config::from_values(values).map(|config| config.values()).unwrap_or_default();
    [policy.config().values(), expected]
}

/// What is wrong with a configuration, each problem under the kind of policy.
pub(super) fn problems<P: Managed>(config: &P::Config) -> Vec<crate::Problem> {
    config.problems().into_iter().map(|problem| problem.at(P::KIND)).collect()
}

/// The instance, if it has this very configuration.
pub(super) fn shared<P: Managed>(instance: &Instance, id: Id, config: &P::Config) -> Result<Arc<P>, RegistryError> {
    let policy = Arc::clone(&instance.policy).downcast::<P>();
    let policy = policy.map_err(|_| RegistryError::Conflict { kind: P::KIND, id, differences: Vec::new() })?;
    let existing = policy.config();
    if existing == *config {
        return Ok(policy);
    }
    Err(RegistryError::Conflict { kind: P::KIND, id, differences: existing.differences(config) })
}
