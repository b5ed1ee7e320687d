use std::{convert::Infallible, fmt};

use resilience_core::{
    Admission, CallOptions, Clock, ConfigError, Cx, Env, Error, Events, Execute, Id, Managed, Nanos, Outcome, Policy,
    Rejection, Settings, SinglePass, Solo, Verdict, Was, at,
    keys::metric,
    measure::Measures,
    meter::{self, Meter, Waits},
    saturating_nanos,
    sync::{Mutex, lock},
};

use crate::{
    Acquire, Builder, Config, Event, Reservation, Snapshot, acquire,
    cell::{Cell, Numbers},
    gcra::Rate,
    request::Ask,
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
    pub(crate) cell: Cell,
    pub(crate) meter: Meter,
    pub(crate) waits: Waits,
    /// The configuration in force; locked while it changes.
    config: Mutex<Config>,
    pub(crate) id: Id,
    pub(crate) clock: Clock,
    pub(crate) events: Events,
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
        if meter::is_on() { self.count(|| self.try_now(n)) } else { self.try_now(n) }
    }

    #[inline(always)]
    fn try_now(&self, n: u64) -> Result<(), Rejection> {
        let ask = Ask { permits: n, now: self.clock.now(), deadline: Nanos::NEVER, waits: false };
        match self.request(ask) {
            Admission::Reject(rejection) => Err(rejection),
            _ => Ok(()),
        }
    }

    /// Asks, and counts the answer. Calls decide before they ask whether they do so: where nobody counts, the code is what it
    /// would be without.
    #[cold]
    #[inline(never)]
    fn count<T>(&self, ask: impl FnOnce() -> Result<T, Rejection>) -> Result<T, Rejection> {
        ask().inspect(|_| self.meter.succeeded()).inspect_err(|rejection| self.meter.rejected(rejection.code()))
    }

    /// As [`RateLimiter::try_acquire_n`]; says how many permits were taken: none, if the limiter is disabled.
    pub(crate) fn take(&self, n: u64) -> Result<u64, Rejection> {
        let ask = Ask { permits: n, now: self.clock.now(), deadline: Nanos::NEVER, waits: false };
        match self.request(ask) {
            Admission::Go(permits) => Ok(permits),
            Admission::Reject(rejection) => Err(rejection),
            Admission::GoAt(..) | Admission::Queue(..) => unreachable!("it does not wait"),
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
        self.execute_with(options, || Ok::<_, Infallible>(())).map_err(acquire::rejection)
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

    /// Calls that would pass now without waiting, rounded down; 0 while permits are promised that are not due yet.
    /// Changes nothing.
    pub fn available_permits(&self) -> u32 {
        let (now, view) = (self.clock.now(), self.cell.view());
        view.numbers.rate.available(view.arrival(), view.since_base(now))
    }

    /// Whether [`RateLimiter::try_acquire_n`] would pass now. Changes nothing.
    pub fn would_admit(&self, n: u64) -> bool {
        self.peek(n).is_none()
    }

    /// Takes `n` permits now, or as soon as they are due, at most `max_wait` from now, and says when that is. Dropped
    /// or cancelled before that, the reservation gives them back.
    ///
    /// For callers that do the waiting themselves, or charge a guess and settle later, with
    /// [`RateLimiter::refund`].
    ///
    /// ```
    /// # use resilience_core::ManualClock;
    /// # use resilience_ratelimiter::RateLimiter;
    /// # use std::time::Duration;
    /// let clock = ManualClock::new();
    /// let builder = RateLimiter::builder().permits(5).max_wait(Duration::from_secs(1)).clock(&clock);
    /// let limiter = builder.build()?;
    /// limiter.try_acquire_n(5).unwrap();
    ///
    /// let reservation = limiter.reserve(2).unwrap();
    /// assert_eq!(reservation.start(), Duration::from_millis(400));
    /// reservation.cancel();
    /// assert_eq!(limiter.snapshot().waiting, 0);
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RateLimiter::acquire_n`].
    pub fn reserve(&self, n: u64) -> Result<Reservation<'_>, Rejection> {
        if meter::is_on() { self.count(|| self.reserve_now(n)) } else { self.reserve_now(n) }
    }

    #[inline(always)]
    fn reserve_now(&self, n: u64) -> Result<Reservation<'_>, Rejection> {
        let ask = Ask { permits: n, now: self.clock.now(), deadline: Nanos::NEVER, waits: true };
        match self.request(ask) {
            Admission::Reject(rejection) => Err(rejection),
            Admission::GoAt(permits, start) => Ok(Reservation::new(self, permits, start)),
            Admission::Go(permits) | Admission::Queue(permits, _) => Ok(Reservation::new(self, permits, ask.now)),
        }
    }

    /// Gives `n` permits back that were taken and not used; never more than a full burst comes together. A disabled
    /// limiter takes none: what passed then must not be refunded.
    pub fn refund(&self, n: u64) {
        let given_back: Result<(), Infallible> =
            self.cell.update(Nanos::ZERO, |view| Ok(view.numbers.rate.give_back(view.arrival(), n)));
        let Ok(()) = given_back;
        if self.events.is_heard() {
            self.publish(self.clock.now(), || Event::GivenBack { permits: n });
        }
    }

    /// Changes the configuration of the live limiter, at any moment and from any thread.
    ///
    /// Permits used so far stay used, as permits, up to the new burst. Calls that wait keep their start; their permits
    /// stay promised, and until then a larger burst has no permits to give. The new rate holds for everybody who comes
    /// from now on. Equal values change nothing at all.
    ///
    /// ```
    /// # use resilience_core::ManualClock;
    /// # use resilience_ratelimiter::{Config, RateLimiter};
    /// let limiter = RateLimiter::builder().permits(10).clock(&ManualClock::new()).build()?;
    /// limiter.try_acquire_n(4).unwrap();
    /// limiter.reconfigure(Config { permits: 20, ..limiter.config() })?;
    /// assert_eq!(limiter.available_permits(), 16);
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong; nothing changes then.
    pub fn reconfigure(&self, config: Config) -> Result<(), ConfigError> {
        ConfigError::check(self.id.as_str(), config.problems())?;
        let now = self.clock.now();
        let mut current = lock(&self.config);
        let from = *current;
        if from == config {
            return Ok(());
        }
        let rate = Rate::new(config.permits, config.period);
        self.cell.reconfigure(rate, config.enabled, saturating_nanos(config.max_wait), now);
        *current = config;
        drop(current);
        self.publish(now, || Event::Reconfigured { from, to: config });
        Ok(())
    }

    /// What the limiter shows of itself now. Changes nothing.
    pub fn snapshot(&self) -> Snapshot {
        let now = self.clock.now();
        let config = lock(&self.config);
        let view = self.cell.view();
        let (rate, arrival, nanos) = (view.numbers.rate, view.arrival(), view.since_base(now));
        Snapshot {
            instance: self.id,
            available_permits: rate.available(arrival, nanos),
            permits: config.permits,
            period: config.period,
            max_wait: config.max_wait,
            waiting: rate.promised(arrival, nanos),
        }
    }

    /// The configuration in force.
    pub fn config(&self) -> Config {
        *lock(&self.config)
    }

    /// The clock on which the limiter decides and waits.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The instance id.
    pub fn id(&self) -> Id {
        self.id
    }

    #[inline(always)]
    fn solo(&self) -> Solo<'_, &Self> {
        Solo::new(self, &self.clock)
    }

    #[inline]
    pub(crate) fn publish(&self, now: Nanos, event: impl FnOnce() -> Event) {
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
        self.request(Ask { permits: cx.permits(), now: cx.now(), deadline: cx.deadline(), waits: true })
    }

    #[inline(always)]
    fn settle(&self, _: u64, _: &Outcome, _: &mut Cx<'_>) -> Verdict<u64> {
        Verdict::Return
    }

    fn abandon(&self, permits: u64, was: Was) {
        if was != Was::Inside && permits > 0 {
            self.refund(permits);
        }
    }

    fn interrupted(&self, rejection: &Rejection, _: &mut Cx<'_>) {
        if self.events.is_heard() {
            self.tell(*rejection);
        }
    }

    #[inline(always)]
    fn meter(&self) -> Option<&Meter> {
        Some(&self.meter)
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
        let numbers = Numbers::new(rate, config.enabled, saturating_nanos(config.max_wait), 0, 0);
        Ok(Self {
            cell: Cell::new(&numbers),
            meter: Meter::default(),
            waits: Waits::default(),
            config: Mutex::new(config),
            id,
            clock,
            events,
        })
    }

    fn config(&self) -> Config {
        self.config()
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot()
    }

    fn measure(&self, into: &mut Measures) {
        self.meter.measure(into);
        self.waits.measure(into);
        let now = self.snapshot();
        into.level(&metric::RATE_LIMITER_AVAILABLE_PERMITS, now.available_permits);
        into.level(&metric::RATE_LIMITER_PERMITS, now.permits);
    }

    fn reconfigure(&self, config: Config) -> Result<(), ConfigError> {
        self.reconfigure(config)
    }
}

impl fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimiter")
            .field("config", &self.config())
            .field("snapshot", &self.snapshot())
            .finish_non_exhaustive()
    }
}
