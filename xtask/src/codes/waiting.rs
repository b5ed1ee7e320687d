//! Every code has a test that provokes it, once its feature exists.

use resilience_keys::Code;

use super::mention::{Mention, Role};
use crate::finding::Finding;
use crate::pages::Language;

const LIST: &str = "xtask/src/codes/waiting.rs";
const TABLE: &str = "resilience-keys/src/code.rs";

/// What a code waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// The attributes of the macro.
    Macro,
}

impl Feature {
    pub(super) fn name(self, language: Language) -> &'static str {
        match self {
            Self::Macro => language.pick("the `#[resilient]` macro", "el macro `#[resilient]`"),
        }
    }
}

/// Entries are only ever taken out: the check asks for it once a test provokes the code.
pub(super) const WAITING: &[(Code, Feature)] = &[
    (Code::BlockingTimeout, Feature::Macro),
    (Code::BadAttribute, Feature::Macro),
    (Code::Unprotectable, Feature::Macro),
    (Code::BadFallback, Feature::Macro),
];

pub(super) fn feature(code: Code) -> Option<Feature> {
    WAITING.iter().find(|(waiting, _)| *waiting == code).map(|(_, feature)| *feature)
}

/// Every code has a test that provokes it, but for those that wait, which have none.
pub(super) fn provoked(mentions: &[Mention]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for code in Code::ALL {
        let test = mentions.iter().find(|it| it.code == *code && it.role == Role::Provokes);
        match (test, feature(*code)) {
            (None, None) if !code.is_reserved() => {
                let problem = format!("no test provokes {code} (`Code::{code:?}`)");
                findings.push(Finding::new(TABLE, 1, problem, "write one that makes it happen and expects it"));
            }
            (Some(it), Some(_)) => {
                let problem = format!("{code} waits no longer: this test provokes it");
                let fix = format!("take it out of `WAITING` in {LIST}, and give its entry a `message`");
                findings.push(Finding::new(&it.path, it.line, problem, fix));
            }
            (Some(it), None) if code.is_reserved() => {
                let problem = format!("{code} is reserved, and this test provokes it");
                findings.push(Finding::new(&it.path, it.line, problem, format!("see `Code::is_reserved` in {TABLE}")));
            }
            _ => {}
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use resilience_keys::Code;

    use super::{WAITING, provoked};
    use crate::codes::mention::{Mention, Role};

    fn tested(code: Code) -> Mention {
        Mention { code, path: "resilience/tests/a.rs".to_owned(), line: 7, role: Role::Provokes }
    }

    fn all_tests() -> Vec<Mention> {
        let waits = |code: &Code| WAITING.iter().any(|(waiting, _)| waiting == code);
        Code::ALL.iter().filter(|code| !waits(code) && !code.is_reserved()).copied().map(tested).collect()
    }

    #[test]
    fn a_code_without_a_test_is_found() {
        let mut mentions = all_tests();
        assert!(provoked(&mentions).is_empty());
        let last = mentions.pop().expect("many");
        mentions.push(Mention { role: Role::Reports, ..last.clone() });
        let findings = provoked(&mentions);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].problem.contains(last.code.as_str()), "{findings:?}");
    }

    #[test]
    fn the_list_of_codes_that_wait_only_shrinks() {
        for (code, _) in WAITING {
            let mentions = [all_tests(), vec![tested(*code)]].concat();
            let places: Vec<_> = provoked(&mentions).into_iter().map(|it| (it.path, it.line)).collect();
            assert_eq!(places, [("resilience/tests/a.rs".to_owned(), 7)]);
        }
    }

    #[test]
    fn a_reserved_code_with_a_test_is_found() {
        let mentions = [all_tests(), vec![tested(Code::HedgeHdg001)]].concat();
        assert_eq!(provoked(&mentions).len(), 1);
    }
}
