//! All five policies around one call that succeeds: retry, breaker, limiter, timeout, bulkhead.

use std::time::Duration;

use resilience_benches::{Contender, Quota, Scene, Suite};
use tower::Layer;
use tower_resilience::{
    bulkhead::BulkheadLayer, circuitbreaker::CircuitBreakerLayer, ratelimiter::RateLimiterLayer, retry::RetryLayer,
    timelimiter::TimeLimiterLayer,
};

use crate::{
    floor,
    service::{self, inside},
};

const TOWER: &str = "tower-resilience";

const SUCCESS: &str = "success";

pub(crate) fn suite() -> Suite {
    let contenders = vec![tower_resilience(Scene::alone(SUCCESS)), floor::steps_of_a_stack()];
    Suite { policy: "stack", references: &[TOWER, floor::STEPS_OF_A_STACK], contenders }
}

fn tower_resilience(scene: Scene) -> Contender {
    let Quota { permits, period } = Quota::PLENTY;
    let bulkhead = BulkheadLayer::builder().max_concurrent_calls(25).build().expect("a valid number");
    let timeout = TimeLimiterLayer::builder().timeout_duration(Duration::from_secs(2)).build();
    let limiter = RateLimiterLayer::builder().limit_for_period(permits as usize).refresh_period(period);
    let limiter = limiter.build().expect("a valid quota");
    let breaker = CircuitBreakerLayer::builder().sliding_window_size(100).build().expect("a valid window");
    let retry = RetryLayer::builder().max_attempts(3).exponential_backoff(Duration::from_millis(100)).build();
    let service = breaker.layer(limiter.layer(timeout.layer(bulkhead.layer(inside()))));
    service::tower(TOWER, scene, retry.layer(service))
}
