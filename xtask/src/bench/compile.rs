//! `cargo xtask bench compile`: what fifty methods take to compile, behind the macro and by hand.

use std::time::Instant;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::{
    How,
    results::{Compiled, Measured, Results},
};

const ROUNDS: usize = 5;
const FEW_ROUNDS: usize = 1;

/// The examples, and what the page calls them.
const FORMS: [(&str, &str); 2] = [("fifty_by_macro", "`#[resilient]`"), ("fifty_by_hand", "by hand")];

pub(super) fn run(sh: &Shell, how: How, results: &mut Results) -> Result<()> {
    // Incrementally, the compiler would find that nothing has changed.
    let _whole = sh.push_env("CARGO_INCREMENTAL", "0");
    for (example, _) in FORMS {
        cmd!(sh, "cargo run --quiet --package resilience-benches --example {example}").run()?;
    }
    let mut millis = FORMS.map(|_| Vec::new());
    let rounds = if how.quick { FEW_ROUNDS } else { ROUNDS };
    for _ in 0..rounds {
        for ((example, _), millis) in FORMS.iter().zip(&mut millis) {
            millis.push(time(sh, example)?);
        }
    }
    let compiled = FORMS.iter().zip(millis).map(|((_, name), mut millis)| {
        millis.sort_by(f64::total_cmp);
        Compiled { name: (*name).to_owned(), methods: 50, millis: millis[rounds / 2] }
    });
    let compiled: Vec<_> = compiled.collect();
    for it in &compiled {
        how.say(&format!("{:16} {:6.0} ms", it.name, it.millis));
    }
    results.compiled = Some(Measured::here(sh, "compile", compiled)?);
    Ok(())
}

/// Milliseconds to compile and link the example anew; all it depends on is there.
#[expect(clippy::disallowed_methods, reason = "time for people, not for policies")]
fn time(sh: &Shell, example: &str) -> Result<f64> {
    let path = format!("benches/examples/{example}.rs");
    let text = sh.read_file(&path)?;
    sh.write_file(&path, text).context("the example is written anew, so that cargo takes it for changed")?;
    let begun = Instant::now();
    cmd!(sh, "cargo build --quiet --package resilience-benches --example {example}").quiet().run()?;
    Ok(begun.elapsed().as_secs_f64() * 1000.0)
}
