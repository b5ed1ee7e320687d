//! Every code has a test that provokes it.

use resilience_keys::Code;

use super::mention::{Mention, Role};
use crate::finding::Finding;

const TABLE: &str = "resilience-keys/src/code.rs";

/// Every code has a test that provokes it, but for those that are reserved, which have none.
pub(super) fn provoked(mentions: &[Mention]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for code in Code::ALL {
        let test = mentions.iter().find(|it| it.code == *code && it.role == Role::Provokes);
        match test {
            None if !code.is_reserved() => {
                let problem = format!("no test provokes {code} (`Code::{code:?}`)");
                findings.push(Finding::new(TABLE, 1, problem, "write one that makes it happen and expects it"));
            }
            Some(it) if code.is_reserved() => {
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

    use super::provoked;
    use crate::codes::mention::{Mention, Role};

    fn tested(code: Code) -> Mention {
        Mention { code, path: "resilience/tests/a.rs".to_owned(), line: 7, role: Role::Provokes }
    }

    fn all_tests() -> Vec<Mention> {
        Code::ALL.iter().filter(|code| !code.is_reserved()).copied().map(tested).collect()
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
    fn a_reserved_code_with_a_test_is_found() {
        let mentions = [all_tests(), vec![tested(Code::HedgeHdg001)]].concat();
        assert_eq!(provoked(&mentions).len(), 1);
    }
}
