//! A trait behind all five policies, by the macro and by hand.

use std::future::ready;

use resilience::prelude::*;

use crate::{Failure, Full, Quota, answer};

/// What a protected call returns.
pub type Guarded = Result<u8, Refused>;

/// An error with a place for rejections.
#[derive(Clone, Copy, Debug, FromRejection)]
pub enum Refused {
    /// By a policy.
    Rejected(Rejection),
    /// By the call.
    Failed(Failure),
}

/// A service.
#[resilient]
pub trait Service {
    /// On the caller's thread.
    ///
    /// # Errors
    ///
    /// Never.
    #[retry]
    #[circuit_breaker]
    #[rate_limiter(permits = 1_000, period = "1s")]
    #[timeout(timeout = "2s", on_blocking = "late")]
    #[bulkhead]
    fn call(&self) -> Guarded;

    /// The same, with another answer where there is none.
    ///
    /// # Errors
    ///
    /// Never.
    #[retry]
    #[circuit_breaker]
    #[rate_limiter(permits = 1_000, period = "1s")]
    #[timeout(timeout = "2s", on_blocking = "late")]
    #[bulkhead]
    #[fallback(method = "instead")]
    fn call_or(&self) -> Guarded;

    /// The other answer.
    ///
    /// # Errors
    ///
    /// Always: nobody calls it.
    fn instead(&self, error: &Refused) -> Guarded {
        Err(*error)
    }

    /// As a future.
    #[retry]
    #[circuit_breaker]
    #[rate_limiter(permits = 1_000, period = "1s")]
    #[timeout("2s")]
    #[bulkhead]
    fn call_async(&self) -> impl Future<Output = Guarded> + Send;
}

/// Answers at once.
#[derive(Clone, Copy, Debug)]
pub struct AtOnce;

impl Service for AtOnce {
    #[inline]
    fn call(&self) -> Guarded {
        answer().map_err(Refused::Failed)
    }

    #[inline]
    fn call_or(&self) -> Guarded {
        self.call()
    }

    #[inline]
    fn call_async(&self) -> impl Future<Output = Guarded> + Send {
        ready(self.call())
    }
}

/// As one would write it.
#[derive(Clone, Debug)]
pub struct ByHand {
    delegate: AtOnce,
    call: Full,
    call_or: Full,
    call_async: Full,
}

impl ByHand {
    /// With pipelines on this clock.
    pub fn new(clock: &Clock) -> Self {
        let [call, call_or, call_async] = [(); 3].map(|()| Quota::WHOLE.full_pipeline(clock));
        Self { delegate: AtOnce, call, call_or, call_async }
    }
}

impl Service for ByHand {
    fn call(&self) -> Guarded {
        self.call.execute(|| self.delegate.call()).map_err(Error::flatten)
    }

    fn call_or(&self) -> Guarded {
        let called = self.call_or.execute(|| self.delegate.call_or()).map_err(Error::flatten);
        called.or_else(|error| self.delegate.instead(&error))
    }

    async fn call_async(&self) -> Guarded {
        self.call_async.execute_async(|| self.delegate.call_async()).await.map_err(Error::flatten)
    }
}

/// The same by the macro.
///
/// # Panics
///
/// Never: its values are valid.
pub fn by_macro(clock: &Clock) -> ServiceResilient<AtOnce> {
    ServiceResilient::new(AtOnce, &Registry::builder().clock(clock).build()).expect("its values are valid")
}
