//! The table of limiters that calls wait for.

use super::table::table;
use crate::bench::results::Latency;

const WHAT: &str = "
A permit every five milliseconds, and no burst. In the open loop calls come by a timetable, and a wait is counted from when
the call should have come. In the closed loop eight callers each wait before they ask again, and the calls that they left
out meanwhile are counted with the waits those would have had (coordinated omission). An ideal limiter hands out permits in
the order in which they were due, as early as it may; above its rate every call waits longer than the one before, there too.
tower's limiter belongs to one caller: those of many come to it one after the other.
";

pub(super) fn render(all: &[Latency]) -> String {
    let rows = all.iter().map(|it| {
        let mut row = vec![format!("{} loop, {} %", it.traffic, it.load * 100.0), it.name.clone()];
        let waits = [it.waits.half, it.waits.most, it.waits.nearly_all, it.waits.longest];
        row.extend(waits.map(|micros| format!("{:.2}", micros / 1000.0)));
        row.push(format!("{:.4}", it.rate));
        row.extend([it.late.half, it.late.most, it.early].map(|micros| format!("{:.2}", micros / 1000.0)));
        row.push(it.overtaken.to_string());
        row
    });
    let heads = [
        "load",
        "",
        "waits: 50 %, ms",
        "99 %, ms",
        "99.9 %, ms",
        "longest, ms",
        "rate, × ideal",
        "late: 50 %, ms",
        "99 %, ms",
        "early, at most, ms",
        "overtaken by, at most",
    ];
    let table = table("#### Waits", &heads, rows);
    if table.is_empty() { table } else { table + WHAT }
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::bench::record::{Latency, Quantiles};

    #[test]
    fn a_run_is_a_row_in_milliseconds() {
        let quantiles = Quantiles { half: 1000.0, most: 2000.0, nearly_all: 3000.0, longest: 4000.0 };
        let latency = Latency {
            name: "resilience".to_owned(),
            traffic: "open".to_owned(),
            load: 0.5,
            calls: 7,
            waits: quantiles,
            rate: 1.0,
            late: quantiles,
            early: 10.0,
            overtaken: 2,
        };
        let row = "| open loop, 50 % | resilience | 1.00 | 2.00 | 3.00 | 4.00 | 1.0000 | 1.00 | 2.00 | 0.01 | 2 |";
        assert!(render(&[latency]).contains(row));
        assert_eq!(render(&[]), "");
    }
}
