use resilience_core::Rejection;

use crate::RateLimiter;

/// Takes a permit of each limiter, or none of any; never waits.
///
/// ```
/// use resilience_ratelimiter::{RateLimiter, try_acquire_all};
///
/// let (tenant, total) = (RateLimiter::builder().permits(5).build()?, RateLimiter::builder().permits(50).build()?);
/// try_acquire_all([&tenant, &total]).expect("both have one");
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
///
/// # Errors
///
/// As [`try_acquire_all_n`].
pub fn try_acquire_all<'a>(limiters: impl IntoIterator<Item = &'a RateLimiter>) -> Result<(), Rejection> {
    let asked: Vec<_> = limiters.into_iter().map(|limiter| (limiter, 1)).collect();
    try_acquire_all_n(&asked)
}

/// Takes so many permits of each limiter, or none of any; never waits.
///
/// A limiter may stand in the list twice. While one of them is asked, a caller beside may see permits of the others
/// taken that are given back a moment later; none is lost.
///
/// # Errors
///
/// Of the limiters that have not enough: the rejection of the one that takes longest to have them, so that its
/// `retry_after` is the largest; R4C-RT-006 if one can never give so many.
pub fn try_acquire_all_n(asked: &[(&RateLimiter, u64)]) -> Result<(), Rejection> {
    let worst = asked
        .iter()
        .filter_map(|(limiter, n)| Some((*limiter, limiter.peek(*n)?)))
        .max_by_key(|(_, rejection)| (rejection.retry_after().is_none(), rejection.retry_after()));
    if let Some((limiter, rejection)) = worst {
        limiter.tell(rejection);
        return Err(rejection);
    }
    for (at, (limiter, n)) in asked.iter().enumerate() {
        if let Err(rejection) = limiter.try_acquire_n(*n) {
            for (limiter, n) in &asked[..at] {
                limiter.refund(*n);
            }
            return Err(rejection);
        }
    }
    Ok(())
}
