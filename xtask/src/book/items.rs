//! Where docs.rs has an item, read off the sources. The links are tried on rustdoc's own pages when the book is built.

use crate::lex;
use crate::tree::{File, Tree};

const CORE: &str = "resilience-core";

/// What can be linked to from the pages of one crate: its items, and those of core.
pub(super) struct Items<'a> {
    tree: &'a Tree,
    package: &'a str,
}

impl<'a> Items<'a> {
    pub(super) fn new(tree: &'a Tree, package: &'a str) -> Self {
        Self { tree, package }
    }

    /// `path` as written in the documentation of the module `scope`, which is empty for the crate's root.
    pub(super) fn url(&self, path: &str, scope: &str) -> Option<String> {
        let mut names: Vec<&str> = path.split("::").collect();
        let package = match names[0] {
            "resilience_core" => CORE,
            _ => self.package,
        };
        if names.len() > 1 && ["crate", "resilience_core"].contains(&names[0]) {
            names.remove(0);
        }
        // What a crate does not have, it got from core.
        [package, CORE].iter().find_map(|package| {
            let page = page(self.tree, package, &names, scope)?;
            Some(format!("https://docs.rs/{package}/latest/{}/{page}", package.replace('-', "_")))
        })
    }
}

/// The page of the names below a crate's folder in its documentation.
fn page(tree: &Tree, package: &str, names: &[&str], scope: &str) -> Option<String> {
    let source = format!("{package}/src/");
    let of = |file: &&File| file.path.starts_with(&source);
    let modules: Vec<&str> = public_modules(tree.file(&format!("{source}lib.rs")));
    let (first, rest) = names.split_first()?;
    if modules.contains(first) {
        return match rest {
            [] => Some(format!("{first}/index.html")),
            rest => page(tree, package, rest, first),
        };
    }
    // The file's public module, for items that the root does not show as its own.
    let module = |file: &File| {
        let below = file.path[source.len()..].split(['/', '.']).next().unwrap_or_default().to_owned();
        if modules.contains(&below.as_str()) { below } else { String::new() }
    };
    let mut files: Vec<&File> = tree.rust().filter(of).collect();
    files.sort_by_key(|file| module(file) != scope);
    let (file, line, kind) = files.iter().find_map(|file| {
        let (line, kind) = definition(file, first)?;
        Some((*file, line, kind))
    })?;
    let folder = match module(file) {
        module if module.is_empty() => String::new(),
        module => format!("{module}/"),
    };
    let item = format!("{folder}{kind}.{first}.html");
    match rest {
        [] => Some(item),
        [member] => Some(format!("{item}#{}.{member}", member_kind(file, line, kind, member))),
        _ => None,
    }
}

fn public_modules(file: Option<&File>) -> Vec<&str> {
    let lines = file.map(|file| file.lines.iter()).into_iter().flatten();
    lines.filter_map(|line| line.code.trim().strip_prefix("pub mod ")?.strip_suffix(';')).collect()
}

/// The line of `name`'s definition, from 0, and what rustdoc calls its kind.
fn definition(file: &File, name: &str) -> Option<(usize, &'static str)> {
    const KINDS: [(&str, &str); 6] = [
        ("pub struct ", "struct"),
        ("pub enum ", "enum"),
        ("pub trait ", "trait"),
        ("pub type ", "type"),
        ("pub fn ", "fn"),
        ("pub const fn ", "fn"),
    ];
    file.lines.iter().enumerate().find_map(|(at, line)| {
        let (_, kind) = KINDS.iter().find(|(start, _)| {
            let rest = line.code.strip_prefix(start).and_then(|rest| rest.strip_prefix(name));
            rest.is_some_and(|rest| !rest.starts_with(lex::is_word))
        })?;
        Some((at, *kind))
    })
}

fn member_kind(file: &File, line: usize, kind: &str, member: &str) -> &'static str {
    let body = file.lines[line..].iter().map(|line| line.code.as_str()).collect::<Vec<_>>().join("\n");
    match kind {
        "enum" if member.starts_with(char::is_uppercase) => "variant",
        // A method that has to be written is another thing to rustdoc than one that a trait gives.
        "trait" => {
            let signature = body.split_once(&format!("fn {member}")).map_or("", |(_, rest)| rest);
            let end = signature.find(['{', ';']).map(|at| &signature[at..=at]);
            if end == Some(";") { "tymethod" } else { "method" }
        }
        "struct" if body.split("\n}").next().is_some_and(|fields| fields.contains(&format!("pub {member}:"))) => {
            "structfield"
        }
        _ => "method",
    }
}

#[cfg(test)]
mod tests {
    use super::Items;
    use crate::tree::Tree;

    #[test]
    fn items_are_found_with_their_kind_and_their_module() {
        let tree = Tree::of(&[
            ("a-b/src/lib.rs", "mod c;\npub mod d;\n"),
            (
                "a-b/src/c.rs",
                "pub struct C {\n    pub field: u8,\n}\npub enum E {\n    V,\n}\npub trait T {\n    fn m(&self)\n    -> u8;\n    fn p() {}\n}\npub struct B;\npub fn f() {}",
            ),
            ("a-b/src/d/e.rs", "pub struct D<K> {}\npub struct B;"),
            ("resilience-core/src/r.rs", "pub struct R;"),
        ]);
        for (path, scope, page) in [
            ("C", "", "struct.C.html"),
            ("crate::C::run", "d", "struct.C.html#method.run"),
            ("C::field", "", "struct.C.html#structfield.field"),
            ("E::V", "", "enum.E.html#variant.V"),
            ("T::m", "", "trait.T.html#tymethod.m"),
            ("T::p", "", "trait.T.html#method.p"),
            ("f", "", "fn.f.html"),
            ("d", "", "d/index.html"),
            ("D", "", "d/struct.D.html"),
            ("d::D", "", "d/struct.D.html"),
            ("B", "", "struct.B.html"),
            ("B", "d", "d/struct.B.html"),
        ] {
            let url = Items::new(&tree, "a-b").url(path, scope);
            assert_eq!(url, Some(format!("https://docs.rs/a-b/latest/a_b/{page}")), "{path}");
        }
        let core = Some("https://docs.rs/resilience-core/latest/resilience_core/struct.R.html".to_owned());
        assert_eq!(Items::new(&tree, "a-b").url("resilience_core::R", ""), core);
        assert_eq!(Items::new(&tree, "a-b").url("crate::R", ""), core);
        assert_eq!(Items::new(&tree, "a-b").url("Nothing", ""), None);
    }
}
