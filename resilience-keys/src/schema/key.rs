//! What a key takes, as a schema.

use super::json::Json;
use crate::{Default, Key, SECTIONS, ValueKind};

/// All that is referred to by name: each key, as `<section>.<key>`, and what keys share.
pub(super) fn definitions() -> Json {
    let shared = [("duration", duration()), ("positive_duration", positive_duration()), ("kind", kind())];
    let shared = shared.map(|(name, schema)| (name.to_owned(), schema));
    let keys = SECTIONS
        .iter()
        .flat_map(|section| section.keys.iter().map(|key| (format!("{}.{}", section.name, key.name), definition(key))));
    Json::map(shared.into_iter().chain(keys))
}

fn definition(key: &Key) -> Json {
    let about = format!("{} Allowed: {}. Default: {}.", key.doc, key.allowed(), key.default);
    let schema = takes(key.value).about(&about);
    let default = match (key.default, key.value) {
        // As the table writes it: 60s, not 1m.
        (Default::Value(text), ValueKind::Duration { .. }) => text.into(),
        (Default::Value(text), _) => Json::bare(key.parse(text).expect("defaults are allowed values").literal()),
        (Default::Derived(_) | Default::Unset, _) => return schema,
    };
    schema.and(Json::map([("default", default)]))
}

fn takes(value: ValueKind) -> Json {
    match value {
        ValueKind::Count { min, max } => typed("integer", [("minimum", Json::bare(min)), ("maximum", Json::bare(max))]),
        ValueKind::Duration { zero: true, .. } => Json::reference("duration"),
        ValueKind::Duration { zero: false, .. } => Json::reference("positive_duration"),
        ValueKind::Percent => typed("number", [("exclusiveMinimum", Json::bare(0)), ("maximum", Json::bare(100))]),
        ValueKind::Factor { min } => typed("number", [("minimum", Json::bare(min))]),
        ValueKind::Bool => typed("boolean", []),
        ValueKind::Word(words) => typed("string", [("enum", words.iter().map(|word| Json::from(*word)).collect())]),
        ValueKind::Kinds => typed("array", [("items", Json::reference("kind"))]),
    }
}

/// The grammar of `parse_duration`. That a text begins with a digit is a pattern of its own: else it could begin with
/// the space between two parts, or be empty. (A look-ahead would do as well, where there is one.)
fn duration() -> Json {
    let parts = "^(?:0|(?:[0-9]+d)?(?: ?[0-9]+h)?(?: ?[0-9]+(?:m|min))?(?: ?[0-9]+s)?\
                 (?: ?[0-9]+ms)?(?: ?[0-9]+(?:us|µs))?(?: ?[0-9]+ns)?)$";
    let patterns = ["^[0-9]", parts].map(|pattern| Json::map([("pattern", pattern.into())]));
    typed("string", [("allOf", patterns.into_iter().collect())])
        .about("A duration: 0, or whole numbers with units, largest unit first (d, h, m, s, ms, us, ns), as in 1m30s.")
}

/// One in which not all digits are zero.
fn positive_duration() -> Json {
    Json::reference("duration").and(Json::map([("pattern", "[1-9]".into())]))
}

fn kind() -> Json {
    typed("string", [("pattern", "^[a-z0-9_]+$".into())]).about("The name of a kind of failure.")
}

fn typed<const N: usize>(name: &str, rest: [(&str, Json); N]) -> Json {
    Json::map([("type", name.into())]).and(Json::map(rest))
}
