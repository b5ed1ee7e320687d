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
    let shipped =
        args.release.then_some(["--release", "--lib", "--bins", "--tests", "--examples"].iter().chain(&UNPUBLISHED));
    let shipped = shipped.into_iter().flatten();
    cmd!(sh, "cargo test --workspace --all-features {shipped...}").run()?;
    Ok(())
}
