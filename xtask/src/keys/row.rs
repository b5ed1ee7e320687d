//! What people wrote of each key.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use resilience_keys::Default::Derived;
use resilience_keys::{Key, SECTIONS, Section, ValueKind};
use serde::Deserialize;

use crate::finding::Finding;
use crate::pages::Text;

const PATH: &str = "xtask/src/keys/rows.toml";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Rows {
    /// From when a new value counts, by a name of our own.
    pub(super) reload: BTreeMap<String, Text>,
    /// The Spanish for keys that every section has.
    shared: BTreeMap<String, String>,
    sections: BTreeMap<String, Rest>,
}

/// What belongs to one section.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Rest {
    /// What a reload keeps.
    pub(super) reload: Text,
    keys: BTreeMap<String, Row>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Row {
    /// What is counted.
    pub(super) unit: Text,
    /// What it does, in Spanish.
    doc: String,
    /// A default that depends on another key, in Spanish.
    pub(super) default: String,
    /// One of [`Rows::reload`].
    pub(super) reload: String,
}

impl Rows {
    pub(super) fn read() -> Result<Self> {
        toml::from_str(include_str!("rows.toml")).context(PATH)
    }

    pub(super) fn section(&self, section: &Section) -> Option<&Rest> {
        self.sections.get(section.name)
    }

    pub(super) fn row(&self, section: &Section, key: &Key) -> Option<&Row> {
        self.section(section)?.keys.get(key.name)
    }

    /// What the key does, in Spanish.
    pub(super) fn doc(&self, section: &Section, key: &Key) -> &str {
        let own = self.row(section, key).map_or("", |row| &row.doc);
        if own.is_empty() { self.shared.get(key.name).map_or("", |doc| doc) } else { own }
    }

    /// What is missing and what is too much: the table of keys says what must be there.
    pub(super) fn complete(&self) -> Vec<Finding> {
        let mut wrong = Vec::new();
        for section in SECTIONS {
            let Some(rest) = self.section(section) else {
                wrong.push(format!("`{}` is not there", section.name));
                continue;
            };
            if !rest.reload.is_complete() {
                wrong.push(format!("`{}` does not say in every language what a reload keeps", section.name));
            }
            for key in section.keys {
                let path = format!("{}.{}", section.name, key.name);
                match rest.keys.get(key.name) {
                    Some(row) => wrong.extend(self.lacks(section, key, row).map(|what| format!("`{path}` {what}"))),
                    None => wrong.push(format!("`{path}` is not there")),
                }
            }
            let extra = rest.keys.keys().filter(|name| section.key(name).is_none());
            wrong.extend(extra.map(|name| format!("`{}.{name}` is no key", section.name)));
        }
        let extra = self.sections.keys().filter(|name| !SECTIONS.iter().any(|section| section.name == *name));
        wrong.extend(extra.map(|name| format!("`{name}` is no section")));
        let fix = "make it what the table in resilience-keys says";
        wrong.into_iter().map(|problem| Finding::new(PATH, 1, problem, fix)).collect()
    }

    fn lacks(&self, section: &Section, key: &Key, row: &Row) -> impl Iterator<Item = &'static str> {
        let counts = matches!(key.value, ValueKind::Count { .. });
        let depends = matches!(key.default, Derived(_));
        let reload = self.reload.get(&row.reload).is_some_and(Text::is_complete);
        let checks = [
            (self.doc(section, key).is_empty(), "has no Spanish `doc`"),
            (
                counts != row.unit.is_complete(),
                "is a count without a `unit` in every language, or no count and has one",
            ),
            (depends == row.default.is_empty(), "has no Spanish `default`, or needs none"),
            (!reload, "has a `reload` that is none of those under [reload]"),
        ];
        checks.into_iter().filter_map(|(is_wrong, what)| is_wrong.then_some(what))
    }
}

#[cfg(test)]
mod tests {
    use super::Rows;

    fn problems(edit: impl FnOnce(&mut Rows)) -> Vec<String> {
        let mut rows = Rows::read().expect("well-formed");
        edit(&mut rows);
        rows.complete().into_iter().map(|finding| finding.problem).collect()
    }

    #[test]
    fn every_key_of_the_table_is_there() {
        assert!(problems(|_| ()).is_empty());
        let forget = |it: &mut Rows| drop(it.sections.get_mut("retry").expect("there").keys.remove("jitter"));
        assert_eq!(problems(forget), ["`retry.jitter` is not there"]);
        assert_eq!(problems(|it| drop(it.sections.remove("timeout"))), ["`timeout` is not there"]);
    }

    #[test]
    fn what_is_in_no_table_is_found() {
        let misspell = |it: &mut Rows| {
            let keys = &mut it.sections.get_mut("retry").expect("there").keys;
            let row = keys["jitter"].clone();
            keys.insert("jiter".to_owned(), row);
            it.sections.insert("hedge".to_owned(), super::Rest::default());
        };
        assert_eq!(problems(misspell), ["`retry.jiter` is no key", "`hedge` is no section"]);
    }

    #[test]
    fn a_row_that_lacks_something_is_found() {
        let forget = |it: &mut Rows| {
            let keys = &mut it.sections.get_mut("retry").expect("there").keys;
            *keys.get_mut("max_delay").expect("there") = super::Row::default();
            keys.get_mut("max_attempts").expect("there").unit = super::Text::default();
        };
        let found = problems(forget);
        assert_eq!(found.iter().filter(|it| it.starts_with("`retry.max_delay` has")).count(), 3, "{found:?}");
        assert_eq!(found.iter().filter(|it| it.starts_with("`retry.max_attempts` is")).count(), 1, "{found:?}");
    }
}
