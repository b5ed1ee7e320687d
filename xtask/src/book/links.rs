//! Links between pages of the repository lead to a file, and to a heading in it.

use super::markdown::{anchors, is_page, links};
use crate::finding::Finding;
use crate::tree::{File, Tree};

pub(super) fn resolve(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| is_checked(&file.path)) {
        for (line, target) in links(&file.text) {
            if let Some(problem) = broken(tree, file, target) {
                findings.push(Finding::new(
                    &file.path,
                    line,
                    problem,
                    "name a file of the repository and a heading in it",
                ));
            }
        }
    }
    findings
}

/// All pages but those whose links are rustdoc's, and the parts of rendered ones.
fn is_checked(path: &str) -> bool {
    let in_place = path.starts_with("docs/") || !path.contains('/');
    is_page(path) && in_place
}

fn broken(tree: &Tree, file: &File, target: &str) -> Option<String> {
    if target.contains("://") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() { file.path.clone() } else { joined(&file.path, path) };
    let folder = format!("{path}/");
    if tree.binaries.contains(&path) || tree.files.iter().any(|it| it.path.starts_with(&folder)) {
        return None;
    }
    let Some(page) = tree.file(&path) else { return Some(format!("there is no {path}")) };
    let missing = !anchor.is_empty() && !anchors(&page.text).iter().any(|it| it == anchor);
    missing.then(|| format!("{path} has no heading `#{anchor}`"))
}

/// `target` as seen from the folder of `path`.
fn joined(path: &str, target: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::resolve;
    use crate::tree::Tree;

    #[test]
    fn links_to_what_is_not_there_are_found() {
        let page = "[a](b.md#c)\n[a](../x/y.rs)\n[a](#d)\n[a](../x)\n# D\n[a](b.md#e)\n[a](c.md)\n[a](https://x.y)";
        let tree = Tree::of(&[("docs/a.md", page), ("docs/b.md", "# C"), ("x/y.rs", "")]);
        let found: Vec<_> = resolve(&tree).into_iter().map(|it| it.line).collect();
        assert_eq!(found, [6, 7]);
    }
}
