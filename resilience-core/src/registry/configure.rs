//! Changing all live instances together.

use std::sync::Arc;

use super::{Instance, Registry, managed::Plan};
use crate::{
    Code, Id, Problem,
    config::{Change, Contents, Event, Loaded, Override, Reload, ReloadError, Reloads, Sources, Turn, is_told},
};

/// Instances, what holds for each, and what that changes.
struct Plans {
    ready: Vec<((Id, Id), Plan)>,
    changes: Vec<Change>,
    problems: Vec<Problem>,
}

impl Registry {
    /// Reads the sources and brings all instances to what they say, those there are and those there will be. All or
    /// nothing: with anything wrong anywhere, nothing changes.
    ///
    /// Live instances change in place, each as its own `reconfigure` says; equal values change nothing at all.
    ///
    /// ```
    /// use resilience_core::{Code, Registry, config::{Format, Sources}};
    ///
    /// let registry = Registry::new();
    /// let typo = "[defaults.rate_limiter]\npermit = 3\n";
    /// let error = registry.configure(Sources::new().text("app.toml", Format::Toml, typo)).unwrap_err();
    /// assert_eq!(error.code(), Code::ReloadRefused);
    /// assert!(error.to_string().contains("app.toml:2: `defaults.rate_limiter.permit`: unknown key"));
    /// ```
    ///
    /// # Errors
    ///
    /// R4C-CFG-004 with all that is wrong.
    pub fn configure(&self, sources: Sources) -> Result<Reload, ReloadError> {
        self.run(Some(sources))
    }

    /// As [`Registry::configure`], from the sources of the last one that was taken, read anew.
    ///
    /// # Errors
    ///
    /// R4C-CFG-004 with all that is wrong.
    pub fn reload(&self) -> Result<Reload, ReloadError> {
        self.run(None)
    }

    /// What [`Registry::configure`] would change; changes nothing.
    ///
    /// # Errors
    ///
    /// As [`Registry::configure`].
    pub fn check(&self, sources: &Sources) -> Result<Reload, ReloadError> {
        let (loaded, problems) = sources.read(&sources.contents());
        let plans = self.plan(&loaded, problems, &[]);
        plans.verdict(&loaded)
    }

    /// What is odd about the configuration as it is: configured ids that no instance has, overrides that a locked instance
    /// ignores (R4C-CFG-014), variables that look misspelt. Empty if all is well.
    pub fn verify(&self) -> Vec<Problem> {
        let Some(loaded) = self.0.layers.loaded.load_full() else { return Vec::new() };
        let instances = self.instances();
        let ids: Vec<_> = instances.iter().map(|((_, id), _)| id.as_str()).collect();
        let mut problems = loaded.warnings.clone();
        problems.extend(loaded.unused(&ids));
        problems.extend(self.locked_overrides().into_iter().map(|it| {
            let path = format!("instances.{}.{}.{}", it.instance, it.kind, it.key);
            Problem::new(Code::OverrideIgnored, path, it.value, "nothing: code locked the key").found_in(it.place)
        }));
        problems
    }

    /// The values in the sources that locked instances ignore.
    pub fn locked_overrides(&self) -> Vec<Override> {
        let Some(loaded) = self.0.layers.loaded.load_full() else { return Vec::new() };
        let overrides = self.instances().into_iter().flat_map(|((_, id), instance)| {
            let merged = instance.live.merge(&loaded, id).and_then(Result::ok).unwrap_or_default();
            let kind = instance.live.section.map_or("", |section| section.name);
            let ignored = merged.ignored.into_iter();
            ignored.map(move |(key, it)| Override {
                kind,
                instance: id,
                key,
                value: it.value,
                place: it.place.to_string(),
            })
        });
        overrides.collect()
    }

    /// How often the sources were taken and refused.
    pub fn reloads(&self) -> Reloads {
        self.0.layers.reloading.reloads()
    }

    fn run(&self, sources: Option<Sources>) -> Result<Reload, ReloadError> {
        match self.0.layers.reloading.turn(sources) {
            Some(turn) => self.take(turn),
            None => Ok(Reload { deferred: true, ..Reload::default() }),
        }
    }

    pub(super) fn take(&self, mut turn: Turn<'_>) -> Result<Reload, ReloadError> {
        loop {
            let contents = turn.contents();
            let result = self.apply(&turn.sources, &contents);
            turn.judged(contents, result.is_ok());
            self.0.layers.reloading.count(result.is_ok());
            let event = match &result {
                Ok(reload) => Event::Applied(reload.clone()),
                Err(error) => Event::Refused(error.clone()),
            };
            if self.events().is_heard() {
                self.events().publish("config", Id::new("config"), self.clock().now(), &event);
            }
            if !turn.again() {
                return result;
            }
        }
    }

    fn apply(&self, sources: &Sources, contents: &Contents) -> Result<Reload, ReloadError> {
        let (loaded, problems) = sources.read(contents);
        let plans = self.plan(&loaded, problems, &[]);
        let reload = plans.verdict(&loaded)?;
        let loaded = Arc::new(loaded);
        self.0.layers.loaded.store(Some(Arc::clone(&loaded)));
        let mut changed = Vec::new();
        for (key, plan) in plans.ready {
            (plan.apply)();
            changed.push(key);
        }
        // Those that were created since the plans were made saw either these sources, or those before.
        for (_, plan) in self.plan(&loaded, Vec::new(), &changed).ready {
            (plan.apply)();
        }
        Ok(reload)
    }

    /// What `loaded` changes in all instances but these.
    fn plan(&self, loaded: &Loaded, problems: Vec<Problem>, but: &[(Id, Id)]) -> Plans {
        let mut plans = Plans { ready: Vec::new(), changes: Vec::new(), problems };
        for (key, instance) in self.instances() {
            if !but.contains(&key) {
                plans.add(key, &instance, loaded);
            }
        }
        plans
    }

    pub(super) fn instances(&self) -> Vec<((Id, Id), Instance)> {
        let slots: Vec<_> = self.0.slots.iter().map(|slot| (*slot.key(), Arc::clone(slot.value()))).collect();
        let mut instances: Vec<_> = slots.into_iter().filter_map(|(key, slot)| Some((key, slot.instance()?))).collect();
        instances.sort_by_key(|(key, _)| *key);
        instances
    }
}

impl Plans {
    fn add(&mut self, key: (Id, Id), instance: &Instance, loaded: &Loaded) {
        let (_, id) = key;
        let Some(section) = instance.live.section else { return };
        let around = format!("instances.{id}.{}", section.name);
        let merged = match instance.live.merge(loaded, id) {
            None => return,
            Some(Ok(merged)) => merged,
            Some(Err(problems)) => {
                // All circles are known, whoever meets them.
                let is_new = |it: &Problem| it.code != Code::CircularConfig && !is_told(&self.problems, it);
                let new = problems.into_iter().filter(is_new).collect::<Vec<_>>();
                return self.problems.extend(new.into_iter().map(|it| it.at(&around)));
            }
        };
        match (instance.live.plan)(&instance.policy, &merged.values) {
            Ok(None) => {}
            Ok(Some(plan)) => {
                self.changes.extend(plan.differences.iter().map(|it| Change {
                    kind: section.name,
                    instance: id,
                    key: it.key,
                    from: it.existing.clone(),
                    to: it.asked.clone(),
                    place: merged.places.get(it.key).map(ToString::to_string),
                }));
                self.ready.push((key, plan));
            }
            Err(problems) => self.problems.extend(problems.into_iter().map(|it| merged.mark(it).at(&around))),
        }
    }

    fn verdict(&self, loaded: &Loaded) -> Result<Reload, ReloadError> {
        if !self.problems.is_empty() {
            return Err(ReloadError::new(self.problems.clone()));
        }
        Ok(Reload { changes: self.changes.clone(), warnings: loaded.warnings.clone(), deferred: false })
    }
}
