//! A code has one meaning: one place reports it, or files of one module, so that no other can use it for something else.

use resilience_keys::Code;

use super::mention::{self, Mention, Role};
use crate::finding::Finding;
use crate::tree::Tree;

/// Reads values wherever they were written, and so reports what is wrong with one.
const VALUES: &[&str] =
    &["resilience-keys/", "resilience-core/src/config", "resilience-core/src/registry/configure.rs"];

/// Where a code may be reported; the most exact that holds. Rejections belong to the policy that rejects.
fn homes(code: Code) -> &'static [&'static str] {
    match code {
        Code::RateLimitExceeded | Code::TooManyPermits => &["resilience-ratelimiter/"],
        Code::CallNotPermitted => &["resilience-breaker/"],
        Code::BulkheadFull => &["resilience-bulkhead/"],
        Code::TimedOut | Code::Interrupted => &["resilience-core/src/rejection.rs"],
        Code::SharedNameConflict | Code::DuplicateLayer => &["resilience-core/src/registry/"],
        Code::UnknownInstance => &["resilience-core/src/registry/", "resilience-core/src/config"],
        Code::BlockingTimeout | Code::BadAttribute | Code::Unprotectable | Code::BadFallback => &["resilience-macros/"],
        _ if code.is_reserved() => &[],
        _ => match super::family(code) {
            "ATR" | "CFG" => VALUES,
            _ => &["resilience-core/"],
        },
    }
}

/// What is reported away from its home.
pub(super) fn at_home(mentions: &[Mention]) -> Vec<Finding> {
    let reports = mentions.iter().filter(|it| it.role == Role::Reports);
    let away = reports.filter(|it| !homes(it.code).iter().any(|home| it.path.starts_with(home)));
    let finding = |it: &Mention| {
        let home = homes(it.code).join(" and ");
        let problem = match home.as_str() {
            "" => format!("{} is reported, and is reserved", it.code),
            home => format!("{} is reported here, and belongs to {home}", it.code),
        };
        let fix = "report what went wrong with a code of its own; if this is the same, by the way the home offers";
        Finding::new(&it.path, it.line, problem, fix)
    };
    away.map(finding).collect()
}

/// Whatever has the form of a code is one.
pub(super) fn known(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Only there a code may be wrong on purpose.
    for file in tree.files.iter().filter(|file| !file.path.starts_with("resilience-keys/tests/")) {
        for (number, line) in (1..).zip(file.text.lines()) {
            for text in mention::written(line).filter(|text| text.parse::<Code>().is_err()) {
                findings.push(Finding::new(
                    &file.path,
                    number,
                    format!("there is no {text}"),
                    "see the table of codes",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{at_home, known};
    use crate::codes::mention;
    use crate::tree::Tree;

    fn away(path: &str, code: &str) -> usize {
        at_home(&mention::all(&Tree::of(&[(path, &format!("a(Code::{code});"))]))).len()
    }

    #[test]
    fn a_code_that_another_crate_uses_is_found() {
        assert_eq!(away("resilience-retry/src/a.rs", "RateLimitExceeded"), 1);
        assert_eq!(away("resilience-ratelimiter/src/a.rs", "RateLimitExceeded"), 0);
        assert_eq!(away("resilience-bulkhead/src/a.rs", "TimedOut"), 1);
        assert_eq!(away("resilience-core/src/rejection.rs", "TimedOut"), 0);
        assert_eq!(away("resilience-breaker/src/a.rs", "CountBelowOne"), 1);
        assert_eq!(away("resilience-core/src/config/read.rs", "UnknownKey"), 0);
        assert_eq!(away("resilience-core/src/kind.rs", "InvalidConfig"), 0);
        assert_eq!(away("resilience-core/src/kind.rs", "HedgeRt018"), 1);
    }

    #[test]
    fn a_code_that_does_not_exist_is_found() {
        let text = concat!("R4C-RT-001\nR4C-", "RT-999, R4C-", "RT-01");
        let lines: Vec<_> = known(&Tree::of(&[("docs/a.md", text)])).into_iter().map(|it| it.line).collect();
        assert_eq!(lines, [2, 2]);
        assert!(known(&Tree::of(&[("resilience-keys/tests/a.rs", text)])).is_empty());
    }
}
