use resilience_benches::Suite;

use crate::{breaker, bulkhead, keyed, limiter, retry, stack, timeout};

/// Made one after the other, so that what one keeps does not burden the next.
pub(crate) const SUITES: [fn() -> Suite; 7] =
    [limiter::suite, keyed::suite, breaker::suite, retry::suite, timeout::suite, bulkhead::suite, stack::suite];
