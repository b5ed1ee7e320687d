//! The oldest supported compiler, found on the machine or taken from Debian's packages; nothing downloads a toolchain.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::{
    ci::Done,
    debian,
    tree::{Tree, target_dir},
};

pub(crate) fn run(sh: &Shell) -> Result<Done> {
    let version = supported(&Tree::read(sh)?).context("Cargo.toml has no workspace.package.rust-version")?;
    let rustc = match rustup(sh, &version) {
        Some(rustc) => rustc,
        None => match debian::rustc(sh, &version)? {
            Ok(rustc) => rustc,
            Err(why) => return Ok(Done::Skipped(why)),
        },
    };
    let _rustc = sh.push_env("RUSTC", rustc);
    let _target = sh.push_env("CARGO_TARGET_DIR", target_dir("msrv"));
    cmd!(sh, "cargo check --workspace --all-features").run()?;
    Ok(Done::Passed)
}

pub(crate) fn supported(tree: &Tree) -> Option<String> {
    let manifest = tree.manifest("Cargo.toml");
    let version = manifest.get("workspace")?.get("package")?.get("rust-version")?.as_str()?;
    Some(version.to_owned())
}

fn rustup(sh: &Shell, version: &str) -> Option<String> {
    let which = cmd!(sh, "rustup which --toolchain {version} rustc").env("RUSTUP_AUTO_INSTALL", "0");
    which.quiet().ignore_stderr().read().ok()
}

#[cfg(test)]
mod tests {
    use super::supported;
    use crate::tree::Tree;

    #[test]
    fn the_version_is_the_workspaces() {
        let tree = Tree::of(&[("Cargo.toml", "[workspace.package]\nrust-version = \"1.85\"")]);
        assert_eq!(supported(&tree).as_deref(), Some("1.85"));
    }
}
