//! The example `storefront`, run as a user runs it.
//!
//! Where a test counts, the period is as long as the run: the server has one window, which sees the permits of the run
//! and no others, however late calls are on a busy machine.

#![cfg(feature = "rate-limiter")]

use std::{
    env::{self, consts::EXE_SUFFIX},
    path::PathBuf,
    process::{Command, Output},
};

/// Cargo builds examples for `cargo test`, next to the folder of the tests.
fn binary() -> PathBuf {
    let test = env::current_exe().expect("a test knows where it is");
    let profile = test.ancestors().nth(2).expect("tests are in a folder of their profile");
    let binary = profile.join("examples").join(format!("storefront{EXE_SUFFIX}"));
    assert!(
        binary.is_file(),
        "the example is not built: `cargo test` builds it, as does `cargo build --example storefront`"
    );
    binary
}

fn storefront(options: &[&str]) -> Output {
    let mut command = Command::new(binary());
    // The calls stay on this machine, whatever the environment says.
    command.env("http_proxy", "http://127.0.0.1:9");
    command.args(options).output().expect("the example starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the output is text")
}

/// The numbers of the row that begins with `name`; those that are `-` are left out.
fn numbers(output: &str, name: &str) -> Vec<u64> {
    let row = output.lines().find_map(|line| line.trim().strip_prefix(name));
    let row = row.unwrap_or_else(|| panic!("no row `{name}` in:\n{output}"));
    row.split_whitespace().filter_map(|cell| cell.parse().ok()).collect()
}

/// What the server refused according to the summary: without the limiter, and with it.
fn refused(output: &str) -> [u64; 2] {
    let numbers = numbers(output, "of these, refused by the server (429)");
    numbers.try_into().expect("two runs")
}

#[test]
fn with_the_limiter_the_server_refuses_nothing() {
    let output = storefront(&["--seconds", "2", "--period", "2s", "--permits", "5"]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");

    assert!(stdout.starts_with("storefront: "), "{stdout}");
    let (first, rest) = stdout.split_once("2. With the limiter").expect("two runs");
    let (second, summary) = rest.split_once("Summary").expect("a summary");
    assert!(first.contains("1. Without the limiter"), "{stdout}");

    let [without, with] = refused(summary);
    assert!(without > 0, "{stdout}");
    assert_eq!(with, 0, "{stdout}");
    // The last column is what the server refused.
    let in_rows = |run| ["1 s", "2 s"].iter().filter_map(|row| numbers(run, row).pop()).sum();
    assert_eq!([without, with], [first, second].map(in_rows), "{stdout}");

    let busiest = numbers(summary, "most in one window (quota: 10)")[1];
    assert!((1..=10).contains(&busiest), "{stdout}");
    let conclusion = summary.lines().last().expect("a conclusion");
    let expected = "With the limiter the server refused none of ";
    assert!(conclusion.starts_with(expected), "{stdout}");
}

#[test]
fn a_quota_that_is_too_small_is_told_and_fails() {
    let output = storefront(&["--seconds", "1", "--period", "1s", "--permits", "10", "--quota", "10"]);
    let stdout = text(&output.stdout);

    assert_eq!(output.status.code(), Some(1), "{stdout}");
    assert!(stdout.contains("expect refusals"), "{stdout}");
    assert!(refused(stdout)[1] > 0, "{stdout}");
    assert!(stdout.contains("the server still refused "), "{stdout}");
    assert!(stdout.contains("The quota must be at least 20."), "{stdout}");
}

#[test]
fn in_a_file_the_output_is_plain_and_narrow() {
    let output = storefront(&["--seconds", "1"]);
    for line in text(&output.stdout).lines() {
        assert!(line.chars().count() <= 100, "{line}");
        assert!(!line.contains('\x1b'), "{line:?}");
    }
}

#[test]
fn help_names_every_option() {
    let output = storefront(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    for option in ["permits", "period", "max-wait", "quota", "clients", "seconds"] {
        assert!(text(&output.stdout).contains(&format!("--{option} <")), "{option}");
    }
}

#[test]
fn bad_options_are_told_with_their_code_before_anything_starts() {
    for (option, value, code) in [
        ("--permits", "0", "R4C-ATR-003"),
        ("--period", "0s", "R4C-ATR-002"),
        ("--period", "19ns", "R4C-ATR-005"),
        ("--period", "soon", "R4C-ATR-001"),
        ("--max-wait", "soon", "R4C-ATR-001"),
    ] {
        let output = storefront(&[option, value]);
        assert_eq!(output.status.code(), Some(2), "{option} {value}");
        assert!(text(&output.stderr).contains(code), "{option} {value}: {output:?}");
        assert!(output.stdout.is_empty(), "{option} {value}: {output:?}");
    }
}
