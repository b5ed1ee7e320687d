//! As much of the query language of Prometheus as finds a name that there is not.

use std::{collections::BTreeSet, iter::Peekable, str::CharIndices};

use resilience::keys::metric::{METRICS, Metric, Shape};

/// What a query asks for.
#[derive(Debug, Default)]
pub(crate) struct Query {
    /// The metrics.
    pub(crate) metrics: BTreeSet<&'static str>,
    /// The labels that are named in `by`, and so are in the result.
    pub(crate) kept: BTreeSet<String>,
    /// Those that any of the metrics has.
    labels: BTreeSet<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Number,
    /// An operator, a bracket, a comma.
    Sign(char),
}

const FUNCTIONS: [&str; 7] = ["rate", "increase", "histogram_quantile", "sum", "max", "min", "avg"];

/// Which Prometheus itself adds.
const ADDED: [&str; 1] = ["job"];

type Problem = String;

impl Query {
    /// Reads a query.
    ///
    /// # Errors
    ///
    /// Something in it that there is not.
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        let tokens = tokens(text)?;
        let mut query = Self::default();
        balanced(&tokens)?;
        let mut rest = tokens.as_slice();
        while let Some((first, after)) = rest.split_first() {
            rest = match first {
                Token::Name(name) if name == "by" => query.kept(after)?,
                Token::Name(name) if FUNCTIONS.contains(&name.as_str()) => match after.first() {
                    Some(Token::Sign('(')) => after,
                    Some(Token::Name(by)) if by == "by" => after,
                    other => return Err(format!("`{name}` before {other:?}")),
                },
                Token::Name(name) => query.metric(name, after)?,
                Token::Sign('[') => range(after)?,
                Token::Sign('{') => return Err("labels without a metric".to_owned()),
                Token::Text(text) => return Err(format!("{text:?} outside of labels")),
                Token::Number | Token::Sign(_) => after,
            };
        }
        if query.metrics.is_empty() {
            return Err("no metric".to_owned());
        }
        let known = |label: &&String| query.labels.contains(label.as_str()) || ADDED.contains(&label.as_str());
        match query.kept.iter().find(|label| !known(label)) {
            Some(label) => Err(format!("no metric of it has the label `{label}`")),
            None => Ok(query),
        }
    }

    fn kept<'a>(&mut self, tokens: &'a [Token]) -> Result<&'a [Token], Problem> {
        let [Token::Sign('('), rest @ ..] = tokens else { return Err("`by` without labels".to_owned()) };
        let end = rest.iter().position(|token| *token == Token::Sign(')')).ok_or("`by` does not end")?;
        for (at, token) in rest[..end].iter().enumerate() {
            match token {
                Token::Name(label) if at % 2 == 0 => _ = self.kept.insert(label.clone()),
                Token::Sign(',') if at % 2 == 1 => {}
                other => return Err(format!("{other:?} among the labels of `by`")),
            }
        }
        Ok(&rest[end + 1..])
    }

    fn metric<'a>(&mut self, name: &str, tokens: &'a [Token]) -> Result<&'a [Token], Problem> {
        let (metric, ranged) = find(name)?;
        self.metrics.insert(metric.name);
        self.labels.extend(metric.labels.iter().map(|label| label.name));
        self.labels.extend(ranged.then_some("le"));
        let [Token::Sign('{'), rest @ ..] = tokens else { return Ok(tokens) };
        let end = rest.iter().position(|token| *token == Token::Sign('}')).ok_or("labels that do not end")?;
        for matcher in rest[..end].split(|token| *token == Token::Sign(',')) {
            match matcher {
                [Token::Name(label), Token::Sign('='), Token::Text(value)] => check(metric, label, &[value])?,
                [Token::Name(label), Token::Sign('='), Token::Sign('~'), Token::Text(value)] => {
                    check(metric, label, &value.split('|').collect::<Vec<_>>())?;
                }
                other => return Err(format!("{other:?} is no condition")),
            }
        }
        Ok(&rest[end + 1..])
    }
}

/// Each bracket has its other half, and the query does not end in the middle.
fn balanced(tokens: &[Token]) -> Result<(), Problem> {
    let mut open = Vec::new();
    for token in tokens {
        match token {
            Token::Sign('(') => open.push(')'),
            Token::Sign('[') => open.push(']'),
            Token::Sign('{') => open.push('}'),
            Token::Sign(sign @ (')' | ']' | '}')) if open.pop() != Some(*sign) => {
                return Err(format!("`{sign}` closes nothing"));
            }
            _ => {}
        }
    }
    let ends = matches!(tokens.last(), Some(Token::Number | Token::Name(_) | Token::Sign(')' | ']' | '}')));
    if open.is_empty() && ends { Ok(()) } else { Err("it does not end".to_owned()) }
}

/// The metric of a series' name, and whether that is a range of a histogram.
fn find(name: &str) -> Result<(&'static Metric, bool), Problem> {
    let named = |name: &str| METRICS.iter().copied().find(|metric| metric.name == name);
    if let Some(metric) = named(name).filter(|metric| metric.shape != Shape::Histogram) {
        return Ok((metric, false));
    }
    let parts = ["_bucket", "_sum", "_count"];
    let of = parts.iter().find_map(|part| Some((named(name.strip_suffix(part)?)?, *part == "_bucket")));
    of.filter(|(metric, _)| metric.shape == Shape::Histogram).ok_or_else(|| format!("no metric `{name}`"))
}

fn check(metric: &Metric, label: &str, values: &[&str]) -> Result<(), Problem> {
    let known = metric.labels.iter().find(|known| known.name == label);
    let known = known.ok_or_else(|| format!("`{}` has no label `{label}`", metric.name))?;
    match values.iter().find(|value| !known.values.is_empty() && !known.values.contains(value)) {
        Some(value) => Err(format!("`{label}` is never {value:?}")),
        None => Ok(()),
    }
}

/// `5m]`.
fn range(tokens: &[Token]) -> Result<&[Token], Problem> {
    match tokens {
        [Token::Number, Token::Name(unit), Token::Sign(']'), rest @ ..]
            if ["s", "m", "h", "d"].contains(&unit.as_str()) =>
        {
            Ok(rest)
        }
        _ => Err("not a length of time".to_owned()),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, Problem> {
    let (mut tokens, mut chars) = (Vec::new(), text.char_indices().peekable());
    while let Some((at, char)) = chars.next() {
        let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        tokens.push(match char {
            ' ' | '\n' => continue,
            'a'..='z' | 'A'..='Z' | '_' => Token::Name(text[at..skip(&mut chars, text, is_name)].to_owned()),
            '0'..='9' => {
                skip(&mut chars, text, |char| char.is_ascii_digit() || char == '.');
                Token::Number
            }
            '"' => {
                let end = skip(&mut chars, text, |char| char != '"');
                chars.next().ok_or("a text that does not end")?;
                Token::Text(text[at + 1..end].to_owned())
            }
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | '=' | '~' | '/' | '*' | '+' | '-' | '>' | '<' => {
                Token::Sign(char)
            }
            other => return Err(format!("{other:?} has no place in a query")),
        });
    }
    Ok(tokens)
}

/// Skips what belongs to it, and says where that ends.
fn skip(chars: &mut Peekable<CharIndices<'_>>, text: &str, belongs: impl Fn(char) -> bool) -> usize {
    while chars.next_if(|(_, char)| belongs(*char)).is_some() {}
    chars.peek().map_or(text.len(), |(at, _)| *at)
}

/// What stands in `{{ .. }}`.
pub(crate) fn placeholders(text: &str) -> Vec<String> {
    text.split("{{").skip(1).map(|part| part.split("}}").next().unwrap_or_default().trim().to_owned()).collect()
}
