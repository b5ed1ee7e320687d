//! The table of binaries with calls in them.

use super::table::{dash, table};
use crate::bench::results::Binary;

const WHAT: &str = "
Each call has a closure and a future of its own, which is in the count. Stripped, built as the benchmarks are.
";

pub(super) fn render(binaries: &[Binary]) -> String {
    let few = binaries.iter().min_by_key(|it| it.sites);
    let rows = binaries.iter().map(|it| {
        let growth = few.and_then(|few| Binary::growth(&[few.clone(), it.clone()]));
        let growth = growth.map_or_else(dash, |bytes| format!("{bytes:.0}"));
        vec![it.sites.to_string(), it.bytes.to_string(), growth]
    });
    let table = table("#### Size of a binary", &["async calls in it", "bytes", "bytes per further call"], rows);
    if table.is_empty() { table } else { table + WHAT }
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::bench::results::Binary;

    #[test]
    fn growth_is_that_since_the_smallest() {
        let text = render(&[Binary { sites: 1, bytes: 1_000 }, Binary { sites: 11, bytes: 21_004 }]);
        assert!(text.contains("| 1 | 1000 | – |\n| 11 | 21004 | 2000 |\n"), "{text}");
        assert_eq!(render(&[]), "");
    }
}
