//! `cargo xtask tsan`: the tests with real threads, under `ThreadSanitizer`.
//!
//! The standard library has to be built with it as well, or its own locks look like races. Its source is there if rustup
//! has the component `rust-src`; else Debian's compiler is taken, with the source and the runtime that Debian has for it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::{
    ci::Done,
    msrv,
    tree::{Tree, target_dir},
};

const CRATES: [&str; 2] = ["resilience-core", "resilience-ratelimiter"];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this crate.
    #[arg(value_name = "CRATE", value_parser = CRATES)]
    package: Option<String>,
}

/// A compiler whose standard library can be built.
struct Compiler {
    rustc: String,
    host: String,
    flags: Vec<String>,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<Done> {
    let compiler = match compiler(sh)? {
        Ok(compiler) => compiler,
        Err(why) => {
            println!("tsan: skipped: {why}");
            return Ok(Done::Skipped(why));
        }
    };
    let Compiler { rustc, host, flags } = compiler;
    let _rustc = sh.push_env("RUSTC", rustc);
    // What builds the standard library is not yet stable.
    let _unstable = sh.push_env("RUSTC_BOOTSTRAP", "1");
    let _flags = sh.push_env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    let _target = sh.push_env("CARGO_TARGET_DIR", target_dir("tsan"));
    for package in CRATES.iter().filter(|name| args.package.as_deref().is_none_or(|asked| asked == **name)) {
        // Tests that run a compiler are none of its business.
        let cargo =
            cmd!(sh, "cargo test -Zbuild-std --target {host} --package {package} --all-features --lib --test it");
        cargo.args(["--", "--skip", "compile::"]).run()?;
    }
    Ok(Done::Passed)
}

/// The compiler in use if it has its source, else Debian's; or why there is none.
fn compiler(sh: &Shell) -> Result<Result<Compiler, String>> {
    let host = said(sh, "rustc", "host: ")?;
    if host != "x86_64-unknown-linux-gnu" {
        return Ok(Err(format!("it was tried on x86_64 Linux only, and this is {host}")));
    }
    let sysroot = cmd!(sh, "rustc --print sysroot").quiet().read()?;
    let mut flags = vec!["-Zsanitizer=thread".to_owned()];
    if Path::new(&sysroot).join(SOURCE).is_file() {
        return Ok(Ok(Compiler { rustc: "rustc".to_owned(), host, flags }));
    }
    let version = msrv::supported(&Tree::read(sh)?).context("Cargo.toml has no workspace.package.rust-version")?;
    let rustc = match msrv::debian(sh, &version)? {
        Ok(rustc) => rustc,
        Err(why) => return Ok(Err(format!("rustup has no rust-src, and {why}"))),
    };
    let llvm = said(sh, &rustc, "LLVM version: ")?;
    let llvm = llvm.split('.').next().unwrap_or_default();
    let runtime = format!("/usr/lib/llvm-{llvm}/lib/clang/{llvm}/lib/linux/libclang_rt.tsan-x86_64.a");
    if !Path::new("/usr").join(SOURCE).is_file() || !Path::new(&runtime).is_file() {
        if cmd!(sh, "id -u").quiet().read()? != "0" {
            return Ok(Err("only root can install Debian's source of the standard library".to_owned()));
        }
        let packages = [format!("rust-web-src={version}.*"), format!("libclang-rt-{llvm}-dev")];
        cmd!(sh, "apt-get install --quiet --yes --no-install-recommends {packages...}")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .run()?;
        ensure!(Path::new(&runtime).is_file(), "{runtime} is missing");
    }
    // Before everything else, and with the libraries it leans on: it takes the place of what they define.
    flags.push("-Zexternal-clangrt".to_owned());
    let link = ["-Wl,--whole-archive", &runtime, "-Wl,--no-whole-archive", "-Wl,--no-as-needed", "-lm", "-lc"];
    flags.extend(link.map(|part| format!("-Zpre-link-arg={part}")));
    Ok(Ok(Compiler { rustc, host, flags }))
}

/// In a sysroot: there if the source is.
const SOURCE: &str = "lib/rustlib/src/rust/library/std/Cargo.toml";

/// What a compiler says of itself.
fn said(sh: &Shell, rustc: &str, label: &str) -> Result<String> {
    let text = cmd!(sh, "{rustc} -vV").quiet().read()?;
    let value = text.lines().find_map(|line| line.strip_prefix(label));
    value.map(ToOwned::to_owned).with_context(|| format!("{rustc} -vV does not say `{label}`"))
}
