//! The plots of the manual's page on choosing values: policies as they are, on a clock that is moved by hand, with chance
//! from a fixed seed. Writes `docs/plots`; its test says whether they are as written.

mod breaker;
mod budget;
mod bulkhead;
mod chart;
mod jitter;
mod limiter;

use std::{fs, io, path::PathBuf};

use chart::Chart;

/// A text in each language of the manual.
#[derive(Clone, Copy)]
struct Words {
    en: &'static str,
    es: &'static str,
}

impl Words {
    const fn new(en: &'static str, es: &'static str) -> Self {
        Self { en, es }
    }
}

#[derive(Clone, Copy)]
enum Language {
    En,
    Es,
}

impl Language {
    const ALL: [Self; 2] = [Self::En, Self::Es];

    fn name(self) -> &'static str {
        self.of(Words::new("en", "es"))
    }

    fn of(self, words: Words) -> &'static str {
        match self {
            Self::En => words.en,
            Self::Es => words.es,
        }
    }
}

fn charts() -> [(&'static str, Chart); 5] {
    [
        ("burst", limiter::burst()),
        ("window", breaker::window()),
        ("jitter", jitter::jitter()),
        ("budget", budget::budget()),
        ("slots", bulkhead::slots()),
    ]
}

/// Each file with its text.
fn files() -> Vec<(PathBuf, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/plots");
    let charts = charts();
    let file = |language: Language| {
        let folder = folder.join(language.name());
        charts.iter().map(move |(name, chart)| (folder.join(format!("{name}.svg")), chart.svg(language)))
    };
    Language::ALL.into_iter().flat_map(file).collect()
}

fn main() -> io::Result<()> {
    for (path, text) in files() {
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(&path, text)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

#[test]
fn the_plots_in_the_manual_are_those_of_this_program() {
    for (path, text) in files() {
        let written = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(written, text, "{}: cargo run -p resilience-benches --example plots", path.display());
    }
}
