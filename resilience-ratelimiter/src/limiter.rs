use std::{convert::Infallible, fmt, time::Duration};

use resilience_core::{
    Admission, CallOptions, Clock, Code, ConfigError, Cx, Env, Error, Events, Execute, Id, Kind, Managed, Nanos,
    Outcome, Policy, Rejection, SinglePass, Solo, Verdict, Was, at,
};

use crate::{
    Acquire, Builder, Config, Event, Snapshot, acquire,
    cell::Cell,
    gcra::{Decision, Patience, Rate},
};

/// Lets through at most so many calls per period, and rejects or delays the rest.
///
/// Usable on its own, in an [`Arc`](std::sync::Arc) to share it, or in a pipeline. All methods take `&self`.
///
/// ```
/// use resilience_core::ManualClock;
/// use resilience_ratelimiter::RateLimiter;
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let limiter = RateLimiter::builder().permits(10).period(Duration::from_secs(1)).clock(&clock).build()?;
///
/// for _ in 0..10 {
///     assert!(limiter.try_acquire().is_ok()); // a full burst is available at once
/// }
/// let rejection = limiter.try_acquire().unwrap_err();
/// assert_eq!(rejection.retry_after(), Some(Duration::from_millis(100)));
///
/// clock.advance(Duration::from_millis(100)); // permits come back one every 1 s / 10
/// assert!(limiter.try_acquire().is_ok());
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
pub struct RateLimiter {
    cell: Cell,
    rate: Rate,
    config: Config,
    id: Id,
    clock: Clock,
    events: Events,
}

impl RateLimiter {
    /// Begins a limiter.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Takes a permit if one is there; never waits.
    ///
    /// Cost: one clock read and one exchange.
    ///
    /// # Errors
    ///
    /// R4C-RT-001 if none is there; nothing was taken, and the rejection says when one will be.
    #[inline]
    pub fn try_acquire(&self) -> Result<(), Rejection> {
        self.try_acquire_n(1)
    }

    /// Takes `n` permits if they are there; never waits. `n = 0` passes and takes nothing.
    ///
    /// # Errors
    ///
    /// R4C-RT-001 if they are not there, R4C-RT-006 if the limiter can never give so many at once.
    #[inline]
    pub fn try_acquire_n(&self, n: u64) -> Result<(), Rejection> {
        let mut cx = Cx::new(&self.clock).with_permits(n);
        match self.request(&mut cx, Duration::ZERO) {
            Admission::Reject(rejection) => Err(rejection),
            _ => Ok(()),
        }
    }

    /// Takes a permit; waits for it on this thread, at most `max_wait`.
    ///
    /// # Errors
    ///
    /// R4C-RT-001, at once, if the wait would be longer.
    pub fn acquire(&self) -> Result<(), Rejection> {
        self.acquire_with(CallOptions::new())
    }

    /// Takes `n` permits; waits for them on this thread, at most `max_wait`.
    ///
    /// # Errors
    ///
    /// R4C-RT-001, at once, if the wait would be longer; R4C-RT-006 if the limiter can never give so many.
    pub fn acquire_n(&self, n: u64) -> Result<(), Rejection> {
        self.acquire_with(CallOptions::new().permits(n))
    }

    /// As [`RateLimiter::acquire`], with the permits, the deadline and the interrupt of the options.
    ///
    /// # Errors
    ///
    /// R4C-RT-001, R4C-RT-006; R4C-RT-003 if the permit comes after the deadline, R4C-RT-005 if the wait was
    /// interrupted.
    pub fn acquire_with(&self, options: CallOptions) -> Result<(), Rejection> {
        self.execute_with(options, || Ok::<_, Infallible>(()))
            .map_err(acquire::rejection)
    }

    /// Takes a permit; waits for it as a future, at most `max_wait`. Dropping the future before it is ready gives the
    /// permit back.
    ///
    /// The output is `Err` as [`RateLimiter::acquire`].
    pub fn acquire_async(&self) -> Acquire<'_> {
        self.acquire_async_with(CallOptions::new())
    }

    /// Takes `n` permits; waits for them as a future, as [`RateLimiter::acquire_async`].
    pub fn acquire_async_n(&self, n: u64) -> Acquire<'_> {
        self.acquire_async_with(CallOptions::new().permits(n))
    }

    /// As [`RateLimiter::acquire_async`], with the permits, the deadline and the interrupt of the options.
    pub fn acquire_async_with(&self, options: CallOptions) -> Acquire<'_> {
        Acquire::new(self.solo(), options)
    }

    /// Runs `call` on this thread once it has a permit.
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] as [`RateLimiter::acquire`], then `call` did not run; [`Error::Failed`] with its own error.
    #[inline]
    pub fn execute<T, E>(&self, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        self.execute_with(CallOptions::new(), call)
    }

    /// As [`RateLimiter::execute`], with options.
    ///
    /// # Errors
    ///
    /// As [`RateLimiter::execute`] and [`RateLimiter::acquire_with`].
    #[inline]
    pub fn execute_with<T, E>(&self, options: CallOptions, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        self.solo().execute(options, call)
    }

    /// Runs the future of `call` once it has a permit.
    ///
    /// ```
    /// # use resilience_core::Error;
    /// # use resilience_ratelimiter::RateLimiter;
    /// # futures_lite::future::block_on(async {
    /// let limiter = RateLimiter::builder().permits(10).build()?;
    /// let answer: Result<u16, Error<std::io::Error>> = limiter.execute_async(|| async { Ok(200) }).await;
    /// # assert_eq!(answer.unwrap(), 200);
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// # });
    /// ```
    #[inline]
    pub fn execute_async<T, E, F, Fut>(&self, call: F) -> Execute<Solo<'_, &Self>, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.execute_async_with(CallOptions::new(), call)
    }

    /// As [`RateLimiter::execute_async`], with options.
    #[inline]
    pub fn execute_async_with<T, E, F, Fut>(&self, options: CallOptions, call: F) -> Execute<Solo<'_, &Self>, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.solo().execute_async(options, call)
    }

    /// Calls that would pass now without waiting, rounded down; 0 while calls wait. Changes nothing.
    pub fn available_permits(&self) -> u32 {
        self.rate.available(self.cell.load(), self.clock.now())
    }

    /// What the limiter shows of itself now. Changes nothing.
    pub fn snapshot(&self) -> Snapshot {
        let (state, now) = (self.cell.load(), self.clock.now());
        Snapshot {
            instance: self.id,
            available_permits: self.rate.available(state, now),
            permits: self.config.permits,
            period: self.config.period,
            max_wait: self.config.max_wait,
            waiting: self.rate.promised(state, now),
        }
    }

    /// The configuration in force.
    pub fn config(&self) -> Config {
        self.config
    }

    /// The instance id.
    pub fn id(&self) -> Id {
        self.id
    }

    #[inline(always)]
    fn solo(&self) -> Solo<'_, &Self> {
        Solo::new(self, &self.clock)
    }

    #[inline(always)]
    fn request(&self, cx: &mut Cx<'_>, max_wait: Duration) -> Admission<u64> {
        let permits = cx.permits();
        if permits > u64::from(self.config.permits) {
            return self.impossible(permits, *cx);
        }
        if permits == 0 || !self.config.enabled {
            return Admission::Go(0);
        }
        let cost = self.rate.cost(permits);
        let now = self.rate.units(cx.now());
        match self.cell.update(|state| self.rate.take(state, now, cost).ok_or(())) {
            Ok(()) => Admission::Go(permits),
            Err(()) => self.wait_or_reject(permits, *cx, max_wait),
        }
    }

    #[cold]
    #[inline(never)]
    fn wait_or_reject(&self, permits: u64, mut cx: Cx<'_>, max_wait: Duration) -> Admission<u64> {
        let now = cx.now();
        let cost = self.rate.cost(permits);
        let patience = Patience {
            max_wait,
            deadline: cx.deadline(),
        };
        let start = std::cell::Cell::new(None);
        let taken = self
            .cell
            .update(|state| match self.rate.decide(state, now, cost, patience) {
                Decision::Now { next } => {
                    start.set(None);
                    Ok(next)
                }
                Decision::At { next, start: at } => {
                    start.set(Some(at));
                    Ok(next)
                }
                refused => Err(refused),
            });
        match (taken, start.get()) {
            (Ok(()), None) => Admission::Go(permits),
            (Ok(()), Some(start)) => {
                self.publish(now, || Event::WaitStarted {
                    permits,
                    start,
                    wait: start.since(now),
                });
                Admission::GoAt(permits, start)
            }
            (Err(Decision::Refused { retry_after }), _) => {
                let rejection = self.rejection(Code::RateLimitExceeded);
                self.reject(
                    now,
                    retry_after.map_or(rejection, |after| rejection.with_retry_after(after)),
                )
            }
            (Err(_), _) => self.reject(now, Rejection::timed_out(self.id, Self::LAYER)),
        }
    }

    #[cold]
    #[inline(never)]
    fn impossible(&self, permits: u64, mut cx: Cx<'_>) -> Admission<u64> {
        if self.config.enabled {
            self.reject(cx.now(), self.rejection(Code::TooManyPermits))
        } else {
            Admission::Go(permits)
        }
    }

    fn rejection(&self, code: Code) -> Rejection {
        Rejection::new(code, Kind::RATE_LIMIT_EXCEEDED, self.id, Self::LAYER)
    }

    fn reject(&self, now: Nanos, rejection: Rejection) -> Admission<u64> {
        self.publish(now, || Event::Rejected(rejection));
        Admission::Reject(rejection)
    }

    #[inline]
    fn publish(&self, now: Nanos, event: impl FnOnce() -> Event) {
        if self.events.is_heard() {
            self.events.publish(Self::KIND, self.id, now, &event());
        }
    }
}

/// The permit is the number of permits taken.
impl Policy for RateLimiter {
    type At = at::RateLimiter;
    type Permit = u64;

    fn id(&self) -> Id {
        self.id
    }

    #[inline(always)]
    fn admit(&self, cx: &mut Cx<'_>) -> Admission<u64> {
        self.request(cx, self.config.max_wait)
    }

    #[inline(always)]
    fn settle(&self, _: u64, _: &Outcome, _: &mut Cx<'_>) -> Verdict<u64> {
        Verdict::Return
    }

    fn abandon(&self, permits: u64, was: Was) {
        if was == Was::Inside || permits == 0 {
            return;
        }
        let cost = self.rate.cost(permits);
        let given_back: Result<(), Infallible> = self.cell.update(|state| Ok(Rate::give_back(state, cost)));
        let Ok(()) = given_back;
        if self.events.is_heard() {
            self.publish(self.clock.now(), || Event::GivenBack { permits });
        }
    }

    fn clock(&self) -> Option<&Clock> {
        Some(&self.clock)
    }
}

impl SinglePass for RateLimiter {}

impl Managed for RateLimiter {
    const KIND: &'static str = "rate_limiter";
    type Config = Config;
    type Snapshot = Snapshot;

    fn create(id: Id, config: Config, env: &Env) -> Result<Self, ConfigError> {
        let rate = Rate::new(config.permits, config.period);
        let (clock, events) = (env.clock().clone(), env.events().clone());
        Ok(Self {
            cell: Cell::new(),
            rate,
            config,
            id,
            clock,
            events,
        })
    }

    fn config(&self) -> Config {
        self.config
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot()
    }
}

impl fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimiter")
            .field("config", &self.config)
            .field("snapshot", &self.snapshot())
            .finish_non_exhaustive()
    }
}
