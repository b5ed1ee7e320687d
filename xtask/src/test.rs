//! `cargo xtask test`: every target and doctest of the workspace with all features.

use anyhow::Result;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Test what is shipped: optimised, without debug assertions.
    #[arg(long)]
    pub(crate) release: bool,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    let profile = args.release.then_some("--release");
    cmd!(sh, "cargo test --workspace --all-features {profile...}").run()?;
    Ok(())
}
