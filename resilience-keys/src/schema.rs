//! The configuration file as a JSON Schema.

use self::json::Json;
use self::key::definitions;
use crate::{SECTIONS, Section};

mod json;
mod key;

/// The JSON Schema (draft 2020-12) of configuration files, in whichever format they are written, for editors that
/// complete keys and mark mistakes.
///
/// It knows every key with its type, range, words, default and documentation. It does not know the rules between two
/// keys, which kinds and named configs there are, nor the longest duration of a key: the description names it.
///
/// ```
/// let schema = resilience_keys::schema();
/// assert!(schema.contains("https://json-schema.org/draft/2020-12/schema"));
/// ```
pub fn schema() -> String {
    let defaults = sections(None).about("What holds for every instance, by policy.");
    let configs = named(("base", "The named config that this one builds on."))
        .about("Named configs: sets of values, by name and policy, for instances and other named configs to build on.");
    let instances = named(("config", "The named config that this instance builds on."))
        .about("What holds for one instance, by id and policy. Ids are opaque, dots and all.");
    let root = table([("defaults", defaults), ("configs", configs), ("instances", instances)]);
    let schema = Json::map([
        ("$schema", "https://json-schema.org/draft/2020-12/schema".into()),
        ("title", "Configuration of the resilience policies".into()),
    ]);
    let schema = schema.and(root).and(Json::map([("$defs", definitions())]));
    format!("{schema}\n")
}

/// Tables with names of their own, each with the sections in it.
fn named(base: (&'static str, &'static str)) -> Json {
    Json::map([("type", "object".into()), ("additionalProperties", sections(Some(base)))])
}

/// A table for each section; `base` is a key that names a config.
fn sections(base: Option<(&'static str, &'static str)>) -> Json {
    table(SECTIONS.iter().map(|section| (section.name, keys(section, base))))
}

fn keys(section: &Section, base: Option<(&'static str, &'static str)>) -> Json {
    let base = base.map(|(name, about)| (name, Json::map([("type", "string".into())]).about(about)));
    let keys = section.keys.iter().map(|key| (key.name, Json::reference(&format!("{}.{}", section.name, key.name))));
    table(base.into_iter().chain(keys)).about(section.title)
}

/// A table with these entries and no others.
fn table(entries: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Json::map([
        ("type", "object".into()),
        ("properties", Json::map(entries)),
        ("additionalProperties", Json::bare(false)),
    ])
}
