//! Variables: `RESILIENCE__INSTANCES__GEO_CODING__RATE_LIMITER__MAX_WAIT`, with `__` between the levels.
//!
//! Names of instances and named configs are opaque in files and cannot be written in a variable as they are. So a
//! variable names the upper-case form, in which everything but letters and digits is `_`; whom it means is known once it
//! is known who is there.

use std::ffi::OsString;

use super::tree::{Place, Placed, Table, Tables, section};
use crate::{
    Code, Problem,
    keys::{SECTIONS, Section},
    nearest,
};

const PREFIX: &str = "RESILIENCE__";

/// A group of tables with names of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Configs,
    Instances,
}

impl Group {
    fn level(self) -> &'static str {
        match self {
            Self::Configs => "CONFIGS",
            Self::Instances => "INSTANCES",
        }
    }

    /// The key that names a config to build on.
    fn base(self) -> &'static str {
        match self {
            Self::Configs => "BASE",
            Self::Instances => "CONFIG",
        }
    }
}

/// What the variables say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Environment {
    pub(crate) defaults: Tables,
    named: Vec<Named>,
}

/// What a variable says of a name.
#[derive(Clone, Debug, PartialEq)]
struct Named {
    group: Group,
    /// As the variable has it.
    name: String,
    section: &'static Section,
    table: Table,
    place: Place,
}

impl Environment {
    /// Reads all variables that are ours; what is wrong goes to `problems`, what looks wrong to `warnings`.
    pub(crate) fn read(
        variables: impl Iterator<Item = (OsString, OsString)>,
        problems: &mut Vec<Problem>,
        warnings: &mut Vec<Problem>,
    ) -> Self {
        let mut environment = Self::default();
        let mut variables: Vec<_> = variables.collect();
        variables.sort_unstable(); // the platform gives them in any order
        for (name, value) in variables {
            let shown = name.to_string_lossy();
            if !shown.starts_with(PREFIX) {
                warnings.extend(misspelt(&shown));
                continue;
            }
            let place = Place { source: format!("environment variable {shown}"), line: None };
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
                problems.push(Problem::new(Code::BadVariable, shown, "", "UTF-8"));
                continue;
            };
            if let Err(problem) = environment.add(name, value, &place) {
                let names_it = problem.path == name;
                problems.push(if names_it { problem } else { place.mark(problem) });
            }
        }
        environment
    }

    fn add(&mut self, variable: &str, text: &str, place: &Place) -> Result<(), Problem> {
        let levels: Vec<_> = variable[PREFIX.len()..].split("__").collect();
        let unmapped = |allowed: String| Problem::new(Code::BadVariable, variable, "", allowed);
        let (group, name, policy, key) = match levels.as_slice() {
            ["DEFAULTS", policy, key] => (None, String::new(), *policy, *key),
            ["CONFIGS", name @ .., policy, key] if !name.is_empty() => {
                (Some(Group::Configs), name.join("__"), *policy, *key)
            }
            ["INSTANCES", name @ .., policy, key] if !name.is_empty() => {
                (Some(Group::Instances), name.join("__"), *policy, *key)
            }
            _ => {
                let forms = "RESILIENCE__DEFAULTS__<POLICY>__<KEY>, RESILIENCE__CONFIGS__<NAME>__<POLICY>__<KEY>, \
                             RESILIENCE__INSTANCES__<ID>__<POLICY>__<KEY>";
                return Err(unmapped(forms.to_owned()));
            }
        };
        let whole = |policy: &str, key: &str| whole(group, &name, policy, key);
        if mapped(&name) != name {
            let near = self::whole(group, &mapped(&name), policy, key);
            return Err(unmapped("upper-case letters, digits and `_` for all else".to_owned()).near(Some(&near)));
        }
        let is_upper = !policy.contains(char::is_lowercase);
        let section = section(&policy.to_lowercase()).ok().filter(|_| is_upper).ok_or_else(|| {
            let known: Vec<_> = SECTIONS.iter().map(|section| section.name.to_uppercase()).collect();
            let near = nearest(policy, known.iter().map(String::as_str)).map(|near| whole(near, key));
            unmapped(known.join(", ")).near(near.as_deref())
        })?;
        let mut table = Table::default();
        if let Some(group) = group.filter(|group| group.base() == key) {
            if text.is_empty() {
                return Ok(()); // unset
            }
            table.base = Some(Placed { value: text.to_owned(), place: place.clone() });
            self.named.push(Named { group, name, section, table, place: place.clone() });
            return Ok(());
        }
        let found = section.key(&key.to_lowercase()).filter(|_| !key.contains(char::is_lowercase));
        let found = found.ok_or_else(|| {
            let keys = section.keys.iter().map(|key| key.name.to_uppercase());
            let known: Vec<_> = keys.chain(group.map(|group| group.base().to_owned())).collect();
            let near = nearest(key, known.iter().map(String::as_str)).map(|near| whole(policy, near));
            unmapped(known.join(", ")).near(near.as_deref())
        })?;
        if text.is_empty() {
            return Ok(()); // unset
        }
        let value = found.parse(text)?;
        table.values.insert(found.name, Placed { value, place: place.clone() });
        match group {
            None => self.defaults.entry(section.name).or_default().overlay(&table),
            Some(group) => self.named.push(Named { group, name, section, table, place: place.clone() }),
        }
        Ok(())
    }

    /// What the variables say of `name`.
    pub(crate) fn table(&self, group: Group, name: &str, section: &Section) -> Table {
        let name = mapped(name);
        let mut table = Table::default();
        for it in &self.named {
            if it.group == group && it.section.name == section.name && it.name == name {
                table.overlay(&it.table);
            }
        }
        table
    }

    /// The variables that could mean more than one of these names.
    pub(crate) fn ambiguous<'a>(&self, group: Group, names: &(impl Iterator<Item = &'a str> + Clone)) -> Vec<Problem> {
        let all = self.named.iter().filter(|it| it.group == group);
        let clash = |it: &Named| {
            let mut meant: Vec<_> = names.clone().filter(|name| mapped(name) == it.name).collect();
            meant.sort_unstable();
            meant.dedup();
            let problem = || {
                let allowed = "a name that only one of them has: use a file for the others";
                Problem::new(Code::BadVariable, &it.place.source, meant.join(", "), allowed)
            };
            (meant.len() > 1).then(problem)
        };
        all.filter_map(clash).collect()
    }

    /// The variables that mean none of these configs.
    pub(crate) fn strays<'a>(&self, configs: &(impl Iterator<Item = &'a str> + Clone)) -> Vec<Problem> {
        let known: Vec<_> = configs.clone().map(mapped).collect();
        let strays = self.named.iter().filter(|it| it.group == Group::Configs && !known.contains(&it.name));
        let problem = |it: &Named| {
            let near = nearest(&it.name, known.iter().map(String::as_str));
            let names = if known.is_empty() { "there is none".to_owned() } else { known.join(", ") };
            let allowed = format!("a config that a file has: {names}");
            it.place.mark(Problem::new(Code::BadVariable, format!("configs.{}", it.name), "", allowed).near(near))
        };
        strays.map(problem).collect()
    }

    /// Instances that the variables speak of, as they have the name, and that are none of these.
    pub(crate) fn others<'a>(
        &self,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> impl Iterator<Item = (&'static Section, &str, &Place)> {
        let instances = self.named.iter().filter(|it| it.group == Group::Instances);
        let others = instances.filter(move |it| !names.clone().any(|name| mapped(name) == it.name));
        others.map(|it| (it.section, it.name.as_str(), &it.place))
    }
}

/// The whole name of a variable.
fn whole(group: Option<Group>, name: &str, policy: &str, key: &str) -> String {
    let middle = group.map_or("DEFAULTS".to_owned(), |group| format!("{}__{name}", group.level()));
    format!("{PREFIX}{middle}__{policy}__{key}")
}

/// A name as variables write it.
fn mapped(name: &str) -> String {
    name.to_uppercase().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// A variable that looks as if it was to be ours: `RESILIENCE_INSTANCES_GEO_RATE_LIMITER_MAX_WAIT`.
fn misspelt(variable: &str) -> Option<Problem> {
    let rest = variable.strip_prefix("RESILIENCE_")?.trim_start_matches('_');
    let (around, policy, key) = SECTIONS.iter().find_map(|section| {
        let policy = section.name.to_uppercase();
        let (around, key) = rest.split_once(&format!("_{policy}_"))?;
        Some((around.trim_matches('_'), policy, key.trim_matches('_')))
    })?;
    let levels = around
        .split_once('_')
        .map_or(around.to_owned(), |(group, name)| format!("{group}__{}", name.trim_matches('_')));
    let meant = format!("{PREFIX}{levels}__{policy}__{key}");
    Some(Problem::new(Code::BadVariable, variable, "", "two underscores between the levels").near(Some(&meant)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_mapped_to_what_a_variable_can_hold() {
        assert_eq!(mapped("geo-coding"), "GEO_CODING");
        assert_eq!(mapped("Api#get(a, b).ñ"), "API_GET_A__B__Ñ");
    }

    #[test]
    fn a_variable_with_single_underscores_is_told_its_name() {
        let warning = misspelt("RESILIENCE_INSTANCES_GEO_CODING_RATE_LIMITER_MAX_WAIT").unwrap();
        assert_eq!(warning.nearest.as_deref(), Some("RESILIENCE__INSTANCES__GEO_CODING__RATE_LIMITER__MAX_WAIT"));
        assert_eq!(misspelt("RESILIENCE_HOME"), None);
    }
}
