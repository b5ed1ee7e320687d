//! One text, as a file has it, into a [`Tree`]: every key known, every value checked.

use ::config::{FileFormat, Format as _, Map, Value as Raw, ValueKind as Kind};

use super::{
    lines::Lines,
    tree::{Place, Placed, Table, Tables, Tree, section},
    yaml,
};
use crate::{
    Code, Problem,
    keys::{Key, Section, Value},
};

/// The formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.toml`
    Toml,
    /// `.yaml`, `.yml`
    Yaml,
    /// `.json`
    Json,
}

impl Format {
    /// The format of a file of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Reads a text; what is wrong goes to `problems`.
pub(crate) fn read(name: &str, format: Format, text: &str, problems: &mut Vec<Problem>) -> Tree {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match parse(format, text) {
        Ok((map, lines)) => {
            let mut reader = Reader { name, lines, problems: Vec::new() };
            let tree = reader.tree(map);
            // The parsers give keys in any order.
            reader.problems.sort_by(|(a, one), (b, other)| (a, &one.path).cmp(&(b, &other.path)));
            problems.extend(reader.problems.into_iter().map(|(_, problem)| problem));
            tree
        }
        Err(why) => {
            problems.push(Problem::new(Code::UnreadableSource, name, "", why));
            Tree::default()
        }
    }
}

/// What is in the text, and where.
fn parse(format: Format, text: &str) -> Result<(Map<String, Raw>, Lines), String> {
    // Which a crash leaves in files, and where YAML would end.
    if let Some(before) = text.split_once('\0').map(|(before, _)| before) {
        return Err(format!("a NUL character at line {}", before.split('\n').count()));
    }
    if let Some(allowed) = (format == Format::Yaml).then(|| yaml::too_large(text)).flatten() {
        return Err(allowed.to_owned());
    }
    let parser = match format {
        Format::Toml => FileFormat::Toml,
        Format::Yaml => FileFormat::Yaml,
        Format::Json => FileFormat::Json,
    };
    match parser.parse(None, text) {
        Ok(map) => Lines::new(format, text).map(|lines| (map, lines)),
        // An empty file says nothing.
        Err(_) if text.trim().is_empty() => Ok((Map::new(), Lines::default())),
        Err(error) => {
            // What was wrong, without the picture of where.
            let text = error.to_string();
            let mut lines = text.lines().filter(|line| !line.trim().is_empty());
            let (first, last) = (lines.next().unwrap_or_default(), lines.next_back());
            Err(last.map_or_else(|| first.to_owned(), |last| format!("{first}: {last}")))
        }
    }
}

struct Reader<'a> {
    name: &'a str,
    lines: Lines,
    /// Each with its line.
    problems: Vec<(Option<usize>, Problem)>,
}

impl Reader<'_> {
    fn tree(&mut self, map: Map<String, Raw>) -> Tree {
        let mut tree = Tree::default();
        for (key, raw) in map {
            let path = [key.as_str()];
            match key.as_str() {
                "defaults" => tree.defaults = self.tables(&path, raw, None),
                "configs" => tree.configs = self.named(&path, raw, "base"),
                "instances" => tree.instances = self.named(&path, raw, "config"),
                _ => self.wrong(&path, Problem::unknown(Code::UnknownKey, &key, ["defaults", "configs", "instances"])),
            }
        }
        tree
    }

    fn named(&mut self, path: &[&str], raw: Raw, base: &'static str) -> std::collections::BTreeMap<String, Tables> {
        let map = self.map(path, raw);
        map.into_iter()
            .map(|(name, raw)| (name.clone(), self.tables(&[path, &[&name]].concat(), raw, Some(base))))
            .collect()
    }

    fn tables(&mut self, path: &[&str], raw: Raw, base: Option<&'static str>) -> Tables {
        let mut tables = Tables::new();
        for (policy, raw) in self.map(path, raw) {
            let path = [path, &[&policy]].concat();
            match section(&policy) {
                Ok(section) => _ = tables.insert(section.name, self.table(&path, raw, section, base)),
                Err(problem) => self.wrong(&path, problem),
            }
        }
        tables
    }

    fn table(&mut self, path: &[&str], raw: Raw, section: &'static Section, base: Option<&'static str>) -> Table {
        let mut table = Table::default();
        for (name, raw) in self.map(path, raw) {
            let path = [path, &[&name]].concat();
            let place = self.place(&path);
            if matches!(raw.kind, Kind::Nil) {
                continue; // unset
            }
            if Some(name.as_str()) == base {
                if let Kind::String(value) = raw.kind {
                    table.base = Some(Placed { value, place });
                } else {
                    let text = raw.to_string();
                    self.wrong(&path, Problem::new(Code::OutOfRange, &name, text, "the name of a config"));
                }
                continue;
            }
            match section.key(&name) {
                None => {
                    let known = section.keys.iter().map(|key| key.name).chain(base);
                    let problem = Problem::unknown(Code::UnknownKey, &name, known);
                    // One of them where the other belongs.
                    let swapped = base.filter(|_| ["base", "config"].contains(&name.as_str()));
                    self.wrong(&path, if swapped.is_some() { problem.near(swapped) } else { problem });
                }
                Some(key) => match value(key, &raw) {
                    Ok(value) => _ = table.values.insert(key.name, Placed { value, place }),
                    Err(problem) => self.wrong(&path, problem),
                },
            }
        }
        table
    }

    fn map(&mut self, path: &[&str], raw: Raw) -> Map<String, Raw> {
        match raw.kind {
            Kind::Table(map) => map,
            Kind::Nil => Map::new(),
            _ => {
                let name = path.last().copied().unwrap_or_default();
                self.wrong(path, Problem::new(Code::OutOfRange, name, raw.to_string(), "a table"));
                Map::new()
            }
        }
    }

    fn place(&self, path: &[&str]) -> Place {
        Place { source: self.name.to_owned(), line: self.lines.of(path) }
    }

    /// The path of the problem is its last part.
    fn wrong(&mut self, path: &[&str], problem: Problem) {
        let place = self.place(path);
        let around = path[..path.len() - 1].join(".");
        let problem = if around.is_empty() { problem } else { problem.at(&around) };
        self.problems.push((place.line, place.mark(problem)));
    }
}

/// A value of a file as the key takes it.
fn value(key: &'static Key, raw: &Raw) -> Result<Value, Problem> {
    use crate::keys::ValueKind;

    let wrong = || key.wrong_type(raw.to_string());
    match (key.value, &raw.kind) {
        (ValueKind::Count { .. }, Kind::I64(it)) => key.check_count((*it).into()).map(Value::Count),
        (ValueKind::Count { .. }, Kind::I128(it)) => key.check_count(*it).map(Value::Count),
        (ValueKind::Count { .. }, Kind::U64(it)) => key.check_count((*it).into()).map(Value::Count),
        (ValueKind::Count { .. }, Kind::U128(it)) => {
            key.check_count(i128::try_from(*it).unwrap_or(i128::MAX)).map(Value::Count)
        }
        (ValueKind::Percent | ValueKind::Factor { .. }, Kind::I64(it)) => {
            key.check_number(*it as f64).map(Value::Number)
        }
        (ValueKind::Percent | ValueKind::Factor { .. }, Kind::Float(it)) => key.check_number(*it).map(Value::Number),
        (ValueKind::Bool, Kind::Boolean(it)) => Ok(Value::Bool(*it)),
        (ValueKind::Word(_), Kind::String(it)) => key.check_word(it).map(Value::Word),
        (ValueKind::Duration { .. }, Kind::String(it)) => key.parse(it),
        (ValueKind::Kinds, Kind::Array(items)) => {
            let names = items.iter().map(|item| match &item.kind {
                Kind::String(name) => Ok(name.clone()),
                _ => Err(wrong()),
            });
            names.collect::<Result<_, _>>().map(Value::Kinds)
        }
        _ => Err(wrong()),
    }
}
