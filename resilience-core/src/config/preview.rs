//! Sources without a service: what a check before a deploy can tell.

use super::{
    Effective, ReloadError, Sources,
    environment::Group,
    is_told,
    merge::{Loaded, Merged},
    reload::Reload,
    tree::{Place, Placed, Table, section},
};
use crate::{Code, Id, Managed, Problem, Settings, Values, Written, keys::Section};

/// Reads sources where no instance lives: on a desk, or in a deploy pipeline.
///
/// Each default, each named config and each instance is put together as if code wrote nothing, and checked as a whole.
/// Without any policy, only the values are checked one by one.
///
/// ```
/// use resilience_core::config::{Format, Preview, Sources};
///
/// let typo = Sources::new().text("app.toml", Format::Toml, "[defaults.retry]\njitter = 'ful'\n");
/// let error = Preview::new().check(&typo).unwrap_err();
/// assert_eq!(error.problems()[0].nearest.as_deref(), Some("full"));
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Preview {
    policies: Vec<Shape>,
}

/// A policy, as far as its configuration goes.
#[derive(Clone, Copy, Debug)]
struct Shape {
    section: &'static Section,
    resolve: fn(&Values) -> Option<Resolved>,
}

/// All that a configuration has set, and what is wrong with it.
type Resolved = (Values, Vec<Problem>);

impl Preview {
    /// Of no policy.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also of this policy, if it has a table of keys.
    pub fn policy<P: Managed>(mut self) -> Self {
        if let Ok(section) = section(P::KIND) {
            let resolve = |values: &Values| {
                let config = P::Config::from_values(values)?;
                Some((config.values(), config.problems()))
            };
            self.policies.push(Shape { section, resolve });
        }
        self
    }

    /// Whether a service could start with these sources. Nothing changes, as nothing is there; the warnings are of use.
    ///
    /// # Errors
    ///
    /// R4C-CFG-004 with all that is wrong.
    pub fn check(&self, sources: &Sources) -> Result<Reload, ReloadError> {
        let (_, warnings) = self.read(sources)?;
        Ok(Reload { warnings, ..Reload::default() })
    }

    /// What holds for each instance that the sources name, by the policies that they name of it.
    ///
    /// # Errors
    ///
    /// R4C-CFG-004 with all that is wrong.
    pub fn config(&self, sources: &Sources) -> Result<Effective, ReloadError> {
        self.read(sources).map(|(effective, _)| effective)
    }

    fn read(&self, sources: &Sources) -> Result<(Effective, Vec<Problem>), ReloadError> {
        let (loaded, problems) = sources.read(&sources.contents());
        let mut report = Report { problems, effective: Effective::default() };
        for shape in &self.policies {
            report.common(&loaded, *shape);
        }
        let common = report.problems.clone();
        for shape in &self.policies {
            report.instances(&loaded, *shape, &common);
        }
        report.effective.sort();
        let Report { problems, effective } = report;
        if problems.is_empty() { Ok((effective, loaded.warnings)) } else { Err(ReloadError::new(problems)) }
    }
}

struct Report {
    problems: Vec<Problem>,
    effective: Effective,
}

impl Report {
    /// What instances have in common: the defaults, and each named config on top of them.
    fn common(&mut self, loaded: &Loaded, shape: Shape) {
        let merge = |base| loaded.layers(shape.section, base, &Table::default(), &Written::default());
        let known = self.problems.clone();
        self.look(&format!("defaults.{}", shape.section.name), shape, merge(None), &known);
        for name in loaded.tree.configs.keys() {
            let known = self.problems.clone();
            let base = Placed { value: name.clone(), place: Place::default() };
            self.look(&format!("configs.{name}.{}", shape.section.name), shape, merge(Some(base)), &known);
        }
    }

    fn instances(&mut self, loaded: &Loaded, shape: Shape, known: &[Problem]) {
        let name = shape.section.name;
        let in_files = loaded.tree.instances.iter().filter(|(id, tables)| {
            tables.contains_key(name) || loaded.table(Group::Instances, id, shape.section) != Table::default()
        });
        let in_variables = loaded.environment.others(loaded.names()).filter(|(section, ..)| section.name == name);
        let mut ids: Vec<_> = in_files.map(|(id, _)| id.as_str()).chain(in_variables.map(|(_, id, _)| id)).collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let merged = loaded.merge(shape.section, id, &Written::default());
            if let Some((values, merged)) = self.look(&format!("instances.{id}.{name}"), shape, merged, known) {
                self.effective.add((shape.section, Id::new(id)), &values, &values, &merged, &Written::default());
            }
        }
    }

    /// What these layers make together. What is `known` to be wrong further down is not told again.
    fn look(
        &mut self,
        around: &str,
        shape: Shape,
        merged: Result<Merged, Vec<Problem>>,
        known: &[Problem],
    ) -> Option<(Values, Merged)> {
        let (found, merged) = match merged {
            Err(problems) => (problems, None),
            Ok(merged) => {
                let (values, problems) = (shape.resolve)(&merged.values)?;
                (problems.into_iter().map(|it| merged.mark(it)).collect(), Some((values, merged)))
            }
        };
        // All circles are known, whoever meets them.
        let is_new = |it: &Problem| it.code != Code::CircularConfig && !is_told(known, it);
        self.problems.extend(found.into_iter().filter(is_new).map(|it| it.at(around)));
        merged
    }
}
