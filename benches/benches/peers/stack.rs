//! All five policies around one call that succeeds: retry, breaker, limiter, timeout, bulkhead.

use std::{future::ready, hint::black_box, task::Poll, time::Duration};

use resilience::Clock;
use resilience_benches::{Contender, Quota, Scene, Suite, answer, poll_once};
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
    let contenders = [resilience, resilience_async, tower_resilience].map(|it| it(Scene::alone(SUCCESS)));
    let mut contenders = Vec::from(contenders);
    contenders.push(floor::steps_of_a_stack());
    contenders.extend(floor::call_in_a_stack());
    Suite { policy: "stack", references: &[TOWER, floor::STEPS_OF_A_STACK], contenders }
}

fn resilience(scene: Scene) -> Contender {
    let pipeline = Quota::PLENTY.full_pipeline(&Clock::system());
    Contender::new("resilience, sync", scene, move || black_box(&pipeline.execute(answer)).is_ok())
}

fn resilience_async(scene: Scene) -> Contender {
    let pipeline = Quota::PLENTY.full_pipeline(&Clock::system());
    Contender::new("resilience, async", scene, move || {
        let call = pipeline.execute_async(|| ready(answer()));
        matches!(black_box(&poll_once(call)), Poll::Ready(Ok(_)))
    })
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
