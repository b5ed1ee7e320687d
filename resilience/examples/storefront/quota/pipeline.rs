//! The policies around each call of the shop.

use std::sync::Arc;

use resilience::{Call, prelude::*};

use super::options::Options;

/// The instance id.
pub(crate) const ID: &str = "storefront";

pub(crate) type Storefront = Pipeline<(Arc<RateLimiter>, Call)>;

/// The shop without its limiter is the same program with the limiter disabled.
pub(crate) fn build(registry: &Registry, options: &Options, enabled: bool) -> Result<Storefront, RegistryError> {
    Pipeline::builder(registry, ID)
        .rate_limiter(|limiter| {
            limiter.permits(options.permits).period(options.period).max_wait(options.max_wait).enabled(enabled)
        })
        .build()
}
