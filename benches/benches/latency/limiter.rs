//! Limiters that calls can wait for, without a burst: one permit per interval.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    pin::Pin,
    rc::Rc,
    time::Duration,
};

use resilience::prelude::*;
use tokio::sync::Mutex;
use tower::{Layer, Service, ServiceExt, limit::RateLimit, limit::rate::Rate, service_fn, util::ServiceFn};
use tower_resilience::ratelimiter::RateLimiterLayer;

/// Longer than any run.
const HOUR: Duration = Duration::from_secs(3600);

#[derive(Clone)]
pub(crate) struct Limiter {
    pub(crate) name: &'static str,
    take: Rc<dyn Fn() -> Wait>,
}

type Wait = Pin<Box<dyn Future<Output = ()>>>;

/// Made inside the runtime that they wait in.
pub(crate) const ALL: [fn(Duration) -> Limiter; 5] = [resilience, governor, leaky_bucket, tower, tower_resilience];

impl Limiter {
    fn new<L: 'static, F: Future<Output = ()> + 'static>(
        name: &'static str,
        limiter: L,
        take: impl Fn(Rc<L>) -> F + 'static,
    ) -> Self {
        let limiter = Rc::new(limiter);
        Self { name, take: Rc::new(move || Box::pin(take(Rc::clone(&limiter)))) }
    }

    /// Waits for a permit.
    pub(crate) fn take(&self) -> Wait {
        (self.take)()
    }
}

fn resilience(interval: Duration) -> Limiter {
    let limiter = RateLimiter::builder().permits(1).period(interval).max_wait(HOUR);
    let limiter = limiter.clock(Clock::system()).build().expect("the quota is within the bounds");
    Limiter::new("resilience", limiter, |it| async move { it.acquire_async().await.expect("it may wait for long") })
}

fn governor(interval: Duration) -> Limiter {
    let quota = governor::Quota::with_period(interval).expect("an interval"); // a burst of one
    let limiter = governor::DefaultDirectRateLimiter::direct(quota);
    Limiter::new("governor", limiter, |it| async move { it.until_ready().await })
}

fn leaky_bucket(interval: Duration) -> Limiter {
    let limiter = leaky_bucket::RateLimiter::builder().max(1).initial(1).refill(1).interval(interval).build();
    Limiter::new("leaky-bucket", limiter, |it| async move { it.acquire_one().await })
}

type Inside = ServiceFn<fn(()) -> Ready<Result<(), Infallible>>>;

fn inside() -> Inside {
    service_fn(|()| ready(Ok(())))
}

/// It belongs to one caller. Those of many come to it one after the other, as from tower's buffer.
fn tower(interval: Duration) -> Limiter {
    let limiter = Mutex::new(RateLimit::new(inside(), Rate::new(1, interval)));
    Limiter::new("tower", limiter, |it| async move {
        let mut limiter = it.lock().await;
        limiter.ready().await.expect("it never fails").call(()).await.expect("it never fails");
    })
}

fn tower_resilience(interval: Duration) -> Limiter {
    let layer = RateLimiterLayer::builder().limit_for_period(1).refresh_period(interval).timeout_duration(HOUR);
    let limiter = layer.build().expect("a valid quota").layer(inside());
    Limiter::new("tower-resilience", limiter, |it| async move {
        it.as_ref().clone().oneshot(()).await.expect("it may wait for long");
    })
}
