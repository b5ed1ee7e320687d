//! `cargo xtask tsan`: the tests with real threads, under `ThreadSanitizer`.
//!
//! The standard library has to be built with it as well, or its own locks look like races. Its source is there if rustup
//! has the component `rust-src`; else Debian's compiler is taken, with the source and the runtime that Debian has for it.

use std::path::Path;

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::{
    ci::Done,
    debian,
    std_source::{self, Compiler},
    tree::target_dir,
};

const CRATES: [&str; 2] = ["resilience-core", "resilience-ratelimiter"];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this crate.
    #[arg(value_name = "CRATE", value_parser = CRATES)]
    package: Option<String>,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<Done> {
    let Compiler { rustc, host, debian } = match std_source::compiler(sh)? {
        Ok(compiler) => compiler,
        Err(why) => return Ok(skipped(why)),
    };
    if host != "x86_64-unknown-linux-gnu" {
        return Ok(skipped(format!("it was tried on x86_64 Linux only, and this is {host}")));
    }
    let mut flags = vec!["-Zsanitizer=thread".to_owned()];
    if debian {
        match runtime(sh, &rustc)? {
            Ok(runtime) => flags.extend(linked(&runtime)),
            Err(why) => return Ok(skipped(why)),
        }
    }
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

fn skipped(why: String) -> Done {
    println!("tsan: skipped: {why}");
    Done::Skipped(why)
}

/// The sanitizer's own library, which Debian has apart from its compiler; or why there is none.
fn runtime(sh: &Shell, rustc: &str) -> Result<Result<String, String>> {
    let llvm = std_source::said(sh, rustc, "LLVM version: ")?;
    let llvm = llvm.split('.').next().unwrap_or_default();
    let runtime = format!("/usr/lib/llvm-{llvm}/lib/clang/{llvm}/lib/linux/libclang_rt.tsan-x86_64.a");
    if !Path::new(&runtime).is_file() {
        if let Err(why) = debian::install(sh, &[format!("libclang-rt-{llvm}-dev")])? {
            return Ok(Err(why));
        }
        ensure!(Path::new(&runtime).is_file(), "{runtime} is missing");
    }
    Ok(Ok(runtime))
}

/// Flags that link it before everything else, and with the libraries it leans on: it takes the place of what they define.
fn linked(runtime: &str) -> impl Iterator<Item = String> {
    let link = ["-Wl,--whole-archive", runtime, "-Wl,--no-whole-archive", "-Wl,--no-as-needed", "-lm", "-lc"];
    let link = link.map(|part| format!("-Zpre-link-arg={part}"));
    ["-Zexternal-clangrt".to_owned()].into_iter().chain(link)
}
