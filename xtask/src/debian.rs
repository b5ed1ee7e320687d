//! What is taken from Debian's packages, so that nothing has to download a toolchain.

use anyhow::Result;
use xshell::{Shell, cmd};

/// Installs packages, each as `name` or `name=version`; or says why it cannot.
pub(crate) fn install(sh: &Shell, packages: &[String]) -> Result<Result<(), String>> {
    let list = packages.join(", ");
    if cmd!(sh, "apt-get --version").quiet().ignore_stdout().ignore_stderr().run().is_err() {
        return Ok(Err(format!("no apt-get here to install {list}")));
    }
    if cmd!(sh, "id -u").quiet().read()? != "0" {
        return Ok(Err(format!("only root can install Debian's {list}")));
    }
    cmd!(sh, "apt-get update --quiet").run()?;
    for package in packages {
        let (name, version) = package.split_once('=').unwrap_or((package, ""));
        let offered = cmd!(sh, "apt-cache madison {name}").quiet().read()?;
        if !offered.contains(&format!(" {}", version.trim_end_matches('*'))) {
            return Ok(Err(format!("this Debian offers no {package}")));
        }
    }
    cmd!(sh, "apt-get install --quiet --yes --no-install-recommends {packages...}")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .run()?;
    Ok(Ok(()))
}

/// Debian's compiler for browsers, installed if need be; or why there is none.
pub(crate) fn rustc(sh: &Shell, version: &str) -> Result<Result<String, String>> {
    const RUSTC: &str = "/usr/bin/rustc";
    let said = cmd!(sh, "{RUSTC} --version").quiet().ignore_stderr().read().unwrap_or_default();
    if said.starts_with(&format!("rustc {version}.")) {
        return Ok(Ok(RUSTC.to_owned()));
    }
    let packages = ["rustc-web", "libstd-rust-web-dev"].map(|package| format!("{package}={version}.*"));
    Ok(install(sh, &packages)?.map(|()| RUSTC.to_owned()))
}
