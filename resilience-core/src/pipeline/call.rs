//! Calls whose own error has a place for rejections.

use super::{
    Pipeline,
    own::{Inward, Outward},
};
use crate::{
    Fallible,
    fallback::Recover,
    outcome::Classify,
    stack::{Once, Stack},
};

impl<S: Stack, C, B> Pipeline<S, C, B> {
    /// As [`Pipeline::execute`], for a call whose own error has a place for rejections: gives back what it returns. What
    /// `#[resilient]` writes.
    ///
    /// ```
    /// use resilience_core::{Pipeline, Registry, Rejection};
    ///
    /// #[derive(Debug)]
    /// enum SearchError { Refused(Rejection) }
    ///
    /// impl From<Rejection> for SearchError {
    ///     fn from(rejection: Rejection) -> Self { Self::Refused(rejection) }
    /// }
    ///
    /// fn search(pipeline: &Pipeline<impl resilience_core::stack::Stack>) -> Result<u32, SearchError> {
    ///     pipeline.call(|| Ok(3))
    /// }
    /// # assert!(search(&Pipeline::builder(&Registry::new(), "search").build()?).is_ok());
    /// # Ok::<(), resilience_core::RegistryError>(())
    /// ```
    #[inline(always)]
    pub fn call<R, F>(&self, mut call: F) -> R
    where
        R: Fallible,
        F: FnMut() -> R,
        C: Classify<R::Value, R::Error>,
        B: Recover<R::Value, R::Error>,
    {
        R::from_result(self.execute(|| call().into_result()))
    }

    /// As [`Pipeline::call`], for a call that can be made only once: where nothing in the stack tries again.
    #[inline(always)]
    pub fn call_once<R, F>(&self, call: F) -> R
    where
        S: Once,
        R: Fallible,
        F: FnOnce() -> R,
        C: Classify<R::Value, R::Error>,
        B: Recover<R::Value, R::Error>,
    {
        R::from_result(self.execute_once(|| call().into_result()))
    }

    /// As [`Pipeline::call`], for the future of `call`; see [`Pipeline::execute_async`].
    #[inline(always)]
    pub fn call_async<R, F, Fut>(&self, mut call: F) -> impl Future<Output = R>
    where
        R: Fallible,
        F: FnMut() -> Fut,
        Fut: Future<Output = R>,
        C: Classify<R::Value, R::Error>,
        B: Recover<R::Value, R::Error>,
    {
        Outward::new(self.execute_async(move || Inward::new(call())))
    }

    /// As [`Pipeline::call_async`], for a future at hand: where nothing in the stack tries again.
    #[inline(always)]
    pub fn call_future<R, Fut>(&self, future: Fut) -> impl Future<Output = R>
    where
        S: Once,
        R: Fallible,
        Fut: Future<Output = R>,
        C: Classify<R::Value, R::Error>,
        B: Recover<R::Value, R::Error>,
    {
        Outward::new(self.execute_future(Inward::new(future)))
    }
}
