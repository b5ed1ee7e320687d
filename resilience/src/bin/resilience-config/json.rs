//! Problems as JSON.

use std::fmt::Write;

use resilience::Problem;

/// An array of objects, one per line.
pub(crate) fn array(problems: &[Problem]) -> String {
    let objects: Vec<_> = problems.iter().map(object).collect();
    match objects.as_slice() {
        [] => "[]\n".to_owned(),
        objects => format!("[\n  {}\n]\n", objects.join(",\n  ")),
    }
}

fn object(problem: &Problem) -> String {
    let code = problem.code.to_string();
    let fields = [
        ("code", Some(code.as_str())),
        ("path", Some(problem.path.as_str())),
        ("value", Some(&*problem.value)),
        ("allowed", Some(&*problem.allowed)),
        ("nearest", problem.nearest.as_deref()),
        ("place", problem.place.as_deref()),
    ];
    let field = |(name, value): (&str, Option<&str>)| {
        format!("\"{name}\": {}", value.map_or_else(|| "null".to_owned(), string))
    };
    format!("{{{}}}", fields.map(field).join(", "))
}

fn string(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => _ = write!(json, "\\{letter}"),
            _ if letter.is_control() => _ = write!(json, "\\u{:04x}", u32::from(letter)),
            _ => json.push(letter),
        }
    }
    json + "\""
}
