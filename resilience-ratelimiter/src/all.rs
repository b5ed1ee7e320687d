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

/// Takes so many permits of each limiter, or none of any; never waits. A limiter that stands in the list twice is asked
/// for the sum.
///
/// While one of them is asked, a caller beside may see permits of the others taken that are given back a moment later;
/// none is lost.
///
/// # Errors
///
/// Of the limiters that have not enough: the rejection of the one that takes longest to have them, so that its
/// `retry_after` is the largest; R4C-RT-006 if one can never give so many.
pub fn try_acquire_all_n(asked: &[(&RateLimiter, u64)]) -> Result<(), Rejection> {
    let mut sums: Vec<(&RateLimiter, u64)> = Vec::with_capacity(asked.len());
    for (limiter, n) in asked {
        match sums.iter_mut().find(|(known, _)| std::ptr::eq(*known, *limiter)) {
            Some((_, sum)) => *sum = sum.saturating_add(*n),
            None => sums.push((limiter, *n)),
        }
    }
    let worst = sums
        .iter()
        .filter_map(|(limiter, n)| Some((*limiter, limiter.peek(*n)?)))
        .max_by_key(|(_, rejection)| (rejection.retry_after().is_none(), rejection.retry_after()));
    if let Some((limiter, rejection)) = worst {
        limiter.meter.rejected(rejection.code());
        limiter.tell(rejection);
        return Err(rejection);
    }
    let mut taken = Vec::with_capacity(sums.len());
    for (limiter, n) in sums {
        match limiter.take(n) {
            Ok(permits) => taken.push((limiter, permits)),
            Err(rejection) => {
                limiter.meter.rejected(rejection.code());
                for (limiter, permits) in taken {
                    limiter.refund(permits);
                }
                return Err(rejection);
            }
        }
    }
    for (limiter, _) in taken {
        limiter.meter.succeeded();
    }
    Ok(())
}
