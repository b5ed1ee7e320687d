//! The full stack of five.

mod cases;
mod classes;
mod contract;
mod deadlines;
mod errors;
mod order;
mod probes;
mod reads;

use std::sync::{Arc, Mutex};

use resilience::{
    Call, Clock, breaker, bulkhead, event,
    prelude::*,
    ratelimiter, retry,
    testing::{Ledger, Watched},
    timeout,
};

/// All five, as the builder nests them.
pub(crate) type Five = (Arc<Retry>, (Arc<CircuitBreaker>, (Arc<RateLimiter>, (Arc<Timeout>, (Arc<Bulkhead>, Call)))));

/// All five, each with its books.
pub(crate) type WatchedFive =
    (Watched<Retry>, (Watched<CircuitBreaker>, (Watched<RateLimiter>, (Watched<Timeout>, (Watched<Bulkhead>, Call)))));

/// What a test sets; everything else has its default.
#[derive(Clone, Copy)]
pub(crate) struct Set {
    pub(crate) retry: fn(retry::Builder) -> retry::Builder,
    pub(crate) breaker: fn(breaker::Builder) -> breaker::Builder,
    pub(crate) limiter: fn(ratelimiter::Builder) -> ratelimiter::Builder,
    pub(crate) timeout: fn(timeout::Builder) -> timeout::Builder,
    pub(crate) bulkhead: fn(bulkhead::Builder) -> bulkhead::Builder,
}

impl Default for Set {
    fn default() -> Self {
        Self { retry: |it| it, breaker: |it| it, limiter: |it| it, timeout: |it| it, bulkhead: |it| it }
    }
}

/// The five in a pipeline, their handles, and what they published.
pub(crate) struct Stack {
    pub(crate) pipeline: Pipeline<Five>,
    pub(crate) retry: Arc<Retry>,
    pub(crate) breaker: Arc<CircuitBreaker>,
    pub(crate) limiter: Arc<RateLimiter>,
    pub(crate) timeout: Arc<Timeout>,
    pub(crate) bulkhead: Arc<Bulkhead>,
    events: Arc<Mutex<Vec<String>>>,
    listening: Option<event::Subscription>,
}

impl Stack {
    pub(crate) fn new(clock: impl Into<Clock>, set: Set) -> Self {
        let registry = Registry::builder().clock(clock).seed(1).build();
        let builder = Pipeline::builder(&registry, "p").bulkhead(set.bulkhead).timeout(set.timeout);
        let builder = builder.rate_limiter(set.limiter).circuit_breaker(set.breaker).retry(set.retry);
        let pipeline = builder.build().expect("valid configurations");
        let (retry, (breaker, (limiter, (timeout, (bulkhead, Call))))) = pipeline.stack().clone();
        let events = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&events);
        let listening = registry.events().subscribe(move |event: &event::Event<'_>| {
            list.lock().unwrap().push(format!("{}: {}", event.policy, event.payload));
        });
        Self { pipeline, retry, breaker, limiter, timeout, bulkhead, events, listening: Some(listening) }
    }

    /// From here on nobody listens.
    pub(crate) fn unheard(mut self) -> Self {
        self.listening = None;
        self
    }

    /// What was published since this was asked last.
    pub(crate) fn events(&self) -> Vec<String> {
        std::mem::take(&mut self.events.lock().unwrap())
    }

    /// The same instances, each with its books.
    pub(crate) fn watched(&self) -> WatchedFive {
        let (retry, breaker) = (Ledger::new(Arc::clone(&self.retry)), Ledger::new(Arc::clone(&self.breaker)));
        let (limiter, timeout) = (Ledger::new(Arc::clone(&self.limiter)), Ledger::new(Arc::clone(&self.timeout)));
        let bulkhead = Ledger::new(Arc::clone(&self.bulkhead));
        (retry.into(), (breaker.into(), (limiter.into(), (timeout.into(), (bulkhead.into(), Call)))))
    }
}
