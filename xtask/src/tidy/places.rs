//! The project builds anywhere: no file names a registry's host or a path of one machine.

use super::Finding;
use crate::lex;
use crate::tree::Tree;

/// Put together from parts, so that this file passes its own check.
const HOSTS: [&str; 6] = [
    concat!("/crates", ".io"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("deb.debian", ".org"),
    concat!("pypi", ".org"),
    concat!("registry.npmjs", ".org"),
];
const FOLDERS: [&str; 3] = [concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/t", "mp/")];

pub(super) fn portable(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| !file.path.ends_with("Cargo.lock")) {
        for (text, line) in file.text.lines().zip(1..) {
            for host in HOSTS.iter().filter(|host| text.contains(**host)) {
                let fix = "name the package and let the client find it";
                findings.push(Finding::new(&file.path, line, format!("`{host}` is named here"), fix));
            }
            for folder in FOLDERS.iter().filter(|folder| starts_path(text, folder)) {
                let fix = "use a relative path, or `std::env::temp_dir()`";
                findings.push(Finding::new(&file.path, line, format!("a path under `{folder}`"), fix));
            }
        }
    }
    findings
}

/// Whether `folder` is at the start of a path in `text`, not in the middle of one.
fn starts_path(text: &str, folder: &str) -> bool {
    let inside = |c: char| lex::is_word(c) || ".-/}".contains(c);
    text.match_indices(folder).any(|(at, _)| !text[..at].ends_with(inside))
}

#[cfg(test)]
mod tests {
    use super::{FOLDERS, HOSTS, portable};
    use crate::tidy::found;

    #[test]
    fn hosts_and_machine_paths_are_found_in_any_file() {
        for place in HOSTS.iter().chain(&FOLDERS) {
            let text = format!("first\nsee {place}x");
            assert_eq!(found(portable, &[("docs/a.md", &text)]), [("docs/a.md".to_owned(), 2)], "{place}");
            assert!(found(portable, &[("Cargo.lock", &text)]).is_empty());
        }
    }

    #[test]
    fn folders_of_the_project_and_bare_names_pass() {
        let text = format!("target{} and the crates{} registry", FOLDERS[2], ".io");
        assert!(found(portable, &[("docs/a.md", &text)]).is_empty());
    }
}
