//! Results that have a place for rejections.

use crate::{Error, Rejection};

/// What a protected call returns if its own error has a place for rejections: a `Result<T, E>` with `E: From<Rejection>`.
///
/// ```
/// use resilience_core::{Pipeline, Registry, Rejection};
///
/// #[derive(Debug, PartialEq)]
/// enum SearchError { Refused(Rejection), NotFound }
///
/// impl From<Rejection> for SearchError {
///     fn from(rejection: Rejection) -> Self { Self::Refused(rejection) }
/// }
///
/// let pipeline = Pipeline::builder(&Registry::new(), "search").build()?;
/// assert_eq!(pipeline.call(|| Err::<u8, _>(SearchError::NotFound)), Err(SearchError::NotFound));
/// # Ok::<(), resilience_core::RegistryError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a policy cannot protect a call that returns `{Self}`: it has no place for a rejection (R4C-MAC-001)",
    label = "not a `Result<T, E>` with `E: From<Rejection>`",
    note = "return a `Result<T, E>` and implement `From<resilience::Rejection>` for its error, by hand or with \
            `#[derive(FromRejection)]`; a method that cannot fail needs a `#[fallback(method = \"..\")]`"
)]
pub trait Fallible {
    /// What a call gives that succeeds.
    type Value;
    /// What a call gives that fails.
    type Error;

    /// As a `Result`.
    ///
    /// # Errors
    ///
    /// If it is one.
    fn into_result(self) -> Result<Self::Value, Self::Error>;

    /// From what a pipeline gives.
    fn from_result(result: Result<Self::Value, Error<Self::Error>>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T, E: From<Rejection>> Fallible for Result<T, E> {
    type Value = T;
    type Error = E;

    #[inline(always)]
    fn into_result(self) -> Self {
        self
    }

    #[inline(always)]
    fn from_result(result: Result<T, Error<E>>) -> Self {
        result.map_err(Error::flatten)
    }
}
