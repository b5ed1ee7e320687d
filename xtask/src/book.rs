//! `cargo xtask book`: the manual in English and Spanish. Its pages are `docs/en` and `docs/es`, twins of one another; those
//! of the policies are rendered from the documentation of their crates. Its examples run as doctests, see `book.rs` in the
//! facade; its configuration samples and what it says of `resilience-config` are tried by the facade's `tests/book.rs`.

mod assemble;
mod build;
mod commands;
mod examples;
mod html;
mod items;
mod links;
mod markdown;
mod passages;
mod policies;
mod rustdoc;
mod summary;
mod twins;

pub(crate) use build::build;
pub(crate) use markdown::{Block, blocks};

use anyhow::{Result, ensure};
use xshell::Shell;

use crate::{finding, pages, tree::Tree};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing and build nothing; fail if a page lacks its twin, differs from it or from its source, leads nowhere,
    /// or names a command that does not exist.
    #[arg(long)]
    pub(crate) check: bool,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    let (rendered, unknown) = policies::render(&Tree::read(sh)?);
    if !args.check {
        pages::write(sh, &rendered)?;
    }
    let tree = Tree::read(sh)?;
    let count: usize = [
        ("a name in a policy's page exists", unknown),
        ("a policy's page is that of its crate", pages::stale(&tree, &rendered, "cargo xtask book")),
        ("every page has its twin", twins::paired(&tree)),
        ("twins show the same", twins::alike(&tree)),
        ("every page is in the table of contents", summary::complete(&tree)),
        ("links lead somewhere", links::resolve(&tree)),
        ("a passage is the same wherever it stands", passages::alike(&tree)),
        ("examples run", examples::tested(&tree)),
        ("commands exist", commands::exist(&tree)),
    ]
    .into_iter()
    .map(|(rule, findings)| finding::report(rule, findings))
    .sum();
    ensure!(count == 0, "book found faults: {count}");
    println!("book: {} pages, in two languages", twins::pages(&tree).len());
    if args.check { Ok(()) } else { build(sh) }
}
