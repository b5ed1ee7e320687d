//! A compiler whose standard library can be built: with a sanitizer, or for a target that rustup was not asked for.
//!
//! The library's source is there if rustup has the component `rust-src`; else Debian's compiler is taken, which is as old
//! as the oldest that the workspace supports, with the source that Debian has for it.

use std::path::Path;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::{debian, msrv, tree::Tree};

pub(crate) struct Compiler {
    pub(crate) rustc: String,
    pub(crate) host: String,
    /// Whether it is Debian's, not rustup's.
    pub(crate) debian: bool,
}

/// In a sysroot: there if the source is.
const SOURCE: &str = "lib/rustlib/src/rust/library/std/Cargo.toml";

/// The compiler in use if it has its source, else Debian's; or why there is none.
pub(crate) fn compiler(sh: &Shell) -> Result<Result<Compiler, String>> {
    let host = said(sh, "rustc", "host: ")?;
    let sysroot = cmd!(sh, "rustc --print sysroot").quiet().read()?;
    if Path::new(&sysroot).join(SOURCE).is_file() {
        return Ok(Ok(Compiler { rustc: "rustc".to_owned(), host, debian: false }));
    }
    let version = msrv::supported(&Tree::read(sh)?).context("Cargo.toml has no workspace.package.rust-version")?;
    let rustc = match debian::rustc(sh, &version)? {
        Ok(rustc) => rustc,
        Err(why) => return Ok(Err(format!("rustup has no rust-src, and {why}"))),
    };
    if !Path::new("/usr").join(SOURCE).is_file() {
        if let Err(why) = debian::install(sh, &[format!("rust-web-src={version}.*")])? {
            return Ok(Err(why));
        }
    }
    Ok(Ok(Compiler { rustc, host, debian: true }))
}

/// What a compiler says of itself.
pub(crate) fn said(sh: &Shell, rustc: &str, label: &str) -> Result<String> {
    let text = cmd!(sh, "{rustc} -vV").quiet().read()?;
    let value = text.lines().find_map(|line| line.strip_prefix(label));
    value.map(ToOwned::to_owned).with_context(|| format!("{rustc} -vV does not say `{label}`"))
}
