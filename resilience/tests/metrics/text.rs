//! The Prometheus text format, read strictly: what is not as the format says is a panic.

use std::collections::{BTreeMap, BTreeSet};

/// The names and values of the labels.
pub(crate) type Labels = BTreeMap<String, String>;

/// A scrape: the value of each series, the type of each metric.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) series: BTreeMap<(String, Labels), f64>,
    pub(crate) types: BTreeMap<String, String>,
}

impl Text {
    pub(crate) fn parse(text: &str) -> Self {
        assert!(text.is_empty() || text.ends_with('\n'), "the last line ends too");
        let (mut parsed, mut helped) = (Self::default(), BTreeSet::new());
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, _) = help.split_once(' ').expect("a help text");
                assert!(helped.insert(name.to_owned()), "{name} is explained twice");
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').expect("a type");
                assert!(["counter", "gauge", "histogram", "summary"].contains(&kind), "{line}");
                assert!(parsed.types.insert(name.to_owned(), kind.to_owned()).is_none(), "{name} has two types");
            } else {
                parsed.sample(line);
            }
        }
        parsed
    }

    /// The series of a metric.
    pub(crate) fn of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a Labels, f64)> + 'a {
        self.series.iter().filter(move |((of, _), _)| of == name).map(|((_, labels), value)| (labels, *value))
    }

    /// The value of one series.
    pub(crate) fn get(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let labels = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.series.get(&(name.to_owned(), labels)).copied()
    }

    fn sample(&mut self, line: &str) {
        let end = line.find(['{', ' ']).unwrap_or_else(|| panic!("no value: {line}"));
        let (name, rest) = line.split_at(end);
        assert!(is_name(name), "{line}");
        let (labels, value) = match rest.strip_prefix('{') {
            Some(rest) => labels(rest),
            None => (Labels::new(), rest),
        };
        let value = value.strip_prefix(' ').unwrap_or_else(|| panic!("no value: {line}"));
        let value = value.parse().unwrap_or_else(|_| panic!("not a number: {line}"));
        assert!(self.series.insert((name.to_owned(), labels), value).is_none(), "twice: {line}");
    }
}

/// The labels, and what follows the bracket.
fn labels(mut text: &str) -> (Labels, &str) {
    let mut labels = Labels::new();
    loop {
        if let Some(rest) = text.strip_prefix('}') {
            return (labels, rest);
        }
        let (name, rest) = text.split_once("=\"").expect("a value in quotes");
        assert!(is_name(name), "{name}");
        let (value, rest) = value(rest);
        assert!(labels.insert(name.to_owned(), value).is_none(), "{name} stands twice");
        text = rest.strip_prefix(',').unwrap_or(rest);
        assert!(text.len() < rest.len() || text.starts_with('}'), "no comma before {text}");
    }
}

/// A value up to its closing quote, and what follows.
fn value(text: &str) -> (String, &str) {
    let (mut value, mut chars) = (String::new(), text.char_indices());
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return (value, &text[at + 1..]),
            '\\' => value.push(match chars.next() {
                Some((_, 'n')) => '\n',
                Some((_, char @ ('"' | '\\'))) => char,
                other => panic!("an escape that there is not: {other:?} in {text}"),
            }),
            char => value.push(char),
        }
    }
    panic!("no closing quote: {text}")
}

fn is_name(text: &str) -> bool {
    let first = text.chars().next();
    first.is_some_and(|char| !char.is_ascii_digit())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}
