//! Configurations of policies, and what can be wrong with them.

use std::fmt;

use crate::{Code, Problem, Values, registry::Difference};

/// The configuration of a policy, complete: every key has its value.
///
/// The keys themselves, with units, defaults and ranges, stand in one table, in `resilience-keys`.
pub trait Settings: Clone + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// Each key with its value as text, in the order of the table. Two configurations that differ, differ here.
    fn entries(&self) -> Vec<(&'static str, String)>;

    /// The keys in which another configuration differs from this one.
    fn differences(&self, asked: &Self) -> Vec<Difference> {
        let pairs = self.entries().into_iter().zip(asked.entries());
        pairs
            .filter(|(existing, asked)| existing != asked)
            .map(|((key, existing), (_, asked))| Difference { key, existing, asked })
            .collect()
    }

    /// All that is wrong with it; empty if it is valid. The paths are bare key names.
    fn problems(&self) -> Vec<Problem>;

    /// The configuration in which these keys are set and all others have their defaults. `None` for a policy without a
    /// table of keys in `resilience-keys`: files and the environment have no say in it.
    fn from_values(values: &Values) -> Option<Self> {
        _ = values;
        None
    }

    /// All keys that are set, so that `from_values` makes the same configuration of them.
    fn values(&self) -> Values {
        Values::new()
    }
}

/// What code wrote of an instance: the layer between a file's defaults and what a file says of the instance itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// The keys that code set.
    pub values: Values,
    /// The named config that code builds on.
    pub base: Option<String>,
    /// Whether the keys that code set stay as they are, whatever files and the environment say.
    pub locked: bool,
}

/// All that is wrong with the configuration of one instance.
///
/// ```
/// use resilience_core::{Kind, Code};
///
/// let error = Kind::new("Not A Kind").unwrap_err();
/// assert_eq!(error.code(), Code::InvalidConfig);
/// assert_eq!(error.problems().len(), 1);
/// ```
///
/// `Debug` says what `Display` says, one problem per line: it is what `main` and `unwrap` show.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfigError {
    code: Code,
    instance: String,
    problems: Vec<Problem>,
}

impl ConfigError {
    /// `problems` with `instance`; `Ok` if there are none.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all the problems, if there are any.
    pub fn check(instance: impl Into<String>, problems: Vec<Problem>) -> Result<(), Self> {
        Self::checked(Code::InvalidConfig, instance, problems)
    }

    /// As [`ConfigError::check`], for a configuration that code and other sources made together.
    ///
    /// # Errors
    ///
    /// R4C-REG-003 with all the problems, if there are any.
    pub fn check_merged(instance: impl Into<String>, problems: Vec<Problem>) -> Result<(), Self> {
        Self::checked(Code::InvalidMergedConfig, instance, problems)
    }

    fn checked(code: Code, instance: impl Into<String>, problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self { code, instance: instance.into(), problems }) }
    }

    pub(crate) fn of(instance: &str, problem: Problem) -> Self {
        Self { code: Code::InvalidConfig, instance: instance.into(), problems: vec![problem] }
    }

    /// R4C-REG-001 if the configuration was given in code, R4C-REG-003 if files or the environment had a part in it.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The instance that was to get this configuration.
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// All that is wrong, each with its own code, value and what is allowed.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instance, problems, .. } = self;
        write!(f, "{}: invalid configuration of `{instance}`", self.code())?;
        problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ConfigError {}
