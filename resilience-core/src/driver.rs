//! Drivers do the waiting that policies ask for: one for threads, one for futures. All they decide, they decide in
//! [`Flight`], so that sync and async cannot differ.

mod flight;
mod future;
mod span;
mod straight;
mod sync;

use crate::{
    CallOptions, Classify, Clock, Error, Id, Kind, Outcome, Policy, Rejection,
    fallback::{NoFallback, Recover},
    outcome::ByResult,
    stack::{Call, Stack, count},
};
use flight::{Flight, Running, Stage, Want};
use straight::{Straight, finish};

pub use future::Execute;
pub(crate) use span::{CallSpan, Spans};
pub(crate) use sync::execute;

/// What a driver needs to run a call: a pipeline, or a policy on its own.
#[doc(hidden)]
pub trait Target {
    type Stack: Stack;
    type Classify;
    type Fallback;

    fn id(&self) -> Id;
    fn clock(&self) -> &Clock;
    fn stack(&self) -> &Self::Stack;
    fn classifier(&self) -> &Self::Classify;
    fn fallback(&self) -> &Self::Fallback;

    /// Whether each call has a span of its own.
    #[inline(always)]
    fn spans(&self) -> Spans {
        Spans::OFF
    }

    /// What the layers are told of `result`.
    #[inline(always)]
    fn outcome<T, E>(&self, result: &Result<T, E>) -> Outcome
    where
        Self::Classify: Classify<T, E>,
    {
        self.classifier().classify(result).into()
    }

    /// What the caller gets of a call that came out the straight way, which is counted. The compiler knows best in each of
    /// the two arms how the call ended.
    #[inline(always)]
    fn counted<T, E>(&self, result: Result<T, E>, outcome: &Outcome) -> Result<T, Error<E>>
    where
        Self::Fallback: Recover<T, E>,
    {
        match result {
            Ok(value) => {
                count::all(self.stack(), outcome);
                Ok(value)
            }
            Err(error) => {
                count::all(self.stack(), outcome);
                self.answer(Err(error), outcome.kind())
            }
        }
    }

    /// What the caller gets once the layers are done.
    #[inline(always)]
    fn answer<T, E>(&self, result: Result<T, E>, kind: Option<Kind>) -> Result<T, Error<E>>
    where
        Self::Fallback: Recover<T, E>,
    {
        match (result, kind) {
            (Ok(value), _) => Ok(value),
            (Err(error), None) => Err(Error::Failed(error)),
            (Err(error), Some(kind)) => self.fallback().recover(self.id(), kind, Error::Failed(error)),
        }
    }

    /// What the caller gets when a layer rejected the call.
    #[inline(always)]
    fn refusal<T, E>(&self, rejection: Rejection) -> Result<T, Error<E>>
    where
        Self::Fallback: Recover<T, E>,
    {
        self.fallback().recover(self.id(), rejection.kind(), Error::Rejected(rejection))
    }
}

macro_rules! forward {
    ($($pointer:ty),+) => {$(
        impl<R: Target> Target for $pointer {
            type Stack = R::Stack;
            type Classify = R::Classify;
            type Fallback = R::Fallback;

            fn id(&self) -> Id {
                (**self).id()
            }

            #[inline(always)]
            fn clock(&self) -> &Clock {
                (**self).clock()
            }

            #[inline(always)]
            fn stack(&self) -> &Self::Stack {
                (**self).stack()
            }

            #[inline(always)]
            fn classifier(&self) -> &Self::Classify {
                (**self).classifier()
            }

            #[inline(always)]
            fn fallback(&self) -> &Self::Fallback {
                (**self).fallback()
            }

            #[inline(always)]
            fn spans(&self) -> Spans {
                (**self).spans()
            }
        }
    )+};
}

forward!(&R, std::sync::Arc<R>);

/// One policy on its own clock, without a pipeline: what `execute` on a policy runs through.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Solo<'a, P> {
    stack: (P, Call),
    clock: &'a Clock,
}

impl<'a, P: Policy> Solo<'a, P> {
    #[inline(always)]
    pub const fn new(policy: P, clock: &'a Clock) -> Self {
        Self { stack: (policy, Call), clock }
    }

    /// Runs `call` on this thread.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::execute_with`](crate::Pipeline::execute_with).
    #[inline(always)]
    pub fn execute<T, E>(self, options: CallOptions, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        execute(self, options, call)
    }

    /// Runs the future of `call`.
    #[inline]
    pub fn execute_async<F, Fut, T, E>(self, options: CallOptions, call: F) -> Execute<Self, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        Execute::new(self, options, call)
    }
}

impl<P: Policy> Target for Solo<'_, P> {
    type Stack = (P, Call);
    type Classify = ByResult;
    type Fallback = NoFallback;

    fn id(&self) -> Id {
        self.stack.0.id()
    }

    #[inline(always)]
    fn clock(&self) -> &Clock {
        self.clock
    }

    #[inline(always)]
    fn stack(&self) -> &Self::Stack {
        &self.stack
    }

    #[inline(always)]
    fn classifier(&self) -> &ByResult {
        &ByResult
    }

    #[inline(always)]
    fn fallback(&self) -> &NoFallback {
        &NoFallback
    }
}
