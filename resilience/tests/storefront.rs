//! The example `storefront`, run as a user runs it.
//!
//! Where a test counts what passes the limiter, the period is as long as the run: the server has one window, which sees the permits of the run
//! and no others, however late calls are on a busy machine.

use std::{
    env::{self, consts::EXE_SUFFIX},
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Command, Output, Stdio},
    time::Duration,
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

fn command(options: &[&str]) -> Command {
    let mut command = Command::new(binary());
    // The calls stay on this machine, whatever the environment says.
    command.env("http_proxy", "http://127.0.0.1:9").args(options);
    command
}

/// In a file, all that it says is plain and narrow.
fn storefront(options: &[&str]) -> Output {
    let output = command(options).output().expect("the example starts");
    for line in text(&output.stdout).lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(!line.contains('\x1b'), "{line:?}");
    }
    output
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

/// The two times of the row that begins with `name`: `2.0 s` and `405 ms`, say.
fn times(output: &str, name: &str) -> [Duration; 2] {
    let row = output.lines().find_map(|line| line.trim().strip_prefix(name)).expect("a row");
    let cells: Vec<_> = row.split_whitespace().collect();
    let time = |cells: &[&str]| match cells {
        [value, "s"] => Duration::from_secs_f64(value.parse().expect("a number")),
        [value, "ms"] => Duration::from_millis(value.parse().expect("a number")),
        _ => panic!("no time: {row}"),
    };
    let times: Vec<_> = cells.chunks(2).map(time).collect();
    times.try_into().expect("two runs")
}

#[test]
fn the_stack_keeps_the_shop_open_through_an_outage() {
    let output = storefront(&["outage", "--seconds", "1", "--patience", "1500ms"]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    assert!(stdout.starts_with("storefront outage: "), "{stdout}");
    let (plain, rest) = stdout.split_once("2. Stack: with all policies").expect("two runs");
    let (stack, summary) = rest.split_once("Summary").expect("a summary");

    // Both runs see the same script.
    let steps = ["1 healthy", "2 slow", "3 failing", "4 hanging", "5 healthy", "6 healthy"];
    for run in [plain, stack] {
        let rows: Vec<_> = run.lines().filter(|line| steps.iter().any(|step| line.trim().starts_with(step))).collect();
        assert_eq!(rows.len(), steps.len(), "{stdout}");
    }

    // What the customers saw.
    let [errors_plain, errors_stack] = numbers(summary, "shown an error").try_into().expect("two runs");
    assert!(errors_plain > 0 && errors_stack == 0, "{stdout}");
    assert!(numbers(summary, "told yesterday's price")[0] > 0, "{stdout}");
    assert!(numbers(summary, "told the price").iter().all(|it| *it > 0), "{stdout}");
    // Neither tried again nor covered up.
    assert!(numbers(summary, "told that it is not sold (404)")[1] > 0, "{stdout}");
    let [plain_wait, stack_wait] = times(summary, "longest wait");
    assert!(plain_wait > stack_wait && stack_wait <= Duration::from_millis(1_500), "{stdout}");

    // What the service saw.
    let [sent_plain, sent_stack] =
        numbers(summary, "calls that reached the sick service").try_into().expect("two runs");
    assert!(sent_plain > sent_stack && sent_stack > 0, "{stdout}");

    // What the policies did.
    let opened = stack.find("closed -> open (failure_rate: ").expect("the breaker opened");
    let closed = stack.rfind("half_open -> closed (probes_succeeded: ").expect("it closed");
    assert!(opened < closed, "{stdout}");
    assert!(!plain.contains(" -> "), "{stdout}");
    for what in ["made again by the retry", "cut off by the timeout", "rejected by the open breaker"] {
        assert!(numbers(summary, &format!("attempts {what}"))[0] > 0, "{what}: {stdout}");
    }
    assert!(numbers(summary, "attempts rejected by the full bulkhead")[0] > 0, "{stdout}");
    assert_eq!(summary.matches("kept  ").count(), 3, "{stdout}");
    assert!(summary.contains("The stack won: 0 calls instead of "), "{stdout}");
}

#[test]
fn a_broken_promise_is_told_and_fails() {
    let output = storefront(&["outage", "--seconds", "1", "--patience", "1ms"]);
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    assert!(stdout.contains("The promise is 1ms: expect a broken promise."), "{stdout}");
    assert!(stdout.contains("broken  no customer waited longer than 1ms"), "{stdout}");
    assert!(stdout.contains("The stack broke 1 of 3 promises: "), "{stdout}");
}

/// What the server refused according to the summary: without the limiter, and with it.
fn refused(output: &str) -> [u64; 2] {
    let numbers = numbers(output, "of these, refused by the server (429)");
    numbers.try_into().expect("two runs")
}

#[test]
fn with_the_limiter_the_server_refuses_nothing() {
    let output = storefront(&["quota", "--seconds", "2", "--period", "2s", "--permits", "5"]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");

    assert!(stdout.starts_with("storefront quota: "), "{stdout}");
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
    let output = storefront(&["quota", "--seconds", "1", "--period", "1s", "--permits", "10", "--quota", "10"]);
    let stdout = text(&output.stdout);

    assert_eq!(output.status.code(), Some(1), "{stdout}");
    assert!(stdout.contains("expect refusals"), "{stdout}");
    assert!(refused(stdout)[1] > 0, "{stdout}");
    assert!(stdout.contains("the server still refused "), "{stdout}");
    assert!(stdout.contains("The quota must be at least 20."), "{stdout}");
}

#[test]
fn without_a_command_the_outage_is_played_until_nobody_reads() {
    let mut child = command(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the example starts");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut first).expect("a line");
    assert!(first.starts_with("storefront outage: "), "{first}");

    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr), "");
}

/// A folder of its own with a configuration in it.
fn folder(name: &str, configuration: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("resilience-storefront-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("shop.toml"), configuration).expect("a file");
    folder
}

#[test]
fn a_change_of_the_configuration_shows_in_the_running_table() {
    for (name, options, table, id) in [
        ("outage", &["outage", "--seconds", "1", "--patience", "1500ms"][..], "2. Stack", "prices"),
        ("quota", &["quota", "--seconds", "4"], "2. With the limiter", "storefront"),
    ] {
        let text = |wait: &str| format!("[instances.{id}.rate_limiter]\nmax_wait = {wait}\n");
        let folder = folder(name, &text("'10ms'"));
        let mut command = command(options);
        command.args(["--config", "shop.toml"]).current_dir(&folder).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the example starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map(|line| line.expect("text"));
        let mut see = |what: &str| {
            let found = lines.find(|line| line.contains(what));
            found.unwrap_or_else(|| panic!("{name}: nobody said {what}"))
        };
        see("What shop.toml says beats these numbers.");
        see(table);

        fs::write(folder.join("shop.toml"), text("'20ms'")).expect("written");
        see(&format!(" s  rate_limiter `{id}`: max_wait 10ms -> 20ms (shop.toml:2)"));
        fs::write(folder.join("shop.toml"), text("5")).expect("written");
        see(" s  R4C-CFG-004: ");
        see(&format!("shop.toml:2: `instances.{id}.rate_limiter.max_wait = 5`: "));

        see("Summary");
        lines.for_each(drop);
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{name}");
        fs::remove_dir_all(folder).expect("gone");
    }
}

#[test]
fn the_configuration_beside_the_example_is_valid() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/storefront");
    let mut command = command(&["quota", "--seconds", "1", "--config", "storefront.toml"]);
    let output = command.current_dir(folder).output().expect("the example starts");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_configuration_that_is_wrong_is_told_before_anything_starts() {
    let folder = folder("wrong", "[instances.prices.rate_limiter]\npermit = 3\n");
    for (file, code) in [("shop.toml", "did you mean `permits`? (R4C-CFG-001)"), ("nobody.toml", "R4C-CFG-003")] {
        for scenario in ["outage", "quota"] {
            let mut command = command(&[scenario, "--config", file]);
            let output = command.current_dir(&folder).output().expect("the example starts");
            assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{output:?}");
            assert!(text(&output.stderr).contains(code), "{output:?}");
        }
    }
    fs::remove_dir_all(folder).expect("gone");
}

/// Ends with the test.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// The lines of the answer.
fn ask(address: &str, method: &str, path: &str) -> impl Iterator<Item = String> {
    let mut stream = TcpStream::connect(address).expect("the shop is open");
    let request = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    BufReader::new(stream).lines().map(|line| line.expect("text"))
}

#[test]
fn the_first_minute_with_the_dashboard_is_as_its_page_says() {
    let mut child = command(&["shop", "--address", "127.0.0.1:0"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut said = BufReader::new(child.stdout.take().expect("piped")).lines().map(|line| line.expect("text"));
    let _running = Running(child);
    let desk = said.next().expect("a line");
    let address = desk.split_once("http://").and_then(|(_, it)| it.strip_suffix('/')).expect("an address").to_owned();
    assert!(said.next().expect("a line").ends_with("/resilience/"));

    let mut frames = ask(&address, "GET", "/resilience/stream").filter(|line| line.starts_with("data: "));
    let mut see = |state: &str| {
        let mine = |frame: &str| {
            let tile = frame.split("{\"id\":").find(|tile| tile.starts_with("\"prices\"")).unwrap_or_default();
            tile.contains(&format!("\"state\":\"{state}\""))
        };
        assert!(frames.by_ref().take(60).any(|frame| mine(&frame)), "it was not {state} within a minute");
    };
    see("closed");
    assert_eq!(ask(&address, "POST", "/prices/broken").next().expect("a status"), "HTTP/1.1 303 See Other");
    see("open");
    ask(&address, "POST", "/prices/healthy").next().expect("a status");
    see("closed");
}

#[test]
fn help_names_every_option() {
    let outage = ["seconds", "customers", "timeout", "patience", "config", "metrics"].as_slice();
    let quota = ["permits", "period", "max-wait", "quota", "clients", "seconds", "config"].as_slice();
    let shop = ["address", "visitors", "config", "metrics"].as_slice();
    let all = [outage, quota, shop].concat();
    for (arguments, options) in [
        (&["--help"][..], &*all),
        (&["outage", "--help"], outage),
        (&["quota", "--help"], quota),
        (&["shop", "--help"], shop),
    ] {
        let output = storefront(arguments);
        let stdout = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0));
        for option in options {
            assert!(stdout.contains(&format!("--{option} <")), "{option}: {stdout}");
        }
        if arguments[0] != "shop" {
            assert!(stdout.contains("Exit code: 0 if "), "{stdout}");
        }
    }
}

#[test]
fn bad_options_are_told_with_their_code_before_anything_starts() {
    for (scenario, option, value, code) in [
        ("outage", "--timeout", "0s", "R4C-ATR-002"),
        ("outage", "--timeout", "soon", "R4C-ATR-001"),
        ("outage", "--patience", "soon", "R4C-ATR-001"),
        ("quota", "--permits", "0", "R4C-ATR-003"),
        ("quota", "--period", "0s", "R4C-ATR-002"),
        ("quota", "--period", "19ns", "R4C-ATR-005"),
        ("quota", "--period", "soon", "R4C-ATR-001"),
        ("quota", "--max-wait", "soon", "R4C-ATR-001"),
    ] {
        let output = storefront(&[scenario, option, value]);
        assert_eq!(output.status.code(), Some(2), "{option} {value}");
        assert!(text(&output.stderr).contains(code), "{option} {value}: {output:?}");
        assert!(output.stdout.is_empty(), "{option} {value}: {output:?}");
    }
}
