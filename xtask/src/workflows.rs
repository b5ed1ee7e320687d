//! What the workflows under .github run exists here, and together they run all of CI.

use clap::{Parser, ValueEnum};
use xshell::Shell;
use yaml_rust2::{Yaml, YamlLoader};

use crate::{Command, ci::Section, tree};

const FOLDER: &str = ".github/workflows";

/// Every line of every `run` in a workflow.
fn commands(text: &str) -> Vec<String> {
    let documents = YamlLoader::load_from_str(text).expect("a workflow is YAML");
    let mut commands = Vec::new();
    for document in &documents {
        collect(document, &mut commands);
    }
    commands
}

fn collect(node: &Yaml, commands: &mut Vec<String>) {
    match node {
        Yaml::Hash(map) => {
            for (key, value) in map {
                match (key.as_str(), value.as_str()) {
                    (Some("run"), Some(script)) => commands.extend(script.lines().map(str::to_owned)),
                    _ => collect(value, commands),
                }
            }
        }
        Yaml::Array(list) => {
            for item in list {
                collect(item, commands);
            }
        }
        _ => {}
    }
}

/// The subcommand that a line runs; or what is wrong with the line.
fn parsed(line: &str) -> Result<Command, String> {
    let mut words = line.split_whitespace();
    let prefix = (words.next(), words.next());
    if prefix != (Some("cargo"), Some("xtask")) {
        return Err(format!("`{line}` is no `cargo xtask`"));
    }
    Command::try_parse_from([""].into_iter().chain(words)).map_err(|error| format!("`{line}`: {error}"))
}

/// What prepares a toolchain, which `cargo xtask` never does.
fn prepares(line: &str) -> bool {
    ["rustup toolchain install ", "rustup component add "].iter().any(|start| line.starts_with(start))
}

fn workflow(name: &str) -> String {
    let sh = Shell::new().unwrap();
    sh.change_dir(tree::root());
    sh.read_file(format!("{FOLDER}/{name}")).unwrap()
}

#[test]
fn every_command_of_every_workflow_exists() {
    let sh = Shell::new().unwrap();
    let files = sh.read_dir(tree::root().join(FOLDER)).unwrap();
    assert!(files.len() >= 2, "{files:?}");
    for file in files {
        let lines = commands(&sh.read_file(&file).unwrap());
        assert!(!lines.is_empty(), "{} runs nothing", file.display());
        for line in lines.iter().filter(|line| !prepares(line)) {
            if let Err(why) = parsed(line) {
                panic!("{}: {why}", file.display());
            }
        }
    }
}

#[test]
fn the_workflow_ci_runs_every_section() {
    let run = commands(&workflow("ci.yml")).iter().filter_map(|line| parsed(line).ok()).collect::<Vec<_>>();
    let sections: Vec<_> = run.iter().filter_map(Command::sections).flatten().collect();
    for section in Section::value_variants() {
        assert!(sections.contains(section), "no job runs `cargo xtask ci {}`", section.name());
    }
}

#[test]
fn a_command_or_an_argument_that_does_not_exist_is_refused() {
    for line in ["cargo xtask bench nothing", "cargo xtask ci test --fast", "cargo xtask", "cargo test", "make"] {
        assert!(parsed(line).is_err(), "{line}");
    }
    assert!(parsed("cargo xtask ci fmt --skip test").is_ok());
}

#[test]
fn scripts_of_several_lines_are_read_line_by_line() {
    let text = "jobs:\n  a:\n    steps:\n      - run: one\n      - run: |\n          two\n          three\n";
    assert_eq!(commands(text), ["one", "two", "three"]);
}
