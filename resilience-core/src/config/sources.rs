use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use super::{
    environment::Environment,
    file::{self, Format},
    merge::Loaded,
};
use crate::{Code, Problem};

/// Where the configuration comes from: files in the order given, then the environment; what comes later holds, key by key.
///
/// ```
/// use resilience_core::config::{Format, Sources};
///
/// let sources = Sources::new()
///     .text("built in", Format::Toml, "[defaults.rate_limiter]\npermits = 100\n")
///     .file("resilience.toml")
///     .environment();
/// # drop(sources);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Sources {
    files: Vec<Source>,
    environment: Option<Variables>,
}

#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    Text { name: String, format: Format, text: String },
}

#[derive(Clone, Debug)]
enum Variables {
    /// Those of the process, read anew each time.
    Process,
    Given(Vec<(OsString, OsString)>),
}

/// What was in the files of the sources, or why that cannot be told; in the order of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents(Vec<Result<Vec<u8>, String>>);

impl Sources {
    /// No source.
    pub fn new() -> Self {
        Self::default()
    }

    /// A file; its name ends in `.toml`, `.yaml`, `.yml` or `.json`. It must be there.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(Source::File(path.into()));
        self
    }

    /// A text in place of a file; problems are told with its name.
    pub fn text(mut self, name: impl Into<String>, format: Format, text: impl Into<String>) -> Self {
        self.files.push(Source::Text { name: name.into(), format, text: text.into() });
        self
    }

    /// The variables of the process whose names begin with `RESILIENCE__`.
    pub fn environment(mut self) -> Self {
        self.environment = Some(Variables::Process);
        self
    }

    /// These variables in place of those of the process.
    pub fn variables<N: Into<OsString>, V: Into<OsString>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.environment = Some(Variables::Given(variables.collect()));
        self
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().filter_map(|source| match source {
            Source::File(path) => Some(path.as_path()),
            Source::Text { .. } => None,
        })
    }

    /// What is in the files now.
    pub(crate) fn contents(&self) -> Contents {
        Contents(self.paths().map(|path| fs::read(path).map_err(|error| error.to_string())).collect())
    }

    /// All that the sources say, with this in their files, and all that is wrong with it.
    pub(crate) fn read(&self, contents: &Contents) -> (Loaded, Vec<Problem>) {
        let (mut loaded, mut problems) = (Loaded::default(), Vec::new());
        let mut contents = contents.0.iter();
        for source in &self.files {
            match source {
                Source::File(path) => {
                    let name = path.display().to_string();
                    let bytes = contents.next().expect("one for each file");
                    let text = bytes.as_ref().map_err(String::as_str).map(|bytes| std::str::from_utf8(bytes));
                    match (Format::of(&name), text) {
                        (Some(format), Ok(Ok(text))) => {
                            loaded.tree.overlay(&file::read(&name, format, text, &mut problems));
                        }
                        (format, text) => {
                            let why = match (format, text) {
                                (None, _) => "a name that ends in .toml, .yaml, .yml or .json",
                                (_, Err(error)) => error,
                                (_, Ok(_)) => "UTF-8",
                            };
                            problems.push(Problem::new(Code::UnreadableSource, name, "", why));
                        }
                    }
                }
                Source::Text { name, format, text } => {
                    loaded.tree.overlay(&file::read(name, *format, text, &mut problems));
                }
            }
        }
        let warnings = &mut loaded.warnings;
        match &self.environment {
            None => {}
            Some(Variables::Process) => {
                loaded.environment = Environment::read(std::env::vars_os(), &mut problems, warnings);
            }
            Some(Variables::Given(variables)) => {
                loaded.environment = Environment::read(variables.iter().cloned(), &mut problems, warnings);
            }
        }
        loaded.check_names(&mut problems);
        (loaded, problems)
    }
}
