//! Calls that may wait for their permits, on a thread or as a future: through core's drivers, as a policy of one key.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    hash::BuildHasher,
};

use resilience_core::{
    Admission, CallOptions, Clock, Cx, Error, Id, Outcome, Policy, Rejection, SinglePass, Solo, Verdict, Was, at,
};

use super::{KeyRef, KeyedRateLimiter, shards::Spot, terms::Answer};
use crate::{Event, acquire, request::Ask};

impl<K: Send, S: BuildHasher + Send + Sync> KeyedRateLimiter<K, S> {
    /// Takes a permit of `key`; waits for it on this thread, at most `max_wait`.
    ///
    /// # Errors
    ///
    /// R4C-RT-001, at once, if the wait would be longer, or if the key is new and there is no room for it.
    pub fn acquire<Q: KeyRef<K> + ?Sized>(&self, key: &Q) -> Result<(), Rejection> {
        self.acquire_with(key, CallOptions::new())
    }

    /// Takes `n` permits of `key`; waits for them on this thread, at most `max_wait`.
    ///
    /// # Errors
    ///
    /// As [`KeyedRateLimiter::acquire`]; R4C-RT-006 if the key can never have so many.
    pub fn acquire_n<Q: KeyRef<K> + ?Sized>(&self, key: &Q, n: u64) -> Result<(), Rejection> {
        self.acquire_with(key, CallOptions::new().permits(n))
    }

    /// As [`KeyedRateLimiter::acquire`], with the permits, the deadline and the interrupt of the options.
    ///
    /// # Errors
    ///
    /// R4C-RT-001, R4C-RT-006; R4C-RT-003 if the permit comes after the deadline, R4C-RT-005 if the wait was
    /// interrupted.
    pub fn acquire_with<Q: KeyRef<K> + ?Sized>(&self, key: &Q, options: CallOptions) -> Result<(), Rejection> {
        self.execute_with(key, options, || Ok::<_, Infallible>(())).map_err(acquire::rejection)
    }

    /// Takes a permit of `key`; waits for it as a future, at most `max_wait`. Dropping the future before it is ready
    /// gives the permit back.
    ///
    /// The output is `Err` as [`KeyedRateLimiter::acquire`].
    ///
    /// ```
    /// use resilience_ratelimiter::KeyedRateLimiter;
    /// use std::time::Duration;
    ///
    /// # futures_lite::future::block_on(async {
    /// let limiter: KeyedRateLimiter<String> =
    ///     KeyedRateLimiter::builder().permits(5).max_wait(Duration::from_millis(500)).build()?;
    /// limiter.acquire_async("alice").await.expect("a permit within 500 ms");
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// # }).unwrap();
    /// ```
    pub fn acquire_async<Q>(&self, key: &Q) -> impl Future<Output = Result<(), Rejection>>
    where
        Q: KeyRef<K> + ?Sized,
    {
        self.acquire_async_with(key, CallOptions::new())
    }

    /// Takes `n` permits of `key`; waits for them as a future, as [`KeyedRateLimiter::acquire_async`].
    pub fn acquire_async_n<Q>(&self, key: &Q, n: u64) -> impl Future<Output = Result<(), Rejection>>
    where
        Q: KeyRef<K> + ?Sized,
    {
        self.acquire_async_with(key, CallOptions::new().permits(n))
    }

    /// As [`KeyedRateLimiter::acquire_async`], with the permits, the deadline and the interrupt of the options.
    ///
    /// # Errors
    ///
    /// The output, as [`KeyedRateLimiter::acquire_with`].
    pub fn acquire_async_with<Q>(&self, key: &Q, options: CallOptions) -> impl Future<Output = Result<(), Rejection>>
    where
        Q: KeyRef<K> + ?Sized,
    {
        let call = (|| ready(Ok(()))) as fn() -> Ready<Result<(), Infallible>>;
        let wait = self.execute_async_with(key, options, call);
        async { wait.await.map_err(acquire::rejection) }
    }

    /// Runs `call` on this thread once it has a permit of `key`.
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] as [`KeyedRateLimiter::acquire`], then `call` did not run; [`Error::Failed`] with its own
    /// error.
    pub fn execute<Q, T, E>(&self, key: &Q, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>>
    where
        Q: KeyRef<K> + ?Sized,
    {
        self.execute_with(key, CallOptions::new(), call)
    }

    /// As [`KeyedRateLimiter::execute`], with options.
    ///
    /// # Errors
    ///
    /// As [`KeyedRateLimiter::execute`] and [`KeyedRateLimiter::acquire_with`].
    pub fn execute_with<Q, T, E>(
        &self,
        key: &Q,
        options: CallOptions,
        call: impl FnMut() -> Result<T, E>,
    ) -> Result<T, Error<E>>
    where
        Q: KeyRef<K> + ?Sized,
    {
        self.solo(key).execute(options, call)
    }

    /// Runs the future of `call` once it has a permit of `key`. The output is `Err` as [`KeyedRateLimiter::execute`].
    pub fn execute_async<Q, T, E, F, Fut>(&self, key: &Q, call: F) -> impl Future<Output = Result<T, Error<E>>>
    where
        Q: KeyRef<K> + ?Sized,
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.execute_async_with(key, CallOptions::new(), call)
    }

    /// As [`KeyedRateLimiter::execute_async`], with options.
    pub fn execute_async_with<Q, T, E, F, Fut>(
        &self,
        key: &Q,
        options: CallOptions,
        call: F,
    ) -> impl Future<Output = Result<T, Error<E>>>
    where
        Q: KeyRef<K> + ?Sized,
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.solo(key).execute_async(options, call)
    }

    #[inline(always)]
    fn solo<'l, 'k, Q: KeyRef<K> + ?Sized>(&'l self, key: &'k Q) -> Solo<'l, OneKey<'l, 'k, K, S, Q>> {
        let one = OneKey { limiter: self, spot: self.spot(key), key };
        Solo::new(one, &self.clock)
    }
}

/// One key of a limiter.
struct OneKey<'l, 'k, K, S, Q: ?Sized> {
    limiter: &'l KeyedRateLimiter<K, S>,
    spot: Spot,
    key: &'k Q,
}

/// The permit is the number of permits taken.
impl<K, S, Q> Policy for OneKey<'_, '_, K, S, Q>
where
    K: Send,
    S: BuildHasher + Send + Sync,
    Q: KeyRef<K> + ?Sized,
{
    type At = at::RateLimiter;
    type Permit = u64;

    fn id(&self) -> Id {
        self.limiter.id
    }

    #[inline(always)]
    fn admit(&self, cx: &mut Cx<'_>) -> Admission<u64> {
        let Self { limiter, spot, key } = *self;
        let (permits, now) = (cx.permits(), cx.now());
        let ask = Ask { permits, now, deadline: cx.deadline(), waits: true };
        match limiter.ask(spot, key, &ask) {
            Answer::Pass => Admission::Go(0),
            Answer::Now => Admission::Go(permits),
            Answer::At(start) => {
                let wait = start.since(now);
                limiter.publish(|| Event::WaitStarted { permits, start, wait });
                Admission::GoAt(permits, start)
            }
            Answer::Reject(rejection) => Admission::Reject(limiter.tell(rejection)),
        }
    }

    #[inline(always)]
    fn settle(&self, _: u64, _: &Outcome, _: &mut Cx<'_>) -> Verdict<u64> {
        Verdict::Return
    }

    fn abandon(&self, permits: u64, was: Was) {
        if was != Was::Inside && permits > 0 {
            self.limiter.give_back(self.spot, self.key, permits);
        }
    }

    fn interrupted(&self, rejection: &Rejection, _: &mut Cx<'_>) {
        _ = self.limiter.tell(*rejection);
    }

    fn clock(&self) -> Option<&Clock> {
        Some(&self.limiter.clock)
    }
}

impl<K, S, Q> SinglePass for OneKey<'_, '_, K, S, Q>
where
    K: Send,
    S: BuildHasher + Send + Sync,
    Q: KeyRef<K> + ?Sized,
{
}
