//! Versions, as `Cargo.lock` has them.

use anyhow::{Context, Result};
use toml::{Table, Value};
use xshell::Shell;

pub(super) fn version(sh: &Shell, package: &str) -> Result<String> {
    let lock: Table = sh.read_file("Cargo.lock")?.parse()?;
    find(&lock, package).with_context(|| format!("Cargo.lock has no {package}"))
}

fn find(lock: &Table, package: &str) -> Option<String> {
    let packages = lock.get("package")?.as_array()?;
    let found = packages.iter().find(|it| it.get("name").and_then(Value::as_str) == Some(package))?;
    Some(found.get("version")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn the_version_is_that_of_the_package() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n[[package]]\nname = \"a-b\"\nversion = \"2.0.0\"";
        let lock = lock.parse().unwrap();
        assert_eq!(find(&lock, "a-b").as_deref(), Some("2.0.0"));
        assert_eq!(find(&lock, "b"), None);
    }
}
