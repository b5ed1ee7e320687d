//! What people wrote of each code.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use resilience_keys::Code;
use serde::Deserialize;

use crate::finding::Finding;
use crate::pages::{Language, Text};

pub(super) const PATH: &str = "xtask/src/codes/entries.toml";

/// By code.
pub(super) type Entries = BTreeMap<String, Entry>;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Entry {
    /// An example as it is printed, in English in every language.
    pub(super) message: String,
    /// The Spanish for the table's summary.
    meaning: String,
    pub(super) happened: Text,
    pub(super) remedy: Text,
}

impl Entry {
    pub(super) fn meaning(&self, code: Code, language: Language) -> &str {
        language.pick(code.summary(), &self.meaning)
    }
}

pub(super) fn read() -> Result<Entries> {
    parse(include_str!("entries.toml"))
}

fn parse(text: &str) -> Result<Entries> {
    toml::from_str(text).context(PATH)
}

/// Every code that is not reserved has a complete entry, and every entry is one of such a code.
pub(super) fn complete(entries: &Entries) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut found = |problem: String, fix: &str| findings.push(Finding::new(PATH, 1, problem, fix));
    for code in Code::ALL.iter().filter(|code| !code.is_reserved()) {
        let Some(entry) = entries.get(code.as_str()) else {
            found(format!("{code} has no entry"), "say what happened and what to do, in every language");
            continue;
        };
        for (what, is_there) in [
            ("meaning", !entry.meaning.is_empty()),
            ("happened", entry.happened.is_complete()),
            ("remedy", entry.remedy.is_complete()),
            ("message", !entry.message.is_empty()),
        ] {
            if !is_there {
                found(format!("{code}: `{what}` is not written, or not in every language"), "write it");
            }
        }
        if !entry.message.is_empty() && !entry.message.contains(code.as_str()) {
            found(format!("{code}: the example message does not have the code"), "give it as it is printed");
        }
    }
    for code in entries.keys().filter(|code| !code.parse().is_ok_and(|code: Code| !code.is_reserved())) {
        found(format!("{code} is explained, and is no code or a reserved one"), "delete the entry");
    }
    findings
}

/// No two codes mean the same.
pub(super) fn distinct(entries: &Entries) -> Vec<Finding> {
    let mut findings = Vec::new();
    for language in Language::ALL {
        let mut first = BTreeMap::new();
        for code in Code::ALL.iter().filter(|code| !code.is_reserved()) {
            let meaning = entries.get(code.as_str()).map_or("", |entry| entry.meaning(*code, language));
            if let Some(other) = first.insert(meaning, code).filter(|_| !meaning.is_empty()) {
                let fix = "say what tells them apart";
                findings.push(Finding::new(PATH, 1, format!("{other} and {code} both mean \"{meaning}\""), fix));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use resilience_keys::{CIRCUIT_BREAKER, Code, Problem, RATE_LIMITER, RETRY, Section};

    use super::{complete, distinct, parse, read};

    fn entries_but(edit: impl FnOnce(&mut super::Entries)) -> super::Entries {
        let mut entries = read().expect("well-formed");
        edit(&mut entries);
        entries
    }

    fn problems(edit: impl FnOnce(&mut super::Entries)) -> Vec<String> {
        complete(&entries_but(edit)).into_iter().map(|finding| finding.problem).collect()
    }

    #[test]
    fn a_code_without_an_entry_is_found() {
        assert_eq!(problems(|it| drop(it.remove("R4C-RT-001"))), ["R4C-RT-001 has no entry"]);
    }

    #[test]
    fn an_entry_that_lacks_a_language_is_found() {
        let english = parse(
            "R4C-RT-001 = { message = 'R4C-RT-001', meaning = 'm', happened.en = 'h', remedy = { en = 'r', es = 'r' } }",
        );
        let found = problems(|it| it.extend(english.expect("well-formed")));
        assert_eq!(found, ["R4C-RT-001: `happened` is not written, or not in every language"]);
    }

    #[test]
    fn a_message_may_lack_only_as_long_as_nothing_prints_it() {
        let forget =
            |code: &'static str| move |it: &mut super::Entries| it.get_mut(code).expect("explained").message.clear();
        assert_eq!(problems(forget("R4C-RT-001")).len(), 1);
        let other = problems(|it| it.get_mut("R4C-RT-001").expect("explained").message = "R4C-RT-002".to_owned());
        assert_eq!(other, ["R4C-RT-001: the example message does not have the code"]);
    }

    #[test]
    fn an_entry_of_no_code_is_found() {
        let entries = parse("R4C-RT = {}\nR4C-RT-018 = {}").expect("well-formed");
        assert_eq!(problems(|it| it.extend(entries)).len(), 2);
        assert!(parse("R4C-RT-001 = { remdey = {} }").is_err());
    }

    #[test]
    fn two_codes_of_one_meaning_are_found() {
        assert!(distinct(&read().expect("well-formed")).is_empty());
        let twice = entries_but(|it| {
            let meaning = it["R4C-RT-001"].meaning.clone();
            it.get_mut("R4C-RT-002").expect("explained").meaning = meaning;
        });
        assert_eq!(distinct(&twice).len(), 1);
    }

    #[test]
    fn example_messages_are_those_that_are_printed() {
        let entries = read().expect("well-formed");
        let refused = |section: Section, key: &str, text: &str| section.get(key).parse(text).unwrap_err();
        for problem in [
            refused(RATE_LIMITER, "period", "1.5s"),
            refused(RATE_LIMITER, "period", "0"),
            refused(RATE_LIMITER, "permits", "0"),
            refused(RATE_LIMITER, "permits", "10_000_000_000"),
            refused(RATE_LIMITER, "enabled", "yes"),
            refused(CIRCUIT_BREAKER, "failure_rate_threshold", "150"),
            refused(RETRY, "budget_percent", "0"),
            refused(RETRY, "jitter", "ful"),
            Problem::contradiction(RETRY.get("max_delay"), "1s", RETRY.get("delay"), "at least `delay = 2s`"),
            Problem::unknown_key(&RATE_LIMITER, "permit").at("defaults.rate_limiter").in_file("app.toml", 3),
        ] {
            assert_eq!(entries[problem.code.as_str()].message, problem.to_string());
        }
        for code in Code::ALL.iter().filter(|code| code.as_str().contains("-RT-") && !code.is_reserved()) {
            let message = &entries[code.as_str()].message;
            assert!(message.starts_with(&format!("{code}: {} (", code.summary())), "{message}");
        }
    }
}
