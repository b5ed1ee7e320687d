//! `cargo xtask keys`: the pages of the configuration, with every key of every policy.

mod page;
mod row;

use anyhow::{Result, ensure};
use xshell::Shell;

use crate::{finding, pages, tree::Tree};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if a page differs or a key is not explained in every language.
    #[arg(long)]
    pub(crate) check: bool,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    let rows = row::Rows::read()?;
    let rendered = page::render(&rows);
    if !args.check {
        return pages::write(sh, &rendered);
    }
    let stale = pages::stale(&Tree::read(sh)?, &rendered, "cargo xtask keys");
    let count = finding::report("every key is explained", rows.complete())
        + finding::report("the pages are as the tables say", stale);
    ensure!(count == 0, "keys found faults: {count}");
    println!("keys: every key is explained in {} languages", rendered.len());
    Ok(())
}
