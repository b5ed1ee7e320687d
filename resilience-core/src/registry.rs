//! Where instances live: by kind of policy and id, with the clock, the events and the chance they share.

#[cfg(feature = "config")]
mod configure;
#[cfg(feature = "config")]
mod effective;
mod error;
mod layers;
mod managed;
mod measures;
mod slot;
mod snapshot;
#[cfg(feature = "config")]
mod watch;

use std::{any::Any, fmt, sync::Arc};

use dashmap::DashMap;

use crate::{Clock, Id, Random, Settings, Written, event::Events, measure::Measured, sync::AtomicU64};
use layers::Layers;
use slot::Slot;

pub use error::{Difference, RegistryError};
pub use managed::{Env, Managed};
pub use snapshot::Snapshot;

/// Instances of policies by id, and what they share. Clones are one registry.
///
/// State is per registry: two registries have nothing in common. The same id with an equal configuration is the same
/// instance; with another one it is an error.
///
/// ```
/// use resilience_core::{ManualClock, Registry};
///
/// let clock = ManualClock::new();
/// let registry = Registry::builder().clock(&clock).seed(42).build();
/// assert_eq!(registry.clock().now(), clock.now());
/// ```
#[derive(Clone)]
pub struct Registry(Arc<Inner>);

struct Inner {
    env: Env,
    /// By kind and id. A guard of this map is never held while anything but the map's own code runs.
    slots: DashMap<(Id, Id), Arc<Slot>>,
    layers: Layers,
    /// How many instances were created.
    created: AtomicU64,
}

/// An instance of any policy, what code wrote of it, and how to deal with it.
#[derive(Clone)]
struct Instance {
    policy: Arc<dyn Any + Send + Sync>,
    snapshot: fn(&(dyn Any + Send + Sync)) -> snapshot::Entry,
    measure: fn(&(dyn Any + Send + Sync)) -> Measured,
    incarnation: u64,
    live: layers::Live,
}

impl Registry {
    /// On the system clock, seeded by the operating system.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// With another clock or a fixed seed.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// What the instances share.
    pub fn env(&self) -> &Env {
        &self.0.env
    }

    /// The clock of all instances.
    pub fn clock(&self) -> &Clock {
        self.0.env.clock()
    }

    /// The events of all instances.
    pub fn events(&self) -> &Events {
        self.0.env.events()
    }

    /// The instance of this id, created if there is none. Waits while another thread creates it.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 if the configuration is invalid, R4C-REG-008 if the id has an instance with another one.
    pub fn get_or_create<P: Managed>(&self, id: impl Into<Id>, config: &P::Config) -> Result<Arc<P>, RegistryError> {
        let written = Written { values: config.values(), ..Written::default() };
        self.obtain(id.into(), config, &written)
    }

    /// The instance of this id, created if there is none, with what code wrote of it. `config` is what that would be
    /// alone.
    pub(crate) fn obtain<P: Managed>(
        &self,
        id: Id,
        config: &P::Config,
        written: &Written,
    ) -> Result<Arc<P>, RegistryError> {
        loop {
            let asked = self.0.layers.resolve::<P>(id, config, written)?;
            let slot = Arc::clone(&self.0.slots.entry((Id::new(P::KIND), id)).or_default());
            let instance = slot.get_or_create(id, || {
                let policy = P::create(id, asked.config.clone(), self.env())?;
                let live = layers::Live::of::<P>(written);
                Ok(Instance {
                    policy: Arc::new(policy),
                    snapshot: snapshot::of::<P>,
                    measure: measures::of::<P>,
                    incarnation: self.next_incarnation(),
                    live,
                })
            })?;
            // Whoever changes the configuration meanwhile may not have seen the new instance.
            if self.0.layers.is_current(&asked) {
                return managed::shared(&instance, id, &asked.config);
            }
            self.catch_up(Id::new(P::KIND), id, &instance);
        }
    }

    /// The instance of this id.
    ///
    /// # Errors
    ///
    /// R4C-REG-009 if there is none.
    pub fn get<P: Managed>(&self, id: impl AsRef<str>) -> Result<Arc<P>, RegistryError> {
        let id = id.as_ref();
        let instance = Id::find(id).and_then(|id| self.find(Id::new(P::KIND), id));
        let policy = instance.and_then(|instance| instance.policy.downcast().ok());
        policy.ok_or_else(|| RegistryError::unknown(P::KIND, id, &self.ids(P::KIND)))
    }

    /// Whether a policy of this configuration could be had under this id; creates nothing.
    pub(crate) fn could_have<P: Managed>(
        &self,
        id: Id,
        config: &P::Config,
        written: &Written,
    ) -> Result<(), RegistryError> {
        let asked = self.0.layers.resolve::<P>(id, config, written)?;
        match self.find(Id::new(P::KIND), id) {
            Some(instance) => managed::shared::<P>(&instance, id, &asked.config).map(drop),
            None => Ok(()),
        }
    }

    /// Takes the instance out, and says whether there was one. Handles to it go on working; the id is free.
    pub fn remove(&self, kind: &str, id: &str) -> bool {
        let (Some(kind), Some(id)) = (Id::find(kind), Id::find(id)) else {
            return false;
        };
        // A slot in which an instance is being created stays: its creator and those who wait for it expect it there.
        self.0.slots.remove_if(&(kind, id), |_, slot| slot.instance().is_some()).is_some()
    }

    /// What all instances show now, by kind and id. Reading changes nothing.
    pub fn snapshot(&self) -> Snapshot {
        let slots: Vec<_> = self.0.slots.iter().map(|slot| Arc::clone(slot.value())).collect();
        let instances = slots.iter().filter_map(|slot| slot.instance());
        Snapshot::new(instances.map(|instance| (instance.snapshot)(&*instance.policy)).collect())
    }

    fn find(&self, kind: Id, id: Id) -> Option<Instance> {
        let slot = self.0.slots.get(&(kind, id)).map(|slot| Arc::clone(slot.value()))?;
        slot.instance()
    }

    fn ids(&self, kind: &str) -> Vec<Id> {
        let slots: Vec<_> = self.0.slots.iter().map(|slot| (*slot.key(), Arc::clone(slot.value()))).collect();
        let of_kind = slots.into_iter().filter(|((of, _), slot)| of.as_str() == kind && slot.instance().is_some());
        of_kind.map(|((_, id), _)| id).collect()
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("clock", self.clock())
            .field("events", self.events())
            .field("snapshot", &self.snapshot())
            .finish()
    }
}

/// Makes a [`Registry`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RegistryBuilder {
    clock: Option<Clock>,
    random: Option<Random>,
}

impl RegistryBuilder {
    /// The clock of all instances; the system's by default.
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = Some(clock.into());
        self
    }

    /// Makes all chance repeatable.
    pub fn seed(mut self, seed: u64) -> Self {
        self.random = Some(Random::seeded(seed));
        self
    }

    /// The registry.
    pub fn build(self) -> Registry {
        let env = Env::new(self.clock.unwrap_or_default(), Events::new(), self.random.unwrap_or_default());
        Registry(Arc::new(Inner { env, slots: DashMap::new(), layers: Layers::default(), created: AtomicU64::new(0) }))
    }
}
