use std::{error, fmt, time::Duration};

use crate::{Code, Rejection};

/// Why a call through a policy gave no value: a policy rejected it, or the call itself failed.
///
/// ```
/// use resilience_core::Error;
///
/// fn describe(error: &Error<std::io::Error>) -> String {
///     match error {
///         Error::Rejected(rejection) => format!("not called, {}", rejection.code()),
///         Error::Failed(error) => format!("called, {error}"),
///     }
/// }
/// # describe(&Error::Failed(std::io::Error::other("broken")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error<E> {
    /// A policy rejected the call or cut it short.
    Rejected(Rejection),
    /// The call ran and returned this error.
    Failed(E),
}

impl<E> Error<E> {
    /// The rejection, if a policy rejected the call.
    pub fn rejection(&self) -> Option<&Rejection> {
        match self {
            Self::Rejected(rejection) => Some(rejection),
            Self::Failed(_) => None,
        }
    }

    /// The call's own error, if it ran.
    pub fn failure(&self) -> Option<&E> {
        match self {
            Self::Rejected(_) => None,
            Self::Failed(error) => Some(error),
        }
    }

    /// The stable code, if a policy rejected the call.
    pub fn code(&self) -> Option<Code> {
        self.rejection().map(Rejection::code)
    }

    /// When the same call would not be rejected, if a policy rejected it and can say so.
    pub fn retry_after(&self) -> Option<Duration> {
        self.rejection().and_then(Rejection::retry_after)
    }

    /// Changes the type of the call's own error.
    pub fn map<F>(self, op: impl FnOnce(E) -> F) -> Error<F> {
        match self {
            Self::Rejected(rejection) => Error::Rejected(rejection),
            Self::Failed(error) => Error::Failed(op(error)),
        }
    }

    /// Folds both into one error type that has a place for rejections.
    ///
    /// ```
    /// # use resilience_core::{Error, Rejection};
    /// #[derive(Debug)]
    /// enum SearchError { Refused(Rejection), NotFound }
    ///
    /// impl From<Rejection> for SearchError {
    ///     fn from(rejection: Rejection) -> Self { Self::Refused(rejection) }
    /// }
    ///
    /// let error = Error::Failed(SearchError::NotFound);
    /// assert!(matches!(error.flatten(), SearchError::NotFound));
    /// ```
    pub fn flatten(self) -> E
    where
        E: From<Rejection>,
    {
        match self {
            Self::Rejected(rejection) => rejection.into(),
            Self::Failed(error) => error,
        }
    }
}

impl<E> From<Rejection> for Error<E> {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(rejection) => rejection.fmt(f),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

/// Transparent: the source of a failed call is the source of its own error.
impl<E: error::Error> error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Rejected(_) => None,
            Self::Failed(error) => error.source(),
        }
    }
}
