//! The architecture page and the rule table list the same rules.

use super::{Finding, Rule};
use crate::tree::Tree;

pub(super) const PAGE: &str = "docs/ARCHITECTURE.md";

/// The page marks a rule that tidy checks as a list item `- **I3** (tidy) text`.
pub(super) fn agrees(tree: &Tree, rules: &[Rule]) -> Vec<Finding> {
    let Some(page) = tree.file(PAGE) else {
        return vec![Finding::new(PAGE, 1, "the page is missing", "write it: bird's view, code map, rules")];
    };
    let stated: Vec<(usize, &str)> =
        (1..).zip(page.text.lines()).filter_map(|(n, line)| Some((n, stated(line)?))).collect();
    let mut findings = Vec::new();
    for rule in rules.iter().filter(|rule| !stated.iter().any(|(_, id)| *id == rule.id)) {
        let fix = format!("add `- **{}** (tidy) {}` to the page's rules", rule.id, rule.what);
        findings.push(Finding::new(PAGE, 1, format!("{} is checked and not stated", rule.id), fix));
    }
    for (line, id) in stated.iter().filter(|(_, id)| !rules.iter().any(|rule| rule.id == *id)) {
        let fix = "write the check in xtask/src/tidy, or take `(tidy)` away";
        findings.push(Finding::new(PAGE, *line, format!("{id} is stated and not checked"), fix));
    }
    findings
}

fn stated(line: &str) -> Option<&str> {
    let (id, text) = line.trim_start().strip_prefix("- **")?.split_once("**")?;
    text.trim_start().starts_with("(tidy)").then_some(id)
}

/// The text under the heading that says "code map", up to the next heading of its level.
pub(super) fn code_map(page: &str) -> String {
    let is_heading = |line: &&str| line.starts_with('#');
    let is_map = |line: &&str| is_heading(line) && line.to_lowercase().contains("code map");
    let mut lines = page.lines().skip_while(|line| !is_map(line));
    let level = lines.next().map_or(0, |heading| heading.chars().take_while(|c| *c == '#').count());
    let ends = |line: &&str| is_heading(line) && line.chars().take_while(|c| *c == '#').count() <= level;
    lines.take_while(|line| !ends(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{PAGE, agrees, code_map};
    use crate::tidy::Rule;
    use crate::tree::Tree;

    const RULES: &[Rule] = &[Rule { id: "I1", what: "a rule", check: |_| Vec::new() }];

    fn problems(page: &str) -> Vec<(usize, String)> {
        let findings = agrees(&Tree::of(&[(PAGE, page)]), RULES);
        findings.into_iter().map(|finding| (finding.line, finding.problem)).collect()
    }

    #[test]
    fn a_page_that_agrees_passes() {
        assert!(problems("- **I1** (tidy) A rule.\n- **I2** Another, for people.").is_empty());
    }

    #[test]
    fn a_rule_that_is_not_stated_is_found() {
        assert_eq!(problems("- **I1** A rule."), [(1, "I1 is checked and not stated".to_owned())]);
        assert_eq!(agrees(&Tree::of(&[]), RULES).len(), 1);
    }

    #[test]
    fn a_rule_that_is_not_checked_is_found() {
        let page = "- **I1** (tidy) A rule.\n- **I2** (tidy) Another.";
        assert_eq!(problems(page), [(2, "I2 is stated and not checked".to_owned())]);
    }

    #[test]
    fn the_code_map_is_one_section() {
        assert_eq!(code_map("# A\n## Code map\na\n### b\nc\n## Rules\nd"), "a\n### b\nc");
    }
}
