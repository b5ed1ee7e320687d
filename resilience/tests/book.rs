//! What the manual shows operators: its configuration files are valid, and `resilience-config` does what it is said to.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command},
};

const FORMATS: [&str; 3] = ["toml", "yaml", "json"];

/// The fenced blocks of a page: language, and text.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                blocks.push((language, String::new()));
            }
        } else if inside {
            let (_, text) = blocks.last_mut().expect("a block is open");
            text.push_str(line);
            text.push('\n');
        }
    }
    blocks
}

/// The README and every English page; the Spanish ones have the same blocks.
fn pages() -> BTreeMap<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let book = fs::read_dir(root.join("docs/en")).expect("the book").map(|entry| entry.expect("readable").path());
    let paths = book.chain([root.join("README.md")]).filter(|path| path.extension().is_some_and(|it| it == "md"));
    paths.map(|path| (path.clone(), fs::read_to_string(&path).expect("text"))).collect()
}

/// A folder of its own, with files in it.
fn folder(name: &str, files: &[(String, &str)]) -> PathBuf {
    let folder = env::temp_dir().join(format!("resilience-book-{name}-{}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("a file");
    }
    folder
}

/// Runs the program in a folder, which is gone afterwards; what it says if it does not succeed.
fn fails(folder: PathBuf, arguments: &[&str]) -> Option<String> {
    fails_with(folder, arguments, &[])
}

fn fails_with(folder: PathBuf, arguments: &[&str], variables: &[(&str, &str)]) -> Option<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_resilience-config"));
    let program = program.current_dir(&folder).args(arguments).envs(variables.iter().copied());
    let output = program.output().expect("the program starts");
    fs::remove_dir_all(folder).expect("removed");
    let said = [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned()).concat();
    (!output.status.success()).then_some(said)
}

#[test]
fn every_configuration_in_the_manual_is_valid() {
    let mut count = 0;
    for (path, page) in pages() {
        for (format, text) in blocks(&page).into_iter().filter(|(it, _)| FORMATS.contains(it)) {
            let file = format!("app.{format}");
            let wrong = fails(folder("sample", &[(file.clone(), &text)]), &["check", &file]);
            assert_eq!(wrong, None, "{}:\n{text}", path.display());
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn the_variables_in_the_manual_are_taken() {
    let mut count = 0;
    for (path, page) in pages() {
        for (_, text) in blocks(&page).into_iter().filter(|(it, text)| *it == "sh" && text.starts_with("RESILIENCE__"))
        {
            let lines = text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
            let variables: Vec<_> = lines.filter_map(|line| line.split_once('=')).collect();
            // An instance that variables alone name is no error: no file has to know it.
            let folder = folder("variables", &[("app.toml".to_owned(), "")]);
            let wrong = fails_with(folder, &["check", "--env", "app.toml"], &variables);
            assert_eq!(wrong, None, "{}:\n{text}", path.display());
            count += variables.len();
        }
    }
    assert!(count > 0);
}

#[test]
fn what_the_manual_runs_with_resilience_config_succeeds() {
    let mut count = 0;
    for (path, page) in pages() {
        let blocks = blocks(&page);
        for line in blocks.iter().filter(|(it, _)| *it == "sh").flat_map(|(_, text)| text.lines()) {
            let command = line.split(" #").next().unwrap_or_default();
            // Also as a part of `cargo run --bin resilience-config -- ..`.
            let Some((_, arguments)) = command.split_once("resilience-config ") else { continue };
            let arguments: Vec<&str> = arguments.split_whitespace().filter(|it| *it != "--").collect();
            // The files that the line names have what the page shows in their format, if it shows something.
            let files = arguments.iter().filter_map(|file| {
                let format = FORMATS.iter().find(|it| Path::new(file).extension().is_some_and(|end| end == **it))?;
                let sample = blocks.iter().find(|(it, _)| it == format).map_or("", |(_, text)| text);
                Some(((*file).to_owned(), if sample.is_empty() && *format == "json" { "{}" } else { sample }))
            });
            let wrong = fails(folder("command", &files.collect::<Vec<_>>()), &arguments);
            assert_eq!(wrong, None, "{}: {line}", path.display());
            count += 1;
        }
    }
    assert!(count > 0);
}
