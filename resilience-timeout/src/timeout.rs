use std::fmt;

use resilience_core::{
    Admission, CallOptions, Clock, ConfigError, Cx, Env, Error, Events, Execute, Id, Kind, Managed, Nanos, Outcome,
    Policy, Rejection, Settings, SinglePass, Solo, Verdict, at,
    measure::Measures,
    meter::Meter,
    saturating_nanos,
    sync::{AtomicU64, Mutex, Ordering, OwnLine, lock},
};

use crate::{Builder, Config, Event, Snapshot};

/// Limits how long a call may take: an async one is cut off at its deadline, a sync one that comes back later is
/// rejected instead of its result.
///
/// Usable on its own, in an [`Arc`](std::sync::Arc) to share it, or in a pipeline. All methods take `&self`.
///
/// ```
/// use resilience_core::{Code, ManualClock};
/// use resilience_timeout::{Timeout, remaining};
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let timeout = Timeout::builder().timeout(Duration::from_millis(100)).clock(&clock).build()?;
///
/// assert_eq!(timeout.execute(|| Ok::<_, ()>(remaining())), Ok(Some(Duration::from_millis(100))));
///
/// let late = timeout.execute(|| {
///     clock.advance(Duration::from_millis(300));
///     Ok::<_, ()>("too late")
/// });
/// let rejection = *late.unwrap_err().rejection().unwrap();
/// assert_eq!((rejection.code(), rejection.is_late()), (Code::TimedOut, true));
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
pub struct Timeout {
    /// How many nanoseconds a call may take; from [`ENDLESS`] on any number of them, [`DISABLED`] whatever it says
    /// itself. Written while `config` is locked.
    limit: AtomicU64,
    counts: OwnLine<Counts>,
    meter: Meter,
    /// The configuration in force; locked while it changes.
    config: Mutex<Config>,
    id: Id,
    clock: Clock,
    events: Events,
}

/// Calls that did not end in time.
#[derive(Default)]
struct Counts {
    cut_off: AtomicU64,
    late: AtomicU64,
}

const ENDLESS: u64 = Nanos::LAST.as_u64();
const DISABLED: u64 = u64::MAX;

fn limit(config: &Config) -> u64 {
    if config.enabled { saturating_nanos(config.timeout).min(ENDLESS) } else { DISABLED }
}

impl Timeout {
    /// Begins a timeout.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Runs `call` on this thread. It can ask how long it may take ([`remaining`](crate::remaining)); nobody ends it.
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] with R4C-RT-003, marked as late, if it ended after its deadline, whatever its result, which is
    /// dropped; else [`Error::Failed`] with its own error.
    #[inline]
    pub fn execute<T, E>(&self, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        self.execute_with(CallOptions::new(), call)
    }

    /// As [`Timeout::execute`], with options.
    ///
    /// # Errors
    ///
    /// As [`Timeout::execute`].
    #[inline]
    pub fn execute_with<T, E>(&self, options: CallOptions, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        self.solo().execute(options, call)
    }

    /// Runs the future of `call`; drops it at its deadline.
    ///
    /// The output is [`Error::Rejected`] with R4C-RT-003 if it did not end in time.
    ///
    /// ```
    /// # use resilience_core::{Code, ManualClock};
    /// # use resilience_timeout::Timeout;
    /// # use std::{future::pending, pin::pin, task::{Context, Poll, Waker}, time::Duration};
    /// # let mut task = Context::from_waker(Waker::noop());
    /// let clock = ManualClock::new();
    /// let timeout = Timeout::builder().timeout(Duration::from_millis(100)).clock(&clock).build()?;
    ///
    /// let mut hangs = pin!(timeout.execute_async(|| pending::<Result<(), ()>>()));
    /// assert!(hangs.as_mut().poll(&mut task).is_pending());
    /// clock.advance(Duration::from_millis(100));
    /// let Poll::Ready(Err(error)) = hangs.as_mut().poll(&mut task) else { panic!("cut off") };
    /// assert_eq!(error.code(), Some(Code::TimedOut));
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// ```
    #[inline]
    pub fn execute_async<T, E, F, Fut>(&self, call: F) -> Execute<Solo<'_, &Self>, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.execute_async_with(CallOptions::new(), call)
    }

    /// As [`Timeout::execute_async`], with options.
    #[inline]
    pub fn execute_async_with<T, E, F, Fut>(&self, options: CallOptions, call: F) -> Execute<Solo<'_, &Self>, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.solo().execute_async(options, call)
    }

    /// Changes the configuration of the live timeout, at any moment and from any thread. Calls that run keep the deadline
    /// they have; the next ones get the new limit. Equal values change nothing at all.
    ///
    /// ```
    /// # use resilience_timeout::{Config, Timeout};
    /// # use std::time::Duration;
    /// let timeout = Timeout::builder().build()?;
    /// timeout.reconfigure(Config { timeout: Duration::from_millis(300), ..timeout.config() })?;
    /// assert_eq!(timeout.snapshot().timeout, Duration::from_millis(300));
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
        *current = config;
        // Ordering: Relaxed; the number alone is the message to the load in admit.
        self.limit.store(limit(&config), Ordering::Relaxed);
        drop(current);
        self.publish(now, || Event::Reconfigured { from, to: config });
        Ok(())
    }

    /// What the timeout shows of itself now. Changes nothing.
    pub fn snapshot(&self) -> Snapshot {
        // Ordering: Relaxed; counts of time_out that nothing else hangs on.
        let [cut_off, late] = [&self.counts.cut_off, &self.counts.late].map(|count| count.load(Ordering::Relaxed));
        Snapshot { instance: self.id, timeout: self.config().timeout, timed_out: cut_off + late, late }
    }

    /// The configuration in force.
    pub fn config(&self) -> Config {
        *lock(&self.config)
    }

    /// The clock on which the timeout decides and waits.
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

    #[cold]
    #[inline(never)]
    fn time_out(&self, permit: Permit, now: Nanos, late: bool) -> Verdict<Permit> {
        let count = if late { &self.counts.late } else { &self.counts.cut_off };
        // Ordering: Relaxed; a count for the loads in snapshot.
        count.fetch_add(1, Ordering::Relaxed);
        let Permit { started, deadline } = permit;
        self.publish(now, || Event::TimedOut { limit: deadline.since(started), late, elapsed: now.since(started) });
        let rejection = Rejection::timed_out(self.id, Self::LAYER);
        Verdict::Reject(if late { rejection.with_late() } else { rejection })
    }

    fn publish(&self, now: Nanos, event: impl FnOnce() -> Event) {
        if self.events.is_heard() {
            self.events.publish(Self::KIND, self.id, now, &event());
        }
    }
}

/// From when until when a call is in time.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Permit {
    started: Nanos,
    deadline: Nanos,
}

impl Permit {
    const ENDLESS: Self = Self { started: Nanos::ZERO, deadline: Nanos::NEVER };
}

impl Policy for Timeout {
    type At = at::Timeout;
    type Permit = Permit;
    const SETS_DEADLINE: bool = true;

    fn id(&self) -> Id {
        self.id
    }

    #[inline(always)]
    fn admit(&self, cx: &mut Cx<'_>) -> Admission<Permit> {
        // Ordering: Relaxed; pairs with the store in reconfigure, the number alone is the message.
        let configured = self.limit.load(Ordering::Relaxed);
        let limit = match cx.attempt_timeout() {
            Some(own) if configured != DISABLED => saturating_nanos(own),
            _ => configured,
        };
        if limit >= ENDLESS {
            return Admission::Go(Permit::ENDLESS);
        }
        let started = cx.now();
        Admission::Go(Permit { started, deadline: Nanos::new(started.as_u64() + limit) })
    }

    /// A call that came back by itself is late if it did so after its deadline. A future that was ready when it was first
    /// polled is not asked: it would cost a second reading of the clock.
    #[inline(always)]
    fn settle(&self, permit: Permit, outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<Permit> {
        match outcome {
            Outcome::Expired => self.time_out(permit, cx.now(), false),
            // It has a signature already; a panic goes on whatever is said.
            Outcome::Rejected(_) => Verdict::Return,
            Outcome::Failure(failure) if failure.kind() == Kind::PANICKED => Verdict::Return,
            _ if cx.is_at_once() || permit.deadline.is_never() || cx.now() <= permit.deadline => Verdict::Return,
            _ => self.time_out(permit, cx.now(), true),
        }
    }

    #[inline(always)]
    fn deadline(&self, permit: &Permit) -> Nanos {
        permit.deadline
    }

    #[inline(always)]
    fn meter(&self) -> Option<&Meter> {
        Some(&self.meter)
    }

    fn clock(&self) -> Option<&Clock> {
        Some(&self.clock)
    }
}

impl SinglePass for Timeout {}

impl Managed for Timeout {
    const KIND: &'static str = "timeout";
    type Config = Config;
    type Snapshot = Snapshot;

    fn create(id: Id, config: Config, env: &Env) -> Result<Self, ConfigError> {
        let (clock, events) = (env.clock().clone(), env.events().clone());
        let limit = AtomicU64::new(limit(&config));
        let (counts, meter) = (OwnLine::default(), Meter::default());
        Ok(Self { limit, counts, meter, config: Mutex::new(config), id, clock, events })
    }

    fn config(&self) -> Config {
        self.config()
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot()
    }

    fn measure(&self, into: &mut Measures) {
        self.meter.measure(into);
    }

    fn reconfigure(&self, config: Config) -> Result<(), ConfigError> {
        self.reconfigure(config)
    }
}

impl fmt::Debug for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeout")
            .field("config", &self.config())
            .field("snapshot", &self.snapshot())
            .finish_non_exhaustive()
    }
}
