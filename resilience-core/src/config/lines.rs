//! In which line of a text a key stands, as far as one can tell.

mod json;
mod toml;
mod yaml;

use std::collections::HashMap;

use super::file::Format;

/// How many names the longest path has: `instances.<id>.<policy>.<key>`.
const DEEPEST: usize = 4;

/// The first line of each key, by the way to it.
#[derive(Default)]
pub(crate) struct Lines(HashMap<Vec<String>, usize>);

impl Lines {
    /// Of a text that has been parsed.
    ///
    /// # Errors
    ///
    /// A key that stands twice, if the parser of the format lets that pass.
    pub(crate) fn new(format: Format, text: &str) -> Result<Self, String> {
        let mut lines = HashMap::new();
        let mut found = |path: &[String], line| {
            if path.len() <= DEEPEST && !lines.contains_key(path) {
                lines.insert(path.to_vec(), line);
            }
        };
        match format {
            Format::Toml => toml::read(text, found),
            Format::Yaml => yaml::read(text, found),
            Format::Json => {
                json::read(text, &mut found).map_err(|(key, line)| format!("duplicate key `{key}` at line {line}"))?;
            }
        }
        Ok(Self(lines))
    }

    /// The line of the last part of the path, counted from 1; else of what it is in.
    pub(crate) fn of(&self, path: &[&str]) -> Option<usize> {
        let path: Vec<_> = path.iter().map(|part| (*part).to_owned()).collect();
        (1..=path.len()).rev().find_map(|length| self.0.get(&path[..length]).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_whatever_else_has_its_name() {
        let json = "{\"timeout\": {}, \"defaults\": {\"timeout\":\n{\"a\": \"timeout\",\n\"timeout\": 5}}}";
        assert_eq!(Lines::new(Format::Json, json).unwrap().of(&["defaults", "timeout", "timeout"]), Some(3));
        let yaml = "defaults:\n  timeout:\n    timeout: 5\n";
        assert_eq!(Lines::new(Format::Yaml, yaml).unwrap().of(&["defaults", "timeout", "timeout"]), Some(3));
        let toml = "x = 1\n[default.retry]\n[instances.\"a \\\"b\\\"\".retry]\ndelay = 1\nb.c = 2\n";
        let toml = Lines::new(Format::Toml, toml).unwrap();
        assert_eq!(toml.of(&["default"]), Some(2));
        assert_eq!(toml.of(&["instances", "a \"b\"", "retry", "delay"]), Some(4));
        assert_eq!(toml.of(&["instances", "a \"b\"", "retry", "b"]), Some(5));
    }
}
