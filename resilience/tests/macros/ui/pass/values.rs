//! Values within their ranges, of the right type, in agreement.

#![allow(dead_code, reason = "compiled, not called")]

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

#[resilient]
trait Api {
    #[rate_limiter(permits = 1_000_000_000, period = "1s", max_wait = "0")]
    #[circuit_breaker(failure_rate_threshold = 100, slow_call_rate_threshold = 0.5, window_type = "time")]
    #[retry(max_attempts = 1, jitter = "none", retry_on = ["timed_out"], budget_percent = 100)]
    #[bulkhead(max_concurrent = 2_147_483_647, max_queue = 0, enabled = false)]
    async fn ranges(&self) -> Result<(), Failure>;

    #[rate_limiter(permits = 100, period = "100ns")]
    #[circuit_breaker(minimum_calls = 20, window_size = 20, max_wait_in_open = "2s", wait_in_open = "2s")]
    #[retry(delay = "2s", max_delay = "2s")]
    async fn agreement(&self) -> Result<(), Failure>;
}
