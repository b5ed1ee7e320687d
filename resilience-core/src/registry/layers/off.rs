#![expect(
    clippy::unused_self,
    clippy::extra_unused_type_parameters,
    reason = "with the feature `config` there is something to do"
)]

use super::{
    super::{Instance, Managed, Registry, RegistryError, managed},
    Asked,
};
use crate::{ConfigError, Id, Written, measure::Measured};

/// Code alone says what holds.
#[derive(Default)]
pub(in crate::registry) struct Layers(());

#[derive(Clone)]
pub(in crate::registry) struct Live;

impl Live {
    pub(in crate::registry) fn of<P: Managed>(_: &Written) -> Self {
        Self
    }
}

impl Layers {
    pub(in crate::registry) fn resolve<P: Managed>(
        &self,
        id: Id,
        config: &P::Config,
        _: &Written,
    ) -> Result<Asked<P::Config, ()>, RegistryError> {
        ConfigError::check(id.as_str(), managed::problems::<P>(config))?;
        Ok(Asked { config: config.clone(), stamp: () })
    }

    pub(in crate::registry) fn measure(&self, _: &mut Vec<Measured>) {}

    pub(in crate::registry) fn is_current<C>(&self, asked: &Asked<C, ()>) -> bool {
        let () = asked.stamp;
        true
    }
}

impl Registry {
    pub(in crate::registry) fn catch_up(&self, _: Id, _: Id, instance: &Instance) {
        let Live = instance.live;
    }
}
