use std::fmt;

use resilience_core::{
    Admission, CallOptions, Clock, ConfigError, Cx, Env, Error, Events, Execute, Id, Managed, Outcome, Policy, Random,
    Settings, Solo, Verdict, at,
    keys::metric,
    measure::Measures,
    meter::Meter,
    sync::{AtomicU64, Mutex, Ordering, OwnLine, lock},
};

use crate::{
    Attempt, Builder, Config, Event, Snapshot,
    budget::Budget,
    plans::{Mode, Plans},
};

/// Tries failed calls again, after a delay, so many times in all.
///
/// Usable on its own, in an [`Arc`](std::sync::Arc) to share it, or in a pipeline. All methods take `&self`.
///
/// ```
/// use resilience_core::{Error, ManualClock};
/// use resilience_retry::{Jitter, Retry};
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let retry = Retry::builder().max_attempts(3).jitter(Jitter::None).clock(&clock).build()?;
///
/// let mut answers = [Err("down"), Err("down"), Ok("results")].into_iter();
/// assert_eq!(retry.execute(|| answers.next().unwrap()), Ok("results"));
/// assert_eq!(clock.now(), Duration::from_millis(100 + 200));
///
/// let error = retry.execute(|| Err::<(), _>("still down")).unwrap_err();
/// assert_eq!(error, Error::Failed("still down")); // the last error, as it is
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
pub struct Retry {
    /// The [`Mode`] of the configuration in force. Written under the lock of `plans`, read by every call.
    mode: OwnLine<AtomicU64>,
    /// Asked after a failure only.
    pub(crate) plans: Mutex<Plans>,
    /// Asked by calls under a configuration with a budget only. Locked after `plans` where both are.
    pub(crate) budget: OwnLine<Mutex<Option<Budget>>>,
    pub(crate) counts: Counts,
    pub(crate) meter: Meter,
    pub(crate) random: Random,
    pub(crate) id: Id,
    pub(crate) clock: Clock,
    pub(crate) events: Events,
}

/// What happened off the straight way. Each is a count and nothing else.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) retries: AtomicU64,
    pub(crate) recovered: AtomicU64,
    pub(crate) exhausted: AtomicU64,
}

impl Retry {
    /// Begins a retry.
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn new(id: Id, config: Config, clock: Clock, events: Events, random: Random) -> Self {
        let plans = Plans::new(config);
        let (mode, budget) = (AtomicU64::new(plans.mode().0.into()), Mutex::new(Budget::new(&config)));
        let (mode, budget) = (OwnLine(mode), OwnLine(budget));
        let (plans, counts, meter) = (Mutex::new(plans), Counts::default(), Meter::default());
        Self { mode, plans, budget, counts, meter, random, id, clock, events }
    }

    /// Runs `call` on this thread, again and again if it fails; the thread waits between the attempts.
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] with the error of the last attempt, unchanged.
    #[inline]
    pub fn execute<T, E>(&self, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        self.execute_with(CallOptions::new(), call)
    }

    /// As [`Retry::execute`], with options.
    ///
    /// # Errors
    ///
    /// As [`Retry::execute`]; R4C-RT-003 if the deadline passed during an attempt, R4C-RT-005
    /// if the wait between two attempts was interrupted.
    #[inline]
    pub fn execute_with<T, E>(&self, options: CallOptions, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        self.solo().execute(options, call)
    }

    /// Runs the future of `call`, and a new one after each failure that is tried again.
    ///
    /// ```
    /// # use resilience_core::{Error, ManualClock};
    /// # use resilience_retry::Retry;
    /// # futures_lite::future::block_on(async {
    /// # let clock = ManualClock::advancing();
    /// let retry = Retry::builder().max_attempts(3).clock(&clock).build()?;
    /// let mut attempts = 0;
    /// let answer = retry.execute_async(|| {
    ///     attempts += 1;
    ///     std::future::ready(if attempts < 3 { Err("down") } else { Ok(200) })
    /// });
    /// assert_eq!(answer.await, Ok(200));
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

    /// As [`Retry::execute_async`], with options.
    #[inline]
    pub fn execute_async_with<T, E, F, Fut>(&self, options: CallOptions, call: F) -> Execute<Solo<'_, &Self>, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.solo().execute_async(options, call)
    }

    /// Changes the configuration of the live retry, at any moment and from any thread.
    ///
    /// It holds from the next call on: a call goes by the configuration with which it began, as long as there were not
    /// eight changes since; then by the oldest one of those. Calls and retries that the budget has counted stay counted,
    /// unless a change takes the budget away. Equal values change nothing at all.
    ///
    /// ```
    /// # use resilience_core::ManualClock;
    /// # use resilience_retry::{Config, Retry};
    /// let retry = Retry::builder().max_attempts(3).clock(&ManualClock::new()).build()?;
    /// retry.reconfigure(Config { max_attempts: 5, ..retry.config() })?;
    /// assert_eq!(retry.config().max_attempts, 5);
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong; nothing changes then.
    pub fn reconfigure(&self, config: Config) -> Result<(), ConfigError> {
        ConfigError::check(self.id.as_str(), config.problems())?;
        let now = self.clock.now();
        let mut plans = lock(&self.plans);
        let from = *plans.newest();
        if from == config {
            return Ok(());
        }
        plans.change(config);
        let mut budget = lock(&self.budget);
        *budget = match &*budget {
            Some(budget) => budget.carry_over(&config, now),
            None => Budget::new(&config),
        };
        drop(budget);
        // Ordering: Relaxed; who reads it looks up the configuration under the lock that is held here. See `admit`.
        self.mode.store(plans.mode().0.into(), Ordering::Relaxed);
        drop(plans);
        self.publish(now, || Event::Reconfigured { from, to: config });
        Ok(())
    }

    /// What the retry shows of itself now. Changes nothing.
    pub fn snapshot(&self) -> Snapshot {
        let max_attempts = self.config().max_attempts;
        let now = self.clock.now();
        let budget_left = lock(&self.budget).as_ref().map(|budget| budget.left(now));
        // Ordering: Relaxed; counts that belong together may be a call apart.
        let [retries, recovered, exhausted] =
            [&self.counts.retries, &self.counts.recovered, &self.counts.exhausted].map(|it| it.load(Ordering::Relaxed));
        Snapshot { instance: self.id, max_attempts, retries, recovered, exhausted, budget_left }
    }

    /// The configuration in force.
    pub fn config(&self) -> Config {
        *lock(&self.plans).newest()
    }

    /// The clock on which the retry decides and waits.
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
}

impl Policy for Retry {
    type At = at::Retry;
    type Permit = Attempt;

    fn id(&self) -> Id {
        self.id
    }

    #[inline(always)]
    fn admit(&self, cx: &mut Cx<'_>) -> Admission<Attempt> {
        // Ordering: Relaxed; pairs with the Relaxed store in `reconfigure`. What the word stands for is read under the
        // lock under which it was written: who has seen the word takes that lock after its writer.
        let mode = Mode(self.mode.load(Ordering::Relaxed) as u32);
        if mode.is_plain() {
            return Admission::Go(Attempt::first(mode));
        }
        let (attempt, reading) = self.begin(mode, cx.reading());
        cx.learn(reading);
        Admission::Go(attempt)
    }

    #[inline(always)]
    fn settle(&self, attempt: Attempt, outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<Attempt> {
        if attempt.is_first() && matches!(outcome, Outcome::Success | Outcome::Ignored) {
            return Verdict::Return;
        }
        let (verdict, reading) = self.end(attempt, *outcome, cx.deadline(), cx.reading());
        cx.learn(reading);
        verdict
    }

    #[inline(always)]
    fn meter(&self) -> Option<&Meter> {
        Some(&self.meter)
    }

    fn clock(&self) -> Option<&Clock> {
        Some(&self.clock)
    }
}

impl Managed for Retry {
    const KIND: &'static str = "retry";
    type Config = Config;
    type Snapshot = Snapshot;

    fn create(id: Id, config: Config, env: &Env) -> Result<Self, ConfigError> {
        let random = env.random(Self::KIND, id);
        Ok(Self::new(id, config, env.clock().clone(), env.events().clone(), random))
    }

    fn config(&self) -> Config {
        self.config()
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot()
    }

    fn measure(&self, into: &mut Measures) {
        self.meter.measure(into);
        let now = self.snapshot();
        into.count(&metric::RETRY_ATTEMPTS, &["retried"], now.retries);
        into.count(&metric::RETRY_ATTEMPTS, &["recovered"], now.recovered);
        into.count(&metric::RETRY_ATTEMPTS, &["exhausted"], now.exhausted);
    }

    fn reconfigure(&self, config: Config) -> Result<(), ConfigError> {
        self.reconfigure(config)
    }
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("config", &self.config())
            .field("snapshot", &self.snapshot())
            .finish_non_exhaustive()
    }
}
