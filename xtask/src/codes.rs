//! `cargo xtask codes`: the pages of the error codes, and that each code is explained, tested and has one meaning.

mod entry;
mod html;
mod meaning;
mod mention;
mod page;
mod tested;

use anyhow::{Result, ensure};
use resilience_keys::Code;
use xshell::Shell;

use crate::{finding, pages, tree::Tree};
use mention::{Mention, Role};

#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Write nothing; fail if a page differs, or if a code lacks an entry, a test or a meaning of its own.
    #[arg(long)]
    pub(crate) check: bool,
    /// Write nothing; list where each code is reported and how many tests provoke it.
    #[arg(long, conflicts_with = "check")]
    pub(crate) list: bool,
}

pub(crate) fn run(sh: &Shell, args: &Args) -> Result<()> {
    let entries = entry::read()?;
    let mut rendered = page::render(&entries);
    rendered.push(html::render(&entries));
    if !args.check && !args.list {
        return pages::write(sh, &rendered);
    }
    let tree = Tree::read(sh)?;
    let mentions = mention::all(&tree);
    if args.list {
        for code in Code::ALL {
            println!("{}", listed(*code, &mentions));
        }
        return Ok(());
    }
    let count: usize = [
        ("every code is explained", entry::complete(&entries)),
        ("the pages are as the tables say", pages::stale(&tree, &rendered, "cargo xtask codes")),
        ("a test provokes every code", tested::provoked(&mentions)),
        ("a code has one meaning", entry::distinct(&entries)),
        ("a code is reported by its home", meaning::at_home(&mentions)),
        ("a code that is named exists", meaning::known(&tree)),
    ]
    .into_iter()
    .map(|(rule, findings)| finding::report(rule, findings))
    .sum();
    ensure!(count == 0, "codes found faults: {count}");
    println!("codes: {} codes are explained, tested and have one meaning", Code::ALL.len());
    Ok(())
}

/// The letters that say what kind of thing goes wrong: `ATR` of R4C-ATR-001.
fn family(code: Code) -> &'static str {
    code.as_str().split('-').nth(1).unwrap_or_default()
}

fn listed(code: Code, mentions: &[Mention]) -> String {
    let of = |role| mentions.iter().filter(move |it| it.code == code && it.role == role);
    let tests = match of(Role::Provokes).count() {
        _ if code.is_reserved() => "reserved".to_owned(),
        count => format!("expected by tests {count} times"),
    };
    let places = of(Role::Reports).map(|it| format!("\n    {}:{}", it.path, it.line));
    format!("{code} {code:?}: {tests}{}", places.collect::<String>())
}
