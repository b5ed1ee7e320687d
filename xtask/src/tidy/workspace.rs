//! Each member of the workspace is on the map, and has what publishing needs.

use toml::{Table, Value};

use super::Finding;
use super::document::{self, PAGE};
use crate::tree::Tree;

pub(super) fn members(tree: &Tree) -> Vec<Finding> {
    // A page that is missing altogether is reported once, by `document`.
    let map = tree.file(PAGE).map(|page| document::code_map(&page.text));
    let mut findings = Vec::new();
    for member in tree.members() {
        if map.as_ref().is_some_and(|map| !on_map(map, &member)) {
            let fix = format!("say in its section \"Code map\" what {member} is for");
            findings.push(Finding::new(PAGE, 1, format!("the code map lacks {member}"), fix));
        }
        let path = format!("{member}/Cargo.toml");
        for (key, fix) in missing(&tree.manifest(&path)) {
            findings.push(Finding::new(&path, 1, format!("{key} is missing"), fix));
        }
    }
    findings
}

/// A member's folder as a whole: `resilience` is not on a map that has only `resilience-core`.
fn on_map(map: &str, member: &str) -> bool {
    map.split(|c: char| !c.is_alphanumeric() && !"-_/".contains(c)).any(|word| word == member)
}

fn missing(manifest: &Table) -> Vec<(&'static str, &'static str)> {
    let package = |key: &str| manifest.get("package").and_then(|package| package.get(key));
    let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
    let mut missing = Vec::new();
    if lints.and_then(Value::as_bool) != Some(true) {
        missing.push(("`[lints] workspace = true`", "add it, so that the lints are the same everywhere"));
    }
    if package("publish").and_then(Value::as_bool) == Some(false) {
        return missing;
    }
    if package("description").and_then(Value::as_str).is_none_or(str::is_empty) {
        missing.push(("`description`", "say in one sentence what the crate gives"));
    }
    for (key, fix) in [("license", "`license.workspace = true`"), ("rust-version", "`rust-version.workspace = true`")] {
        if package(key).is_none() {
            missing.push((key, fix));
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::members;
    use crate::tidy::found;
    use crate::tree::Tree;

    const ROOT: (&str, &str) = ("Cargo.toml", "[workspace]\nmembers = [\"a\"]");
    const MAP: (&str, &str) = ("docs/ARCHITECTURE.md", "## Code map\n\n- `a`: first\n\n## Rules\n");
    const WHOLE: &str = "[package]\ndescription = \"A.\"\nlicense.workspace = true\nrust-version.workspace = true\n[lints]\nworkspace = true";

    #[test]
    fn a_member_on_the_map_with_a_whole_manifest_passes() {
        assert!(found(members, &[ROOT, MAP, ("a/Cargo.toml", WHOLE)]).is_empty());
    }

    #[test]
    fn a_member_that_is_not_on_the_map_is_found() {
        let map = ("docs/ARCHITECTURE.md", "## Code map\n\n- `a-b`\n\n## Rules\n\n- a");
        let expected = [("docs/ARCHITECTURE.md".to_owned(), 1)];
        assert_eq!(found(members, &[ROOT, map, ("a/Cargo.toml", WHOLE)]), expected);
    }

    #[test]
    fn what_a_manifest_lacks_is_found() {
        let problems = |manifest: &str| members(&Tree::of(&[ROOT, MAP, ("a/Cargo.toml", manifest)])).len();
        assert_eq!(problems("[package]\n"), 4);
        assert_eq!(problems("[package]\npublish = false\n"), 1);
    }
}
