//! The table of limiters with a million keys.

use super::table::table;
use crate::bench::results::Crowd;

const WHAT: &str = "
A million keys are in the limiter, which may keep no more; then come calls whose keys are drawn from four million, and the
limiter evicts. governor has no bound and keeps them all. Times include one look at the clock, about 20 ns.
";

pub(super) fn render(crowds: &[Crowd]) -> String {
    let rows = crowds.iter().map(|it| {
        let mut row = vec![it.name.clone(), it.draw.clone()];
        row.extend([it.tail.half, it.tail.most, it.tail.nearly_all].map(|nanos| nanos.to_string()));
        row.extend([it.evicted, it.keys].map(|count| count.to_string()));
        row.push(format!("{:.1}", it.bytes));
        row
    });
    let heads = ["", "keys come", "50 %, ns", "99 %, ns", "99.9 %, ns", "evicted", "keys at the end", "bytes per key"];
    let table = table("#### A million keys at the bound", &heads, rows);
    if table.is_empty() { table } else { table + WHAT }
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::bench::record::{Crowd, Tail};

    #[test]
    fn a_crowd_is_a_row() {
        let tail = Tail { calls: 10, half: 1, most: 2, nearly_all: 3, longest: 4 };
        let (name, draw) = ("resilience".to_owned(), "uniform".to_owned());
        let text = render(&[Crowd { name, draw, tail, keys: 5, evicted: 6, bytes: 7.04 }]);
        assert!(text.contains("| resilience | uniform | 1 | 2 | 3 | 6 | 5 | 7.0 |"), "{text}");
        assert_eq!(render(&[]), "");
    }
}
