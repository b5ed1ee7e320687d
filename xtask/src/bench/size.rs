//! `cargo xtask bench size`: how much a binary grows by a call.

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::{
    How,
    results::{Binary, Measured, Results},
};

/// How many call sites each of the examples `size_<sites>` has.
const SITES: [u32; 2] = [1, 11];

pub(super) fn run(sh: &Shell, how: How, results: &mut Results) -> Result<()> {
    let binaries = SITES.into_iter().map(|sites| measure(sh, sites)).collect::<Result<Vec<_>>>()?;
    for it in &binaries {
        how.say(&format!("{:3} call site(s) {:9} bytes", it.sites, it.bytes));
    }
    results.binaries = Some(Measured::here(sh, "size", binaries)?);
    Ok(())
}

/// Builds it stripped, which the compiler does, and sees that its calls succeed.
fn measure(sh: &Shell, sites: u32) -> Result<Binary> {
    let example = format!("size_{sites}");
    let build = cmd!(sh, "cargo build --package resilience-benches --profile bench --example {example}");
    let said = build.args(["--config=profile.bench.strip=true", "--message-format=json"]).read()?;
    let path = said.lines().find_map(|line| executable(line, &example)).context("cargo named no executable")?;
    cmd!(sh, "{path}").run()?;
    Ok(Binary { sites, bytes: sh.read_binary_file(path)?.len() as u64 })
}

/// Where cargo put it, if the line is the message that says so.
fn executable(line: &str, example: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    (message["target"]["name"] == example).then(|| message["executable"].as_str().map(str::to_owned))?
}

#[cfg(test)]
mod tests {
    use super::executable;

    #[test]
    fn the_executable_is_that_of_the_example() {
        let line = r#"{"reason":"compiler-artifact","target":{"name":"size_1"},"executable":"/t/size_1"}"#;
        assert_eq!(executable(line, "size_1").as_deref(), Some("/t/size_1"));
        assert_eq!(executable(line, "size_11"), None);
        let library = r#"{"reason":"compiler-artifact","target":{"name":"size_1"},"executable":null}"#;
        assert_eq!(executable(library, "size_1"), None);
        assert_eq!(executable("error: no such example", "size_1"), None);
    }
}
