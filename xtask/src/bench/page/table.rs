//! Tables and their cells.

use std::fmt::Write;

use crate::bench::results::Spread;

/// A heading and a table; nothing without rows.
pub(super) fn table(heading: &str, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = String::new();
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    if text.is_empty() {
        return text;
    }
    // Words to the left, numbers to the right.
    let rules = heads.iter().enumerate().map(|(at, _)| if at == 0 { "---" } else { "---:" });
    let rules = rules.collect::<Vec<_>>().join(" | ");
    format!("\n{heading}\n\n| {} |\n| {rules} |\n{text}", heads.join(" | "))
}

pub(super) fn spread(it: Spread, places: usize) -> String {
    format!("{:.places$} ({:.places$}–{:.places$})", it.median, it.low, it.high)
}

pub(super) fn dash() -> String {
    "–".to_owned()
}
