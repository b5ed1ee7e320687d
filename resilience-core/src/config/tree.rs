//! All that the sources say, checked value by value, each with its place.

use std::collections::BTreeMap;

use crate::{
    Code, Kind, Problem,
    keys::{Key, SECTIONS, Section, Value},
};

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed<T> {
    pub(crate) value: T,
    pub(crate) place: Place,
}

/// A file with its line, or a variable.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Place {
    pub(crate) source: String,
    pub(crate) line: Option<usize>,
}

impl Place {
    pub(crate) fn mark(&self, problem: Problem) -> Problem {
        match self.line {
            Some(line) => problem.in_file(&self.source, line),
            None => problem.found_in(self.source.as_str()),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.source)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// What one table says of one policy: `defaults.rate_limiter`, `instances.search.retry`, ..
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) values: BTreeMap<&'static str, Placed<Value>>,
    /// The named config it builds on: `config` of an instance, `base` of a named config.
    pub(crate) base: Option<Placed<String>>,
}

impl Table {
    /// What `later` says holds.
    pub(crate) fn overlay(&mut self, later: &Self) {
        self.values.extend(later.values.iter().map(|(key, value)| (*key, value.clone())));
        if later.base.is_some() {
            self.base.clone_from(&later.base);
        }
    }
}

/// By policy.
pub(crate) type Tables = BTreeMap<&'static str, Table>;

/// What one source says, or all of them together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tree {
    pub(crate) defaults: Tables,
    pub(crate) configs: BTreeMap<String, Tables>,
    pub(crate) instances: BTreeMap<String, Tables>,
}

impl Tree {
    /// What `later` says holds, key by key.
    pub(crate) fn overlay(&mut self, later: &Self) {
        overlay(&mut self.defaults, &later.defaults);
        for (mine, others) in [(&mut self.configs, &later.configs), (&mut self.instances, &later.instances)] {
            for (name, tables) in others {
                overlay(mine.entry(name.clone()).or_default(), tables);
            }
        }
    }
}

fn overlay(mine: &mut Tables, later: &Tables) {
    for (policy, table) in later {
        mine.entry(policy).or_default().overlay(table);
    }
}

/// The section of this name.
pub(crate) fn section(name: &str) -> Result<&'static Section, Problem> {
    let found = SECTIONS.iter().find(|section| section.name == name);
    found.copied().ok_or_else(|| Problem::unknown(Code::UnknownKey, name, SECTIONS.iter().map(|section| section.name)))
}

/// Names of kinds that nobody has.
pub(crate) fn unknown_kinds(key: &Key, value: &Placed<Value>) -> Vec<Problem> {
    let Value::Kinds(names) = &value.value else { return Vec::new() };
    let known = Kind::names();
    let unknown = names.iter().filter(|name| Kind::find(name).is_none());
    unknown.map(|name| value.place.mark(key.unknown_kind(name, &known))).collect()
}
