//! Which value holds for an instance, weakest first: `defaults`, its named config (the nearest base first), what code
//! wrote, `instances`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{
    environment::{Environment, Group},
    tree::{Place, Placed, Table, Tree, unknown_kinds},
};
use crate::{Code, Problem, Values, Written, keys::Section, nearest};

/// All that the sources say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Loaded {
    pub(crate) tree: Tree,
    pub(crate) environment: Environment,
    pub(crate) warnings: Vec<Problem>,
}

/// What holds for an instance.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) values: Values,
    /// Where each value comes from that code did not write.
    pub(crate) places: BTreeMap<&'static str, Place>,
    /// What the sources say and the instance ignores, since it is locked.
    pub(crate) ignored: Vec<(&'static str, Placed<String>)>,
}

impl Loaded {
    /// What holds for the instance `id` of a policy.
    pub(crate) fn merge(&self, section: &'static Section, id: &str, written: &Written) -> Result<Merged, Vec<Problem>> {
        let instance = self.table(Group::Instances, id, section);
        let mut problems = self.environment.ambiguous(Group::Instances, &self.names().chain([id]));
        let place = Place { source: "code".to_owned(), line: None };
        let codes = written.base.clone().map(|value| Placed { value, place });
        let (base, ignored) = match codes {
            Some(base) if written.locked => (Some(base), instance.base.clone()),
            codes => (instance.base.clone().or(codes), None),
        };
        let merged = self.layers(section, base, &instance, written).map_err(|found| problems.extend(found));
        problems.dedup();
        let merged = merged.map(|mut merged| {
            merged.ignored.extend(ignored.map(|base| ("config", base)));
            merged
        });
        merged.ok().filter(|_| problems.is_empty()).ok_or(problems)
    }

    /// What the defaults, the named config `base` and `written` make together with what `instance` says.
    pub(crate) fn layers(
        &self,
        section: &'static Section,
        base: Option<Placed<String>>,
        instance: &Table,
        written: &Written,
    ) -> Result<Merged, Vec<Problem>> {
        let mut problems = Vec::new();
        let chain = base.map_or(Ok(Vec::new()), |base| self.chain(section, &base, &mut HashSet::new()));
        let chain = chain.unwrap_or_else(|problem| {
            problems.push(problem);
            Vec::new()
        });

        let mut merged = Merged::default();
        merged.take(section, &self.defaults(section), &Written::default());
        for table in chain.iter().rev() {
            merged.take(section, table, &Written::default());
        }
        for (key, value) in written.values.iter() {
            merged.values.set(section.key(key).expect("code writes keys of the table"), value.clone());
            merged.places.remove(key);
        }
        merged.take(section, instance, written);

        for table in [&self.defaults(section), instance].into_iter().chain(&chain) {
            problems.extend(table.values.iter().flat_map(|(name, value)| unknown_kinds(section.get(name), value)));
        }
        if problems.is_empty() { Ok(merged) } else { Err(problems) }
    }

    fn defaults(&self, section: &Section) -> Table {
        let mut table = self.tree.defaults.get(section.name).cloned().unwrap_or_default();
        if let Some(variables) = self.environment.defaults.get(section.name) {
            table.overlay(variables);
        }
        table
    }

    pub(crate) fn table(&self, group: Group, name: &str, section: &Section) -> Table {
        let tables = match group {
            Group::Configs => &self.tree.configs,
            Group::Instances => &self.tree.instances,
        };
        let mut table = tables.get(name).and_then(|tables| tables.get(section.name)).cloned().unwrap_or_default();
        table.overlay(&self.environment.table(group, name, section));
        table
    }

    /// The named configs from `base` on, nearest first, up to one that has been `seen` before.
    fn chain(
        &self,
        section: &'static Section,
        base: &Placed<String>,
        seen: &mut HashSet<String>,
    ) -> Result<Vec<Table>, Problem> {
        let (mut chain, mut names, mut next) = (Vec::new(), Vec::<String>::new(), Some(base.clone()));
        while let Some(Placed { value: name, place }) = next.take() {
            let wrong = |code, value: &str, allowed: String| {
                let path = |name| format!("configs.{name}.{}.base", section.name);
                let path = names.last().map_or("config".to_owned(), path);
                place.mark(Problem::new(code, path, value, allowed))
            };
            let known = self.tree.configs.keys().map(String::as_str);
            if !self.tree.configs.contains_key(&name) {
                let problem = wrong(Code::UnknownNamedConfig, &name, known.clone().collect::<Vec<_>>().join(", "));
                return Err(problem.near(nearest(&name, known)));
            }
            if !seen.insert(name.clone()) {
                let Some(first) = names.iter().position(|it| *it == name) else { break };
                let circle = names[first..].join(" -> ") + " -> " + &name;
                let allowed = "configs that do not lead back to themselves".to_owned();
                return Err(wrong(Code::CircularConfig, &circle, allowed));
            }
            let table = self.table(Group::Configs, &name, section);
            next.clone_from(&table.base);
            chain.push(table);
            names.push(name);
        }
        Ok(chain)
    }

    /// What is wrong with names, whoever lives by them: variables that mean none or several, configs that nobody has or
    /// that lead in a circle.
    pub(crate) fn check_names(&self, problems: &mut Vec<Problem>) {
        let configs = self.tree.configs.keys().map(String::as_str);
        problems.extend(self.environment.ambiguous(Group::Configs, &configs));
        problems.extend(self.environment.ambiguous(Group::Instances, &self.names()));
        problems.extend(self.environment.strays(&configs));
        for section in crate::keys::SECTIONS {
            // Each config once, whoever leads to it: nothing is told twice, and a long chain costs no more than its length.
            let mut seen = HashSet::new();
            let place = Place::default();
            for name in configs.clone() {
                let base = Placed { value: name.to_owned(), place: place.clone() };
                problems.extend(self.chain(section, &base, &mut seen).err());
            }
            let others = self.environment.others(self.names()).filter(|(of, ..)| of.name == section.name);
            let ids: BTreeSet<_> = self.names().chain(others.map(|(_, name, _)| name)).collect();
            for id in ids {
                let base = self.table(Group::Instances, id, section).base;
                let problem = base.and_then(|base| self.chain(section, &base, &mut seen).err());
                problems.extend(problem.map(|it| it.at(&format!("instances.{id}.{}", section.name))));
            }
        }
    }

    /// The ids in the files.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.tree.instances.keys().map(String::as_str)
    }

    /// Ids in the sources that no instance has.
    pub(crate) fn unused(&self, ids: &[&str]) -> Vec<Problem> {
        let unused = self.tree.instances.iter().filter(|(name, _)| !ids.contains(&name.as_str()));
        let mut problems: Vec<_> = unused
            .map(|(name, tables)| {
                let first = tables.values().flat_map(|table| table.values.values().map(|it| &it.place)).next();
                super::unused(name, first.unwrap_or(&Place::default()))
            })
            .collect();
        problems
            .extend(self.environment.others(ids.iter().copied()).map(|(_, name, place)| super::unused(name, place)));
        problems
    }
}

impl Merged {
    /// What `table` says holds, except where the instance is locked and code wrote the key.
    fn take(&mut self, section: &'static Section, table: &Table, written: &Written) {
        for (key, placed) in &table.values {
            if written.locked && written.values.get(key).is_some() {
                let (value, place) = (placed.value.to_string(), placed.place.clone());
                self.ignored.push((key, Placed { value, place }));
                continue;
            }
            self.values.set(section.key(key).expect("the table has known keys"), placed.value.clone());
            self.places.insert(key, placed.place.clone());
        }
    }

    /// Says where the value was written that a problem is about, and the one that it contradicts.
    pub(crate) fn mark(&self, mut problem: Problem) -> Problem {
        let place = self.places.get(problem.path.as_str());
        let Some(other) = problem.contradicts else {
            return place.map_or(problem.clone(), |place| place.mark(problem));
        };
        let (place, from) = match (place, self.places.get(other)) {
            (None, None) => return problem,
            (None, Some(others)) => (others, "set here".to_owned()),
            (Some(place), Some(others)) => (place, format!("set in {others}")),
            (Some(place), None) if self.values.get(other).is_some() => (place, "set in code".to_owned()),
            (Some(place), None) => (place, "the default".to_owned()),
        };
        problem.allowed = format!("{}, which is {from}", problem.allowed).into();
        place.mark(problem)
    }
}
