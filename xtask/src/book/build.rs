//! The book as HTML, under `target/book/html`.

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use super::{assemble, html};
use crate::finding;
use crate::pages::Language;
use crate::tree::{Tree, target_dir};

pub(crate) fn build(sh: &Shell) -> Result<()> {
    if cmd!(sh, "mdbook --version").quiet().ignore_stdout().ignore_stderr().run().is_err() {
        // Without its server; an unoptimised build takes half the time, and the book is small.
        let install = cmd!(sh, "cargo install --locked --debug --no-default-features --features search mdbook@^0.5");
        install.run().context("mdbook cannot be installed")?;
    }
    draw(sh)?;
    let html = target_dir("book").join("html");
    sh.remove_path(&html)?;
    let tree = Tree::read(sh)?;
    for language in Language::ALL {
        let book = assemble::write(sh, &tree, language)?;
        let to = html.join(language.pick("en", "es"));
        cmd!(sh, "mdbook build --dest-dir {to} {book}").quiet().run()?;
    }
    // Links to docs.rs lead to what rustdoc writes here.
    let _flags = sh.push_env("RUSTDOCFLAGS", "-D warnings");
    cmd!(sh, "cargo doc --workspace --all-features --no-deps --quiet").run()?;
    let count = finding::report("the book opens without a network", html::local(&html)?)
        + finding::report("links lead somewhere", html::broken(&html)?)
        + finding::report("documentation has what is linked to", html::undocumented(&html, &target_dir("doc"))?);
    ensure!(count == 0, "the book has faults: {count}");
    println!("book: {}", html.join("en/index.html").display());
    Ok(())
}

/// Has the policies draw what the pages show of them; fails if that was something else.
fn draw(sh: &Shell) -> Result<()> {
    let drawings = || -> Result<Vec<(String, String)>> {
        let drawn = Tree::read(sh)?.files.into_iter().filter(|it| it.path.starts_with("docs/plots/"));
        Ok(drawn.map(|it| (it.path, it.text)).collect())
    };
    let shown = drawings()?;
    cmd!(sh, "cargo run --quiet -p resilience-benches --example plots").ignore_stdout().run()?;
    ensure!(shown == drawings()?, "policies behave otherwise than docs/plots showed: look at what is drawn there now");
    Ok(())
}
