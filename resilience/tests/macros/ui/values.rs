//! B53: values out of range, of the wrong type or contradicting each other. All at once.

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

#[resilient]
trait Api {
    #[rate_limiter(permits = 10_000_000_000, period = "0", max_wait = "1.5s")]
    #[circuit_breaker(failure_rate_threshold = 150, slow_call_rate_threshold = -1.0, window_type = "tiem")]
    #[retry(max_attempts = 0, jitter = "", retry_on = ["timed_ou"], budget_percent = 0)]
    #[bulkhead(max_concurrent = -1, max_queue = 3.7, enabled = "yes")]
    async fn ranges(&self) -> Result<(), Failure>;

    #[rate_limiter(permits = true, period = "")]
    #[circuit_breaker(minimum_calls = 30, window_size = 20, max_wait_in_open = "1s", wait_in_open = "2s")]
    #[retry(delay = "2s", max_delay = "1s")]
    #[bulkhead(max_concurrent = 4_000_000_000)]
    async fn contradictions(&self) -> Result<(), Failure>;

    #[rate_limiter(permits = -1)]
    #[circuit_breaker(failure_rate_threshold = f64::NAN, slow_call_rate_threshold = -1)]
    async fn negative(&self) -> Result<(), Failure>;

    #[rate_limiter(permits = 0)]
    async fn zero(&self) -> Result<(), Failure>;

    #[rate_limiter(permits = 3.7)]
    async fn fraction(&self) -> Result<(), Failure>;

    #[rate_limiter(permits = "")]
    async fn empty(&self) -> Result<(), Failure>;

    #[rate_limiter(permits = 4_294_967_297)]
    async fn wraps(&self) -> Result<(), Failure>;

    #[rate_limiter(permits = 100, period = "99ns", permits = 2)]
    async fn too_short(&self) -> Result<(), Failure>;
}

fn main() {}
