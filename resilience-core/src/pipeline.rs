//! Policies composed in one documented order, and the calls through them.

mod build;
mod call;
mod own;
mod part;
mod slots;

use std::fmt;

use crate::{
    CallOptions, Classify, Clock, Error, Id, Registry, RegistryError,
    driver::{self, Execute, Spans, Target},
    fallback::{NoFallback, Recover},
    outcome::ByResult,
    stack::{Call, Once, Ordered, Stack},
};

pub use build::PipelineBuilder;
pub use part::{Draft, Part};
pub use slots::{Empty, Insert, Seal, Slot};

/// Policies around calls, outermost first:
///
/// ```text
/// Fallback > Retry > CircuitBreaker > RateLimiter > Timeout > Bulkhead > the call
/// ```
///
/// The type spells out what is in it, so a call costs what its policies cost and no more. A pipeline with a rate
/// limiter is a `Pipeline<(Arc<RateLimiter>, Call)>`, which can be named in a field; with a classifier `C` or a fallback
/// it is a `Pipeline<S, C, Fallback<fn(&Error<E>) -> Result<T, E>>>`, for calls that return that very `Result`.
///
/// ```
/// use resilience_core::{Error, Pipeline, Registry};
///
/// let registry = Registry::new();
/// let pipeline = Pipeline::builder(&registry, "search").fallback(|_: &Error<String>| Ok(0)).build()?;
///
/// assert_eq!(pipeline.execute(|| Ok(7)), Ok(7));
/// assert_eq!(pipeline.execute(|| Err("down".to_string())), Ok(0));
/// # Ok::<(), resilience_core::RegistryError>(())
/// ```
#[derive(Clone)]
pub struct Pipeline<S, C = ByResult, B = NoFallback> {
    id: Id,
    clock: Clock,
    stack: S,
    classifier: C,
    fallback: B,
    spans: Spans,
}

impl Pipeline<Call> {
    /// Begins a pipeline whose policies are instances of `registry`, under this id unless they are given a name.
    pub fn builder(registry: &Registry, id: impl Into<Id>) -> PipelineBuilder<Empty> {
        PipelineBuilder::new(registry, id.into())
    }
}

impl<S: Stack> Pipeline<S> {
    /// A pipeline of policies you have at hand, nested as `(outer, (inner, Call))`. Out of the documented order, it
    /// does not compile.
    ///
    /// # Errors
    ///
    /// R4C-REG-001 if a policy keeps its state on another clock than the registry's.
    pub fn ordered(registry: &Registry, id: impl Into<Id>, stack: S) -> Result<Self, RegistryError>
    where
        S: Ordered,
    {
        Self::custom_order(registry, id, stack)
    }

    /// A pipeline of policies you have at hand in whatever order you nest them, on purpose.
    ///
    /// # Errors
    ///
    /// R4C-ORD-001 if a layer stands in it twice, R4C-REG-001 if a policy keeps its state on another clock than the
    /// registry's.
    pub fn custom_order(registry: &Registry, id: impl Into<Id>, stack: S) -> Result<Self, RegistryError> {
        let id = id.into();
        build::check(registry, id, &stack)?;
        Ok(Self::new(registry, id, stack, ByResult, NoFallback))
    }
}

impl<S, C, B> Pipeline<S, C, B> {
    fn new(registry: &Registry, id: Id, stack: S, classifier: C, fallback: B) -> Self {
        Self { id, clock: registry.clock().clone(), stack, classifier, fallback, spans: Spans::OFF }
    }

    /// The id.
    pub fn id(&self) -> Id {
        self.id
    }

    /// The clock on which all policies decide and wait.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The policies.
    pub fn stack(&self) -> &S {
        &self.stack
    }

    /// Tells the policies what results mean; by default `Ok` is a success and `Err` a failure.
    ///
    /// ```
    /// use resilience_core::{Class, Kind, Pipeline, Registry};
    ///
    /// let pipeline = Pipeline::builder(&Registry::new(), "search").build()?;
    /// let pipeline = pipeline.with_classifier(|status: &Result<u16, std::io::Error>| match status {
    ///     Ok(500..) | Err(_) => Class::failure(Kind::FAILED),
    ///     Ok(404) => Class::Ignored,
    ///     Ok(_) => Class::Success,
    /// });
    /// assert!(matches!(pipeline.execute(|| Ok(503)), Ok(503)));
    /// # Ok::<(), resilience_core::RegistryError>(())
    /// ```
    #[must_use]
    pub fn with_classifier<D>(self, classifier: D) -> Pipeline<S, D, B> {
        let Self { id, clock, stack, classifier: _, fallback, spans } = self;
        Pipeline { id, clock, stack, classifier, fallback, spans }
    }

    /// Gives each call a span of the `tracing` crate, for subscribers that want it: `resilience.call`, at the level
    /// `INFO`, with the target `resilience`. It is current only while the call runs on its thread or is polled, so the
    /// events of its policies and what it logs itself stand in it.
    ///
    /// Fields: `id` of the pipeline; and once it has ended `attempts` (how often what it calls was called), `outcome`
    /// (`success`, `failure`, `rejected`, `panicked`, or `dropped` before its end: what the caller got) and the `code` of
    /// a rejection.
    #[cfg(feature = "tracing")]
    #[must_use]
    pub fn traced(mut self) -> Self {
        self.spans = Spans::ON;
        self
    }
}

impl<S: Stack, C, B> Pipeline<S, C, B> {
    /// Runs `call` on this thread, which waits where a policy says so. See [`Pipeline::execute_once`] for an `FnOnce`.
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] if a policy did not let it through, [`Error::Failed`] with its own error if it failed.
    ///
    /// # Panics
    ///
    /// If `call` does: the policies are told, and the panic goes on unchanged.
    #[inline]
    pub fn execute<T, E, F>(&self, call: F) -> Result<T, Error<E>>
    where
        F: FnMut() -> Result<T, E>,
        C: Classify<T, E>,
        B: Recover<T, E>,
    {
        driver::execute(self, CallOptions::new(), call)
    }

    /// As [`Pipeline::execute`], with options.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::execute`]; and R4C-RT-003 when the deadline of the options has passed or makes a wait useless,
    /// R4C-RT-005 when the wait was interrupted.
    #[inline]
    pub fn execute_with<T, E, F>(&self, options: CallOptions, call: F) -> Result<T, Error<E>>
    where
        F: FnMut() -> Result<T, E>,
        C: Classify<T, E>,
        B: Recover<T, E>,
    {
        driver::execute(self, options, call)
    }

    /// As [`Pipeline::execute`], for a call that can be made only once: where nothing in the stack tries again.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::execute`].
    #[inline]
    pub fn execute_once<T, E, F>(&self, call: F) -> Result<T, Error<E>>
    where
        S: Once,
        F: FnOnce() -> Result<T, E>,
        C: Classify<T, E>,
        B: Recover<T, E>,
    {
        self.execute_once_with(CallOptions::new(), call)
    }

    /// As [`Pipeline::execute_once`], with options.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::execute_with`].
    #[inline]
    pub fn execute_once_with<T, E, F>(&self, options: CallOptions, call: F) -> Result<T, Error<E>>
    where
        S: Once,
        F: FnOnce() -> Result<T, E>,
        C: Classify<T, E>,
        B: Recover<T, E>,
    {
        let mut call = Some(call);
        self.execute_with(options, || call.take().expect("nothing in the stack tries again")())
    }

    /// Runs the future of `call`. Does nothing until polled; dropping it ends the call. See
    /// [`Pipeline::execute_future`] for a future at hand.
    ///
    /// `call` makes a future for each attempt. What it counts must be counted before the future:
    /// `|| { attempt += 1; send(attempt) }`.
    ///
    /// ```
    /// # use resilience_core::{Pipeline, Registry};
    /// # futures_lite::future::block_on(async {
    /// let pipeline = Pipeline::builder(&Registry::new(), "search").build()?;
    /// let query = String::from("resilience");
    /// let length = pipeline.execute_async(|| async { Ok::<_, std::io::Error>(query.len()) }).await;
    /// assert!(matches!(length, Ok(10)));
    /// # Ok::<(), resilience_core::RegistryError>(())
    /// # });
    /// ```
    #[inline]
    pub fn execute_async<T, E, F, Fut>(&self, call: F) -> Execute<&Self, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
        C: Classify<T, E>,
        B: Recover<T, E>,
    {
        Execute::new(self, CallOptions::new(), call)
    }

    /// As [`Pipeline::execute_async`], with options.
    #[inline]
    pub fn execute_async_with<T, E, F, Fut>(&self, options: CallOptions, call: F) -> Execute<&Self, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
        C: Classify<T, E>,
        B: Recover<T, E>,
    {
        Execute::new(self, options, call)
    }

    /// As [`Pipeline::execute_async`]; the future owns the pipeline and can outlive the caller.
    #[inline]
    pub fn execute_owned<T, E, F, Fut>(
        self: std::sync::Arc<Self>,
        options: CallOptions,
        call: F,
    ) -> Execute<std::sync::Arc<Self>, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
        C: Classify<T, E>,
        B: Recover<T, E>,
    {
        Execute::new(self, options, call)
    }

    /// Runs `future`, where nothing in the stack tries again.
    #[inline]
    pub fn execute_future<T, E, Fut>(
        &self,
        future: Fut,
    ) -> Execute<&Self, impl FnMut() -> Fut + use<S, C, B, T, E, Fut>, Fut>
    where
        S: Once,
        Fut: Future<Output = Result<T, E>>,
        C: Classify<T, E>,
        B: Recover<T, E>,
    {
        self.execute_future_with(CallOptions::new(), future)
    }

    /// As [`Pipeline::execute_future`], with options.
    #[inline]
    pub fn execute_future_with<T, E, Fut>(
        &self,
        options: CallOptions,
        future: Fut,
    ) -> Execute<&Self, impl FnMut() -> Fut + use<S, C, B, T, E, Fut>, Fut>
    where
        S: Once,
        Fut: Future<Output = Result<T, E>>,
        C: Classify<T, E>,
        B: Recover<T, E>,
    {
        let mut future = Some(future);
        self.execute_async_with(options, move || future.take().expect("nothing in the stack tries again"))
    }
}

impl<S: Stack, C, B> Target for Pipeline<S, C, B> {
    type Stack = S;
    type Classify = C;
    type Fallback = B;

    #[inline(always)]
    fn id(&self) -> Id {
        self.id
    }

    #[inline(always)]
    fn clock(&self) -> &Clock {
        &self.clock
    }

    #[inline(always)]
    fn stack(&self) -> &S {
        &self.stack
    }

    #[inline(always)]
    fn classifier(&self) -> &C {
        &self.classifier
    }

    #[inline(always)]
    fn fallback(&self) -> &B {
        &self.fallback
    }

    #[inline(always)]
    fn spans(&self) -> Spans {
        self.spans
    }
}

impl<S: Stack, C, B> fmt::Debug for Pipeline<S, C, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut layers = Vec::new();
        self.stack.visit(&mut |layer, policy| layers.push((layer, policy.id())));
        f.debug_struct("Pipeline").field("id", &self.id).field("layers", &layers).finish_non_exhaustive()
    }
}
