//! Commands that pages tell people to run exist, with the options that are given.

use clap::Parser;
use resilience_keys::SECTIONS;

use super::markdown::{blocks, is_page};
use crate::finding::Finding;
use crate::tree::Tree;

pub(super) fn exist(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| is_page(&file.path)) {
        for block in blocks(&file.text).into_iter().filter(|block| block.info == "sh") {
            for (text, line) in block.text.lines().zip(block.line + 1..) {
                let command = text.split(" #").next().unwrap_or_default().trim();
                if let Some(problem) = wrong(tree, command) {
                    let fix = "write a command that runs, or teach xtask/src/book/commands.rs to check it";
                    findings.push(Finding::new(&file.path, line, problem, fix));
                }
            }
        }
    }
    findings
}

fn wrong(tree: &Tree, command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    match &words[..] {
        // A line of comment, between commands.
        [first, ..] if first.starts_with('#') => None,
        ["cargo", "xtask", ..] => {
            let parsed = crate::Command::try_parse_from(&words[1..]);
            let help = |error: &clap::Error| error.exit_code() == 0;
            let error = parsed.err().filter(|error| !help(error));
            error.map(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
        }
        ["cargo", "add", rest @ ..] => added(tree, rest),
        ["cargo", "run", rest @ ..] => started(tree, rest),
        ["cargo", "install", "resilience", "--features", features] => absent(tree, "resilience", features),
        // The last one is run by tests/book.rs of the facade, which has the program.
        []
        | ["cargo", "test"]
        | ["cargo", "test", "--workspace"]
        | ["cargo", "new" | "init", ..]
        | ["cd", _]
        | ["resilience-config", ..] => None,
        [variable] if variable.starts_with("RESILIENCE__") => unset(variable),
        _ => Some(format!("`{command}` is no command that is known to work")),
    }
}

/// What `cargo run` would say; what follows `--` is the program's.
fn started(tree: &Tree, words: &[&str]) -> Option<String> {
    let after = |option: &str| words.iter().position(|word| *word == option).and_then(|at| words.get(at + 1));
    let path = match (after("--example"), after("--bin")) {
        (Some(name), _) if after("-p") == Some(&"resilience-benches") => format!("benches/examples/{name}/main.rs"),
        (Some(name), _) => format!("resilience/examples/{name}/main.rs"),
        (_, Some(name)) => format!("resilience/src/bin/{name}/main.rs"),
        _ => return Some("it says neither which example nor which program".to_owned()),
    };
    tree.file(&path).is_none().then(|| format!("there is no {path}"))
}

/// What `cargo add` would say.
fn added(tree: &Tree, words: &[&str]) -> Option<String> {
    let words = words.strip_prefix(&["--dev"]).unwrap_or(words);
    let options = words.iter().position(|word| word.starts_with("--")).unwrap_or(words.len());
    let (packages, options) = words.split_at(options);
    let lock = tree.file("Cargo.lock").map_or("", |file| file.text.as_str());
    let unknown = packages.iter().find(|name| !lock.contains(&format!("name = \"{name}\"\n")));
    unknown.map(|name| format!("no package {name} is in use here")).or_else(|| match (packages, options) {
        ([package], ["--features", features]) if package.starts_with("resilience") => absent(tree, package, features),
        // Features of others are theirs to check.
        (_, [] | ["--no-default-features"]) | ([_], ["--features", _]) => None,
        (_, options) => Some(format!("`{}` is not known here", options.join(" "))),
    })
}

fn absent(tree: &Tree, package: &str, features: &str) -> Option<String> {
    let manifest = tree.manifest(&format!("{package}/Cargo.toml"));
    let has = |name: &str| manifest.get("features").and_then(|it| it.get(name)).is_some();
    let missing = features.split(',').find(|name| !has(name))?;
    Some(format!("{package} has no feature {missing}"))
}

/// Why a variable sets nothing.
fn unset(variable: &str) -> Option<String> {
    let name = variable.split('=').next().unwrap_or_default().to_lowercase();
    let parts: Vec<&str> = name.split("__").collect();
    let known = match &parts[..] {
        [_, "defaults", section, key] | [_, "instances" | "configs", _, section, key] => {
            SECTIONS.iter().any(|it| it.name == *section && (it.key(key).is_some() || ["base", "config"].contains(key)))
        }
        _ => false,
    };
    (!known).then(|| format!("{variable} sets no key"))
}

#[cfg(test)]
mod tests {
    use super::exist;
    use crate::tree::Tree;

    #[test]
    fn what_runs_passes_and_the_rest_is_found() {
        let manifest = ("resilience/Cargo.toml", "[features]\nconfig = []\n");
        let lock = ("Cargo.lock", "name = \"resilience\"\nname = \"tokio\"\n");
        let example = ("resilience/examples/storefront/main.rs", "");
        for (command, fine) in [
            ("cargo xtask bench iai   # counts", true),
            ("cargo xtask bench --help", true),
            ("cargo xtask bench iaii", false),
            ("cargo add resilience --features config", true),
            ("cargo add resilience --features konfig", false),
            ("cargo add resiliense", false),
            ("cargo add tokio --features full", true),
            ("cargo add --dev resilience --features konfig", false),
            ("cargo run --release --example storefront -- --help", true),
            ("cargo run --example shop", false),
            ("cargo run -p resilience --bin resilience-config -- check app.toml", false),
            ("resilience-config check app.toml", true),
            ("RESILIENCE__DEFAULTS__RETRY__DELAY=1s", true),
            ("RESILIENCE__INSTANCES__SEARCH__RETRY__DELLAY=1s", false),
            ("make", false),
        ] {
            let page = format!("```sh\n{command}\n```\n");
            let tree = Tree::of(&[manifest, lock, example, ("docs/a.md", &page)]);
            let found: Vec<_> = exist(&tree).into_iter().map(|it| it.line).collect();
            assert_eq!(found.is_empty(), fine, "{command}");
        }
    }
}
