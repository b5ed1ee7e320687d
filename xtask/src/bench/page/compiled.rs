//! The table of what it takes to compile.

use super::table::table;
use crate::bench::results::Compiled;

const WHAT: &str = "
A trait with a retry, a breaker and a limiter on each method: the median of five builds without optimisation, linking
included, with all dependencies built.
";

pub(super) fn render(compiled: &[Compiled]) -> String {
    let by_hand = compiled.last().map_or(f64::NAN, |it| it.millis);
    let rows = compiled.iter().map(|it| {
        vec![
            it.name.clone(),
            it.methods.to_string(),
            format!("{:.0}", it.millis),
            format!("{:.2}", it.millis / by_hand),
        ]
    });
    let table = table("#### Time to compile", &["", "methods", "ms", "× by hand"], rows);
    if table.is_empty() { table } else { table + WHAT }
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::bench::results::Compiled;

    #[test]
    fn the_last_form_is_what_others_are_compared_with() {
        let of = |name: &str, millis| Compiled { name: name.to_owned(), methods: 50, millis };
        let text = render(&[of("macro", 300.0), of("hand", 200.0)]);
        assert!(text.contains("| macro | 50 | 300 | 1.50 |\n| hand | 50 | 200 | 1.00 |\n"), "{text}");
        assert_eq!(render(&[]), "");
    }
}
