//! `cargo xtask newcomer`: what somebody does who has never seen this: a fresh crate outside of the workspace, with what
//! the pages say to add and the programs that they show, as they stand there; then the usual mistakes, which must be told.

use std::{
    io::{self, BufRead, BufReader, Write},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::book::{Block, blocks};
use crate::tree::{root, target_dir};

/// Pages in the order of reading, each with what tells the programs that are tried; without it, all are.
const PAGES: [(&str, &str); 10] = [
    ("README.md", ""),
    ("docs/en/getting-started.md", ""),
    ("docs/en/rate-limiter.md", ".permits(10).period("),
    ("docs/en/retry.md", "max_attempts(3).delay("),
    ("docs/en/testing.md", "clock.advance(Duration::from_millis(500))"),
    ("docs/en/pipeline.md", "LazyLock"),
    ("docs/en/configuration.md", "Sources::new()"),
    ("docs/en/observability.md", "PrometheusBuilder"),
    ("docs/en/observability.md", "Dashboard::builder"),
    ("docs/en/own-policy.md", NONE),
];

/// No program has this: those of the page are tests already, and only what it says to add is tried.
const NONE: &str = "\0";

/// The program that reads files, and the one that has a trait.
const CONFIGURED: &str = "\"resilience.toml\"";
const TRAIT: &str = "#[resilient]";

struct Program {
    name: String,
    text: String,
}

pub(crate) fn run(sh: &Shell) -> Result<()> {
    // What the pages add is used by the workspace too: nothing is asked for twice.
    cmd!(sh, "cargo fetch --locked --quiet").run()?;
    let pages = PAGES.iter().map(|(page, _)| sh.read_file(page)).collect::<Result<Vec<_>, _>>()?;
    demo(sh)?;
    let (folder, target) = (sh.create_temp_dir()?, target_dir("."));
    let _target = sh.push_env("CARGO_TARGET_DIR", target);
    let _offline = sh.push_env("CARGO_NET_OFFLINE", "true");
    let _folder = sh.push_dir(folder.path());
    cmd!(sh, "cargo new --quiet --vcs none newcomer").run()?;
    let _crate = sh.push_dir("newcomer");
    sh.copy_file(root().join("Cargo.lock"), ".")?;

    for page in &pages {
        add(sh, page)?;
        install(sh, page)?;
    }
    let programs: Vec<Program> =
        PAGES.iter().zip(&pages).flat_map(|((path, tells), text)| programs(path, text, tells)).collect();
    for Program { name, text } in &programs {
        sh.write_file(format!("src/bin/{name}.rs"), text)?;
    }
    cmd!(sh, "cargo build --quiet --bins").run()?;
    for Program { name, .. } in programs.iter().filter(|it| !it.text.contains(CONFIGURED)) {
        cmd!(sh, "cargo run --quiet --bin {name}").ignore_stdout().run()?;
    }
    configuration(sh, &programs, &pages)?;
    mistakes(sh, &programs)?;
    println!("newcomer: {} programs, and the mistakes are told", programs.len());
    Ok(())
}

/// What a page says to add, from here instead of the registry.
fn add(sh: &Shell, page: &str) -> Result<()> {
    for words in told_to(page, "cargo add ") {
        let words: Vec<&str> = words.split_whitespace().collect();
        let ours = words.iter().find(|word| word.starts_with("resilience")).map(|folder| root().join(folder));
        let path = ours.iter().flat_map(|folder| [Path::new("--path"), folder]);
        cmd!(sh, "cargo add --quiet {words...} {path...}").run()?;
    }
    Ok(())
}

/// The programs that a page says to install, from here and to nowhere that matters.
fn install(sh: &Shell, page: &str) -> Result<()> {
    for words in told_to(page, "cargo install ") {
        let (package, options) = words.split_once(' ').unwrap_or((&words, ""));
        let (path, options) = (root().join(package), options.split_whitespace());
        cmd!(sh, "cargo install --quiet --debug --root installed --path {path} {options...}").run()?;
        cmd!(sh, "installed/bin/resilience-config --help").ignore_stdout().run()?;
    }
    Ok(())
}

/// What stands behind `command` wherever a page says to run it.
fn told_to(page: &str, command: &str) -> Vec<String> {
    let blocks = blocks(page).into_iter().filter(|block| block.info == "sh");
    let rest = |block: &Block| block.text.lines().filter_map(|it| Some(it.strip_prefix(command)?.to_owned())).collect();
    blocks.flat_map(|block| -> Vec<String> { rest(&block) }).collect()
}

/// Starts everything, as the README says, and asks for a number.
fn demo(sh: &Shell) -> Result<()> {
    // What cargo starts ends with it: `timeout` passes on what it is told to all of them.
    let command = cmd!(sh, "timeout 1200 cargo xtask demo --address 127.0.0.1:0 --metrics 127.0.0.1:0").quiet();
    let mut demo = Command::from(command).stdout(Stdio::piped()).spawn()?;
    let lines = BufReader::new(demo.stdout.take().context("it is piped")?).lines();
    let told = lines.map_while(Result::ok).find(|line| line.starts_with("metrics: http://"));
    let scraped = told.context("no address is told").and_then(|line| {
        let address = line["metrics: http://".len()..].trim_end_matches("/metrics").to_owned();
        let mut stream = TcpStream::connect(&address)?;
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n")?;
        Ok(io::read_to_string(stream)?)
    });
    let timeout = demo.id().to_string();
    cmd!(sh, "kill {timeout}").quiet().run()?;
    demo.wait()?;
    ensure!(scraped?.contains("\nresilience_calls_total{"), "nothing is counted");
    Ok(())
}

fn programs(path: &str, page: &str, tells: &str) -> Vec<Program> {
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let rust = blocks(page).into_iter().filter(|it| ["rust", "rust,no_run"].contains(&it.info.as_str()));
    let told = rust.filter(|block| block.text.contains(tells));
    told.map(|block| Program { name: format!("{stem}-{}", block.line), text: whole(&block.text) }).collect()
}

/// As getting-started.md says of the examples on later pages.
fn whole(text: &str) -> String {
    if text.contains("fn main()") {
        return text.to_owned();
    }
    let shown: String = text.lines().filter(|line| !line.starts_with("# ")).flat_map(|line| [line, "\n"]).collect();
    // With the facade, the policies' own crates are modules.
    let shown =
        shown.replace("use resilience_core::", "use resilience::").replace("use resilience_", "use resilience::");
    format!("#![allow(unused_variables)]\nfn main() -> Result<(), Box<dyn std::error::Error>> {{\n{shown}Ok(())\n}}\n")
}

/// A file with a misspelt key, and the same file put right.
fn configuration(sh: &Shell, programs: &[Program], pages: &[String]) -> Result<()> {
    let Program { name, .. } = the_one(programs, CONFIGURED)?;
    let files = pages.iter().flat_map(|page| blocks(page)).find(|block| block.info == "toml");
    let good = files.context("no page shows a file")?.text;
    let line = 1 + good.lines().position(|line| line == "permits = 8").context("the file sets no permits")?;

    sh.write_file("resilience.toml", good.replace("permits = 8", "permit = 8"))?;
    let output = cmd!(sh, "cargo run --quiet --bin {name}").quiet().ignore_status().output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(!output.status.success(), "a misspelt key is taken");
    told(&said, &["R4C-CFG-004", &format!("\n  resilience.toml:{line}: "), "did you mean `permits`? (R4C-CFG-001)"])?;

    sh.write_file("resilience.toml", good)?;
    let printed = cmd!(sh, "cargo run --quiet --bin {name}").read()?;
    told(&printed, &[&format!("permits = 8  # resilience.toml:{line}")])
}

/// A misspelt key in an attribute, and an error without a place for a rejection.
fn mistakes(sh: &Shell, programs: &[Program]) -> Result<()> {
    let Program { text, .. } = the_one(programs, TRAIT)?;
    for (right, wrong, words) in [
        ("permits = 10", "permit = 10", ["did you mean `permits`?", "R4C-ATR-010"]),
        ("    Rejected(Rejection),\n", "", ["a variant `Rejected(Rejection)`", "R4C-MAC-001"]),
        (", FromRejection", "", ["no place for a rejection", "#[derive(FromRejection)]"]),
    ] {
        ensure!(text.contains(right), "the trait's program has no `{right}`");
        sh.write_file("src/bin/mistake.rs", text.replace(right, wrong))?;
        let output = cmd!(sh, "cargo build --quiet --bin mistake").quiet().ignore_status().output()?;
        ensure!(!output.status.success(), "it compiles without `{right}`");
        told(&String::from_utf8_lossy(&output.stderr), &words)?;
    }
    Ok(())
}

fn the_one<'a>(programs: &'a [Program], tells: &str) -> Result<&'a Program> {
    programs.iter().find(|it| it.text.contains(tells)).with_context(|| format!("no program has `{tells}`"))
}

fn told(said: &str, words: &[&str]) -> Result<()> {
    for word in words {
        ensure!(said.contains(word), "`{word}` is not said in:\n{said}");
    }
    Ok(())
}
