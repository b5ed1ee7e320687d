use std::{error, fmt};

use crate::{Code, ConfigError, Id, Layer, nearest};

/// Why an instance or a pipeline could not be had.
///
/// `Debug` says what `Display` says: it is what `main` and `unwrap` show.
///
/// ```
/// use resilience_core::{Kind, RegistryError};
///
/// let invalid = Kind::new("Not A Kind").unwrap_err();
/// assert_eq!(format!("{invalid:?}"), invalid.to_string());
/// assert_eq!(format!("{:?}", RegistryError::Invalid(invalid.clone())), invalid.to_string());
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryError {
    /// R4C-REG-001: the configuration is invalid.
    Invalid(ConfigError),
    /// R4C-REG-008: the id has an instance with another configuration, which stays as it is.
    Conflict {
        /// The kind of policy.
        kind: &'static str,
        /// The id that is shared.
        id: Id,
        /// The keys with different values. Empty if the id belongs to another type of policy.
        differences: Vec<Difference>,
    },
    /// R4C-REG-009: there is no instance of this id.
    Unknown {
        /// The kind of policy.
        kind: &'static str,
        /// The id that was asked for.
        id: String,
        /// The known ids most like it, nearest first.
        known: Vec<Id>,
    },
    /// R4C-ORD-001: a layer stands twice in a custom order.
    DuplicateLayer {
        /// The pipeline.
        id: Id,
        /// The layer.
        layer: Layer,
    },
}

/// A key for which two configurations have different values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key.
    pub key: &'static str,
    /// The value of the instance that exists.
    pub existing: String,
    /// The value that was asked for.
    pub asked: String,
}

impl RegistryError {
    /// How many known ids an error lists at most.
    const LISTED: usize = 5;

    pub(super) fn unknown(kind: &'static str, id: &str, known: &[Id]) -> Self {
        let mut known: Vec<Id> = known.to_vec();
        known.sort();
        if let Some(near) = nearest(id, known.iter().map(|id| id.as_str())).and_then(Id::find) {
            known.retain(|id| *id != near);
            known.insert(0, near);
        }
        known.truncate(Self::LISTED);
        Self::Unknown { kind, id: id.into(), known }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::Invalid(error) => error.code(),
            Self::Conflict { .. } => Code::SharedNameConflict,
            Self::Unknown { .. } => Code::UnknownInstance,
            Self::DuplicateLayer { .. } => Code::DuplicateLayer,
        }
    }
}

impl From<ConfigError> for RegistryError {
    fn from(error: ConfigError) -> Self {
        Self::Invalid(error)
    }
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(error) => error.fmt(f),
            Self::Conflict { kind, id, differences } => {
                write!(f, "{}: the {kind} `{}` exists with another configuration: ", self.code(), id.escaped())?;
                if differences.is_empty() {
                    return f.write_str("it is of another type");
                }
                for (at, Difference { key, existing, asked }) in differences.iter().enumerate() {
                    let comma = if at > 0 { "; " } else { "" };
                    write!(f, "{comma}{key} is {existing}, asked for was {asked}")?;
                }
                Ok(())
            }
            Self::Unknown { kind, id, known } => {
                write!(f, "{}: there is no {kind} `{}`", self.code(), id.escape_debug())?;
                for (at, known) in known.iter().enumerate() {
                    write!(f, "{}`{}`", if at > 0 { ", " } else { "; known: " }, known.escaped())?;
                }
                Ok(())
            }
            Self::DuplicateLayer { id, layer } => {
                write!(f, "{}: the layer {layer} stands twice in the order of `{}`", self.code(), id.escaped())
            }
        }
    }
}

impl fmt::Debug for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl error::Error for RegistryError {}
