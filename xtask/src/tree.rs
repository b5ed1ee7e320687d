//! The project's files, read once.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::lex::{self, Line};

/// The folder of the workspace's manifest.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// A build folder of its own, for builds whose flags would throw the usual one away each time.
pub(crate) fn target_dir(name: &str) -> PathBuf {
    let usual = env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    root().join(usual).join(name)
}

pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
    /// The paths of pictures and of whatever else is not text.
    pub(crate) binaries: Vec<String>,
}

pub(crate) struct File {
    /// From the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// Empty unless this is Rust.
    pub(crate) lines: Vec<Line>,
    imports: Vec<(usize, String)>,
}

impl Tree {
    /// What git tracks or would track if it were added.
    pub(crate) fn read(sh: &Shell) -> Result<Self> {
        let list = cmd!(sh, "git ls-files -z --cached --others --exclude-standard").quiet().read()?;
        let mut paths: Vec<&str> = list.split('\0').filter(|path| root().join(path).is_file()).collect();
        paths.sort_unstable();
        paths.dedup();
        let (mut files, mut binaries) = (Vec::new(), Vec::new());
        for path in paths {
            match String::from_utf8(sh.read_binary_file(path)?) {
                Ok(text) => files.push(File::new(path, text)),
                Err(_) => binaries.push(path.to_owned()),
            }
        }
        Ok(Self { files, binaries })
    }

    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| !file.lines.is_empty())
    }

    /// The sources of the crates that users see: `resilience*/src`.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &File> {
        self.rust().filter(|file| file.path.starts_with("resilience") && file.is_source())
    }

    /// The folders of the workspace's members, which are named as their packages.
    pub(crate) fn members(&self) -> Vec<String> {
        let manifest = self.manifest("Cargo.toml");
        let members = manifest.get("workspace").and_then(|workspace| workspace.get("members")?.as_array());
        members.into_iter().flatten().filter_map(|member| Some(member.as_str()?.to_owned())).collect()
    }

    /// A manifest that is missing or malformed reads as empty: cargo reports those better.
    pub(crate) fn manifest(&self, path: &str) -> toml::Table {
        self.file(path).and_then(|file| file.text.parse().ok()).unwrap_or_default()
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| File::new(path, (*text).to_owned())).collect();
        Self { files, binaries: Vec::new() }
    }
}

impl File {
    fn new(path: &str, text: String) -> Self {
        let rust = Path::new(path).extension().is_some_and(|extension| extension == "rs");
        let lines = if rust { lex::lex(&text) } else { Vec::new() };
        let imports = lex::imports(&lines);
        Self { path: path.to_owned(), text, lines, imports }
    }

    /// Whether this is in the `src` folder of a member.
    pub(crate) fn is_source(&self) -> bool {
        self.path.split('/').nth(1) == Some("src")
    }

    /// The code without its `use` items, with line numbers from 1.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.lines.iter().zip(1..);
        numbered.filter(|(line, _)| !line.import).map(|(line, number)| (number, line.code.as_str()))
    }

    /// The paths that `use` items bring in, spelt out, with line numbers from 1.
    pub(crate) fn imports(&self) -> impl Iterator<Item = (usize, &str)> {
        self.imports.iter().map(|(row, path)| (row + 1, path.as_str()))
    }

    /// The lines, from 1, whose code names `path`, however `use` items are grouped.
    pub(crate) fn naming(&self, path: &str) -> Vec<usize> {
        let said = self.code().chain(self.imports()).filter(|(_, code)| lex::names(code, path));
        let mut lines: Vec<usize> = said.map(|(number, _)| number).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// The line, from 1, where a test module closes the file; past the end if none does.
    pub(crate) fn tests_begin(&self) -> usize {
        let mut after_cfg = None;
        for (number, code) in self.code() {
            if code.starts_with("#[cfg(") && lex::names(code, "test") {
                after_cfg = Some(number);
            } else if code.starts_with("mod ") && code.ends_with('{') && after_cfg.is_some() {
                break;
            } else if !code.starts_with("#[") {
                after_cfg = None;
            }
        }
        after_cfg.unwrap_or(self.lines.len() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;

    #[test]
    fn a_name_is_found_in_code_and_in_grouped_imports_and_not_in_prose() {
        let text = "//! std::sync::atomic\nuse std::{\n    sync::{Arc, atomic::AtomicU64},\n};\nlet x = std::sync::atomic::fence;";
        let tree = Tree::of(&[("a/src/b.rs", text)]);
        assert_eq!(tree.files[0].naming("std::sync::atomic"), [3, 5]);
    }

    #[test]
    fn the_test_module_at_the_end_is_found() {
        let text = "#[cfg(test)]\nfn a() {}\n\n#[cfg(all(test, not(loom)))]\n#[path = \"\"]\nmod tests {\n}";
        assert_eq!(Tree::of(&[("a/src/b.rs", text)]).files[0].tests_begin(), 4);
        assert_eq!(Tree::of(&[("a/src/b.rs", "fn a() {}")]).files[0].tests_begin(), 2);
    }

    #[test]
    fn members_come_from_the_root_manifest() {
        let tree = Tree::of(&[("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]")]);
        assert_eq!(tree.members(), ["a", "b"]);
    }
}
