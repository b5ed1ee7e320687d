//! `cargo xtask test`: every target and doctest of the workspace with all features; optimised, the tests of what is
//! published.

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::ci::UNPUBLISHED;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Test what is shipped: optimised, without debug assertions.
    #[arg(long)]
    pub(crate) release: bool,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    let what = ["--workspace", "--all-features"];
    if args.release {
        let what = &[&what[..], &UNPUBLISHED, &["--release"]].concat();
        // Tests run the examples; told which targets to test, cargo makes none that can be run.
        cmd!(sh, "cargo build {what...} --examples").run()?;
        cmd!(sh, "cargo test {what...} --lib --bins --tests").run()?;
    } else {
        cmd!(sh, "cargo test {what...}").run()?;
    }
    Ok(())
}
