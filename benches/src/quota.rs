use std::{sync::Arc, time::Duration};

use resilience::{
    prelude::*,
    ratelimiter::keyed::{AtBound, KeyedRateLimiter},
};

/// So many permits per period: what a limiter, of ours or of a peer, is made for.
#[derive(Clone, Copy, Debug)]
pub struct Quota {
    /// How many, and how many at once after a quiet time.
    pub permits: u32,
    /// How often.
    pub period: Duration,
}

/// A pipeline with a rate limiter in it.
pub type Limited = Pipeline<(Arc<RateLimiter>, Call)>;

/// A pipeline with all five policies.
pub type Full =
    Pipeline<(Arc<Retry>, (Arc<CircuitBreaker>, (Arc<RateLimiter>, (Arc<Timeout>, (Arc<Bulkhead>, Call)))))>;

/// Longer than any benchmark.
const HOUR: Duration = Duration::from_secs(3600);

impl Quota {
    /// More than anybody can use up.
    pub const PLENTY: Self = Self::per_second(1_000_000_000);
    /// So little that what was taken does not come back while a benchmark runs.
    pub const SCARCE: Self = Self { permits: 1, period: Duration::from_secs(3600) };
    /// A permit every millisecond: an interval of whole nanoseconds.
    pub const WHOLE: Self = Self::per_second(1000);
    /// A permit every 1 3/7 ns: an interval that nanoseconds cannot tell.
    pub const FRACTIONAL: Self = Self::per_second(700_000_000);

    /// So many per second.
    pub const fn per_second(permits: u32) -> Self {
        Self { permits, period: Duration::from_secs(1) }
    }

    /// A full limiter that does not let calls wait.
    pub fn limiter(self, clock: &Clock) -> RateLimiter {
        self.patient_limiter(clock, Duration::ZERO)
    }

    /// A full limiter.
    pub fn patient_limiter(self, clock: &Clock, max_wait: Duration) -> RateLimiter {
        let builder = RateLimiter::builder().permits(self.permits).period(self.period);
        let limiter = builder.max_wait(max_wait).clock(clock).build();
        limiter.expect("the quota is within the bounds")
    }

    /// A limiter with so much for each of at most so many keys.
    pub fn keyed<K>(self, clock: &Clock, max_keys: u32) -> KeyedRateLimiter<K> {
        let builder = KeyedRateLimiter::builder().permits(self.permits).period(self.period);
        let builder = builder.max_keys(max_keys).at_bound(AtBound::EvictOldest).clock(clock);
        builder.build().expect("the quota is within the bounds")
    }

    /// A pipeline with all five policies and a full limiter.
    pub fn full_pipeline(self, clock: &Clock) -> Full {
        self.full_pipeline_in(&Registry::builder().clock(clock).build(), "full")
    }

    /// The same, as the instances `id` of a registry.
    pub fn full_pipeline_in(self, registry: &Registry, id: &str) -> Full {
        let builder = Pipeline::builder(registry, id).retry(|it| it).circuit_breaker(|it| it.wait_in_open(HOUR));
        let builder = builder.rate_limiter(|limiter| limiter.permits(self.permits).period(self.period));
        builder.timeout(|it| it).bulkhead(|it| it).build().expect("the quota is within the bounds")
    }

    /// A pipeline with a full limiter that does not let calls wait.
    pub fn pipeline(self, clock: &Clock) -> Limited {
        let registry = Registry::builder().clock(clock).build();
        let builder = Pipeline::builder(&registry, "limited");
        let builder = builder.rate_limiter(|limiter| limiter.permits(self.permits).period(self.period));
        builder.build().expect("the quota is within the bounds")
    }
}
