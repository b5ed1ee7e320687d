//! Configurations of policies, and what can be wrong with them.

use std::fmt;

use crate::{Code, Problem};

/// The configuration of a policy, complete: every key has its value.
///
/// The keys themselves, with units, defaults and ranges, stand in one table, in `resilience-keys`.
pub trait Settings: Clone + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// Each key with its value as text, in the order of the table. Two configurations that differ, differ here.
    fn entries(&self) -> Vec<(&'static str, String)>;

    /// All that is wrong with it; empty if it is valid. The paths are bare key names.
    fn problems(&self) -> Vec<Problem>;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
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
        if problems.is_empty() { Ok(()) } else { Err(Self { instance: instance.into(), problems }) }
    }

    pub(crate) fn of(instance: &str, problem: Problem) -> Self {
        Self { instance: instance.into(), problems: vec![problem] }
    }

    /// R4C-REG-001: the configuration was given in code.
    pub fn code(&self) -> Code {
        Code::InvalidConfig
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
        let Self { instance, problems } = self;
        write!(f, "{}: invalid configuration of `{instance}`", self.code())?;
        problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl std::error::Error for ConfigError {}
