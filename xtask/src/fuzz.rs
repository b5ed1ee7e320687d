//! `cargo xtask fuzz`: any configuration and any operations against the limiter, for a while.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::tree::target_dir;

const FOLDER: &str = "resilience-ratelimiter/fuzz";
const TARGET: &str = "limiter";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long.
    #[arg(long, default_value_t = 30, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    if cmd!(sh, "cargo fuzz --version").quiet().ignore_stdout().ignore_stderr().run().is_err() {
        cmd!(sh, "cargo install --locked --debug cargo-fuzz@^0.13").run().context("cargo-fuzz cannot be installed")?;
    }
    let _target = sh.push_env("CARGO_TARGET_DIR", target_dir("fuzz"));
    let time = format!("-max_total_time={}", args.seconds);
    // Without a sanitizer, which a stable compiler does not have: there is no unsafe code that it could watch.
    cmd!(sh, "cargo fuzz run --fuzz-dir {FOLDER} --sanitizer none {TARGET} -- {time} -max_len=2048").run()?;
    println!("fuzz: {TARGET} ran for {} s and found nothing", args.seconds);
    Ok(())
}
