//! The program `resilience-config`, run as an operator runs it.

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::{Value, json};

/// A folder of its own, gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("resilience-check-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn file(self, name: &str, text: &str) -> Self {
        fs::write(self.0.join(name), text).expect("a file");
        self
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, &[])
    }

    fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_resilience-config"));
        command.current_dir(&self.0).args(arguments).envs(variables.iter().copied());
        command.output().expect("the program starts")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the output is text")
}

/// What `check` says of one file, line by line.
fn wrong(name: &str, file: &str, content: &str) -> Vec<String> {
    let output = Folder::new(name).file(file, content).run(&["check", file]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""), "{content}");
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn files_without_problems_are_fine() {
    let folder = Folder::new("fine")
        .file("a.toml", "[defaults.retry]\nmax_attempts = 4\n")
        .file("b.yaml", "instances:\n  search:\n    retry:\n      delay: 1s\n")
        .file("c.json", "{\"configs\": {\"slow\": {\"timeout\": {\"timeout\": \"9s\"}}}}");
    let output = folder.run(&["check", "a.toml", "b.yaml", "c.json"]);
    assert_eq!((output.status.code(), text(&output.stdout), text(&output.stderr)), (Some(0), "no problems\n", ""));
    let output = folder.run(&["check", "a.toml", "--format", "json"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "[]\n"));
}

#[test]
fn each_kind_of_mistake_is_told_with_its_line_and_code() {
    for (at, (content, line, code)) in [
        ("[defaults.retry]\njitter = 'ful'\n", 2, "R4C-ATR-011"),
        ("[defaults.retry]\nretries = 3\n", 2, "R4C-CFG-001"),
        ("[default.retry]\ndelay = '1s'\n", 1, "R4C-CFG-001"),
        ("[instances.a.rate_limiter]\nperiod = '1 sec'\n", 2, "R4C-ATR-001"),
        ("[instances.a.rate_limiter]\npermits = 0\n", 2, "R4C-ATR-003"),
        ("[instances.a.rate_limiter]\nconfig = 'slow'\n", 2, "R4C-REG-004"),
        ("[configs.a.retry]\nbase = 'a'\n", 2, "R4C-CFG-006"),
        ("[instances.a.retry]\nabort_on = ['busy']\n", 2, "R4C-ATR-011"),
        ("[instances.a.circuit_breaker]\nwindow_size = 5\nminimum_calls = 9\n", 3, "R4C-ATR-005"),
        ("[configs.a.retry]\ndelay = '9s'\nmax_delay = '1s'\n", 3, "R4C-ATR-005"),
        ("[defaults.retry]\nmax_delay = '1ms'\n", 2, "R4C-ATR-005"),
    ]
    .into_iter()
    .enumerate()
    {
        let lines = wrong(&format!("mistake-{at}"), "app.toml", content);
        assert_eq!(lines.len(), 1, "{content}{lines:?}");
        assert!(lines[0].starts_with(&format!("app.toml:{line}: `")), "{content}{lines:?}");
        assert!(lines[0].ends_with(&format!(" ({code})")), "{content}{lines:?}");
    }
}

#[test]
fn files_that_cannot_be_read_are_told() {
    for (at, (file, content)) in
        [("a.toml", "[defaults.retry\n"), ("a.yaml", "a: [b"), ("a.json", "{"), ("a.ini", "")].into_iter().enumerate()
    {
        let lines = wrong(&format!("unreadable-{at}"), file, content);
        assert!(lines.len() == 1 && lines[0].starts_with(&format!("`{file}`: ")), "{lines:?}");
        assert!(lines[0].ends_with(" (R4C-CFG-003)"), "{lines:?}");
    }
    let output = Folder::new("missing").run(&["check", "nobody.toml"]);
    assert!(output.status.code() == Some(1) && text(&output.stdout).starts_with("`nobody.toml`: "), "{output:?}");
}

/// Where a contradiction is, it is told, and once: not again for each instance below.
#[test]
fn what_layers_make_together_is_checked_for_instances_that_nobody_runs() {
    let both = "[defaults.circuit_breaker]\nminimum_calls = 30\n[instances.a.circuit_breaker]\nwindow_size = 20\n\
                [instances.b.circuit_breaker]\nwindow_size = 30\n";
    let lines = wrong("together", "app.toml", both);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let told = "app.toml:2: `instances.a.circuit_breaker.minimum_calls = 30`: ";
    assert!(lines[0].starts_with(told) && lines[0].contains("at most `window_size = 20`"), "{lines:?}");

    let below = "[defaults.circuit_breaker]\nwindow_size = 20\nminimum_calls = 30\n[configs.c.circuit_breaker]\n\
                 on_dropped = 'failure'\n[instances.a.circuit_breaker]\nconfig = 'c'\n[instances.b.circuit_breaker]\n";
    let lines = wrong("below", "app.toml", below);
    assert!(lines.len() == 1 && lines[0].contains("`defaults.circuit_breaker.minimum_calls"), "{lines:?}");
}

#[test]
fn all_problems_of_all_files_are_told_together_also_as_json() {
    let folder = Folder::new("json")
        .file("a.toml", "[instances.\"a \\\"b\\\"\".retry]\njitter = 'ful'\n")
        .file("b.json", "{\"defaults\": {\"timeout\": {\n\"timeout\": 5}}}");
    let output = folder.run(&["check", "a.toml", "b.json", "--format=json"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
    let problems: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expected = json!([
        {
            "code": "R4C-ATR-011",
            "path": "instances.a \"b\".retry.jitter",
            "value": "ful",
            "allowed": "none, full, equal, decorrelated",
            "nearest": "full",
            "place": "a.toml:2",
        },
        {
            "code": "R4C-ATR-001",
            "path": "defaults.timeout.timeout",
            "value": "5",
            "allowed": "a duration with its unit, such as 1m30s, more than 0",
            "nearest": null,
            "place": "b.json:2",
        },
    ]);
    assert_eq!(problems, expected);
}

#[test]
fn the_environment_is_read_if_asked() {
    let folder = Folder::new("env").file("a.toml", "[instances.a-b.bulkhead]\nmax_concurrent = 3\n");
    let bad = [("RESILIENCE__INSTANCES__A_B__BULKHEAD__MAX_CONCURRENT", "0")];
    assert_eq!(folder.run_with(&["check", "a.toml"], &bad).status.code(), Some(0));
    let output = folder.run_with(&["check", "a.toml", "--env"], &bad);
    assert!(output.status.code() == Some(1) && text(&output.stdout).contains("(R4C-ATR-003)"), "{output:?}");

    // An id that only variables name is checked as a whole too, and what looks misspelt is a warning.
    let contradiction = [("RESILIENCE__INSTANCES__GEO__RETRY__MAX_DELAY", "1ms")];
    let output = folder.run_with(&["check", "--env"], &contradiction);
    assert!(text(&output.stdout).contains("`instances.GEO.retry.max_delay = 1ms`"), "{output:?}");
    let misspelt = [("RESILIENCE_DEFAULTS_RETRY_DELAY", "1s")];
    let output = folder.run_with(&["check", "--env"], &misspelt);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "no problems\n"));
    assert!(text(&output.stderr).starts_with("warning: `RESILIENCE_DEFAULTS_RETRY_DELAY`"), "{output:?}");
}

#[test]
fn kinds_of_the_service_can_be_named() {
    let folder = Folder::new("kinds").file("a.toml", "[defaults.retry]\nabort_on = ['busy']\n");
    assert_eq!(folder.run(&["check", "a.toml"]).status.code(), Some(1));
    assert_eq!(folder.run(&["check", "a.toml", "--kind", "busy"]).status.code(), Some(0));
    let output = folder.run(&["check", "a.toml", "--kind", "Busy"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("lower case"), "{output:?}");
}

#[test]
fn print_shows_what_holds_and_it_passes_the_check() {
    let folder = Folder::new("print")
        .file("a.toml", "[configs.slow.timeout]\ntimeout = '9s'\n[instances.\"a.b\".timeout]\nconfig = 'slow'\n")
        .file("b.toml", "[instances.\"a.b\".timeout]\nenabled = false\n");
    let output = folder.run(&["print", "a.toml", "b.toml"]);
    let expected = "[instances.\"a.b\".timeout]\ntimeout = \"9s\"  # a.toml:2\nenabled = false  # b.toml:2\n";
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), expected));
    let folder = folder.file("c.toml", expected);
    assert_eq!(folder.run(&["check", "c.toml"]).status.code(), Some(0));

    let folder = folder.file("d.toml", "[defaults.retry]\njitter = 'ful'\n");
    let output = folder.run(&["print", "d.toml"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""));
    assert!(text(&output.stderr).starts_with("d.toml:2: `defaults.retry.jitter"), "{output:?}");
}

#[test]
fn the_schema_is_printed() {
    let output = Folder::new("schema").run(&["schema"]);
    let schema: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &schema["type"]), (Some(0), &json!("object")));
}

#[test]
fn help_names_every_command_and_option() {
    let folder = Folder::new("help");
    for arguments in [&["--help"][..], &["-h"], &["check", "--help"]] {
        let output = folder.run(arguments);
        let help = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0));
        for word in ["check FILE..", "print FILE..", "schema", "--env", "--kind", "--format", "Exit code: 0 if "] {
            assert!(help.contains(word), "{word}: {help}");
        }
    }
    let version = format!("resilience-config {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&folder.run(&["--version"]).stdout), version);
}

#[test]
fn bad_usage_is_neither_fine_nor_a_problem_of_the_files() {
    let folder = Folder::new("usage");
    for arguments in [&[][..], &["chekc", "a.toml"], &["check"], &["check", "a.toml", "--format", "xml"]] {
        let output = folder.run(arguments);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{arguments:?}");
        assert!(text(&output.stderr).starts_with("error: "), "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_may_have_any_name() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new("name");
    let name = std::path::Path::new(std::ffi::OsStr::from_bytes(b"\xff.toml"));
    fs::write(folder.0.join(name), "[defaults.retry]\n").expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_resilience-config"));
    let status = command.current_dir(&folder.0).arg("check").arg(name).status().expect("it starts");
    assert_eq!(status.code(), Some(0));
}
