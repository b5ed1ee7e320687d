//! The table of limiters with many keys.

use super::table::{dash, spread, table};
use crate::bench::results::Crowd;

const WHAT: &str = "
A limiter is filled with all the keys that ours may keep. *Known*: calls with these keys, all admitted: median and quartiles.
*At the bound*: as many calls again whose keys are drawn from four times as many, and ours evicts, where governor has no bound
and keeps them all; each call is timed by itself, and its time includes one look at the clock, about 20 ns. Bytes are those of
the whole limiter, divided by its keys.
";

pub(super) fn render(crowds: &[Crowd]) -> String {
    let rows = crowds.iter().map(|it| {
        let mut row = vec![format!("{}, {}", it.most, it.draw), it.name.clone()];
        row.push(it.nanos.map_or_else(dash, |nanos| spread(nanos, 1)));
        row.extend([it.tail.half, it.tail.most, it.tail.nearly_all].map(|nanos| nanos.to_string()));
        row.extend([it.evicted, it.keys].map(|count| count.to_string()));
        row.push(format!("{:.1}", it.bytes));
        row
    });
    let heads = [
        "keys",
        "",
        "known, ns",
        "at the bound: 50 %, ns",
        "99 %, ns",
        "99.9 %, ns",
        "evicted",
        "keys at the end",
        "bytes per key",
    ];
    let table = table("#### Many keys", &heads, rows);
    if table.is_empty() { table } else { table + WHAT }
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::bench::record::{Crowd, Spread, Tail};

    #[test]
    fn a_crowd_is_a_row() {
        let tail = Tail { calls: 10, half: 1, most: 2, nearly_all: 3, longest: 4 };
        let (name, draw) = ("resilience".to_owned(), "uniform".to_owned());
        let nanos = Some(Spread { median: 8.0, low: 7.0, high: 9.0 });
        let text = render(&[Crowd { name, draw, most: 5, nanos, tail, keys: 5, evicted: 6, bytes: 7.04 }]);
        assert!(text.contains("| 5, uniform | resilience | 8.0 (7.0–9.0) | 1 | 2 | 3 | 6 | 5 | 7.0 |"), "{text}");
        assert_eq!(render(&[]), "");
    }
}
