use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::{
    super::{Instance, Managed, Registry, RegistryError, managed},
    Asked,
};
use crate::{
    ConfigError, Id, Problem, Settings, Values, Written,
    config::{Loaded, Merged, section},
    keys::{Section, metric},
    measure::{Measured, Measures},
};

/// What the sources say now, which is nothing before [`Registry::configure`].
#[derive(Default)]
pub(in crate::registry) struct Layers {
    pub(in crate::registry) loaded: ArcSwapOption<Loaded>,
    pub(in crate::registry) reloading: crate::config::Reloading,
}

type Stamp = Option<Arc<Loaded>>;
type Any = Arc<dyn std::any::Any + Send + Sync>;
type Planner = fn(&Any, &Values) -> Result<Option<managed::Plan>, Vec<Problem>>;
type Reader = fn(&Any, &Values) -> [Values; 2];

/// What is needed to change an instance later, and to say what it has.
#[derive(Clone)]
pub(in crate::registry) struct Live {
    pub(in crate::registry) written: Arc<Written>,
    pub(in crate::registry) section: Option<&'static Section>,
    pub(in crate::registry) plan: Planner,
    pub(in crate::registry) read: Reader,
}

impl Live {
    pub(in crate::registry) fn of<P: Managed>(written: &Written) -> Self {
        Self {
            written: Arc::new(written.clone()),
            section: section(P::KIND).ok(),
            plan: managed::plan::<P>,
            read: managed::read::<P>,
        }
    }

    /// What `loaded` makes of the instance `id`; `None` if it has no say in it.
    pub(in crate::registry) fn merge(&self, loaded: &Loaded, id: Id) -> Option<Result<Merged, Vec<Problem>>> {
        Some(loaded.merge(self.section?, id.as_str(), &self.written))
    }
}

impl Layers {
    pub(in crate::registry) fn resolve<P: Managed>(
        &self,
        id: Id,
        config: &P::Config,
        written: &Written,
    ) -> Result<Asked<P::Config, Stamp>, RegistryError> {
        let stamp = self.loaded.load_full();
        if let (Some(loaded), Ok(section)) = (&stamp, section(P::KIND)) {
            let at = |problems: Vec<Problem>| problems.into_iter().map(|it| it.at(P::KIND)).collect();
            let merged = loaded
                .merge(section, id.as_str(), written)
                .or_else(|problems| ConfigError::check_merged(id.as_str(), at(problems)).map(|()| Merged::default()))?;
            if let Some(config) = P::Config::from_values(&merged.values) {
                let problems = config.problems().into_iter().map(|it| merged.mark(it)).collect();
                if merged.places.is_empty() {
                    ConfigError::check(id.as_str(), at(problems))?;
                } else {
                    ConfigError::check_merged(id.as_str(), at(problems))?;
                }
                return Ok(Asked { config, stamp });
            }
        }
        if let Some(base) = written.base.as_ref().filter(|_| stamp.is_none()) {
            ConfigError::check(id.as_str(), vec![crate::config::nothing_loaded(base).at(P::KIND)])?;
        }
        ConfigError::check(id.as_str(), managed::problems::<P>(config))?;
        Ok(Asked { config: config.clone(), stamp })
    }

    /// How often the sources were read.
    pub(in crate::registry) fn measure(&self, into: &mut Vec<Measured>) {
        let (reloads, mut measures) = (self.reloading.reloads(), Measures::default());
        measures.count(&metric::CONFIG_RELOADS, &["applied"], reloads.applied);
        measures.count(&metric::CONFIG_RELOADS, &["refused"], reloads.refused);
        into.push(Measured { kind: "config", instance: Id::new("config"), incarnation: 0, measures });
    }

    pub(in crate::registry) fn is_current<C>(&self, asked: &Asked<C, Stamp>) -> bool {
        let now = self.loaded.load();
        match (&*now, &asked.stamp) {
            (None, None) => true,
            (Some(now), Some(then)) => Arc::ptr_eq(now, then),
            _ => false,
        }
    }
}

impl Registry {
    /// Brings an instance to what the sources say by now; one for which they are wrong stays as it is.
    pub(in crate::registry) fn catch_up(&self, _: Id, id: Id, instance: &Instance) {
        let Some(loaded) = self.0.layers.loaded.load_full() else { return };
        if let Some(Ok(merged)) = instance.live.merge(&loaded, id) {
            if let Ok(Some(plan)) = (instance.live.plan)(&instance.policy, &merged.values) {
                (plan.apply)();
            }
        }
    }
}
