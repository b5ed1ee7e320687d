use std::{fmt, sync::Arc};

use resilience_core::{
    Admission, CallOptions, Clock, ConfigError, Cx, Env, Error, Events, Execute, Id, Managed, Outcome, Policy, Queued,
    Rejection, Settings, SinglePass, Solo, Verdict, Was, at,
    keys::metric,
    measure::Measures,
    meter::{Meter, Waits},
    saturating_nanos,
    sync::{AtomicU64, Mutex, Ordering, lock},
};

use crate::{
    Builder, Config, Enter, Event, OwnedPermit, Permit, Snapshot, enter,
    semaphore::{HELD, Semaphore, Straight},
};

/// Lets at most so many calls run at the same time, and rejects the rest or lets them wait in line.
///
/// Usable on its own, in an [`Arc`] to share it, or in a pipeline. All methods take `&self`; threads and tasks count
/// together.
///
/// ```
/// use resilience_bulkhead::Bulkhead;
///
/// let bulkhead = Bulkhead::builder().max_concurrent(2).build()?;
///
/// let (one, two) = (bulkhead.try_enter().unwrap(), bulkhead.try_enter().unwrap());
/// assert!(bulkhead.try_enter().is_err());
/// drop(one); // leaves
/// assert!(bulkhead.try_enter().is_ok());
/// # drop(two);
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
pub struct Bulkhead {
    pub(crate) semaphore: Semaphore,
    /// How long a call may wait, in nanoseconds. Written under the lock of `config`.
    pub(crate) max_wait: AtomicU64,
    /// How many calls may wait. Written under the lock of `config`.
    pub(crate) max_queue: AtomicU64,
    pub(crate) meter: Meter,
    pub(crate) waits: Waits,
    /// The configuration in force; locked while it changes.
    config: Mutex<Config>,
    id: Id,
    pub(crate) clock: Clock,
    pub(crate) events: Events,
}

impl Bulkhead {
    /// Begins a bulkhead.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Takes a slot if one is free and nobody waits for it; never waits. Dropping the permit gives the slot back.
    ///
    /// Cost: one exchange, and one subtraction when it is given back.
    ///
    /// # Errors
    ///
    /// R4C-RT-004 if there is none.
    #[inline]
    pub fn try_enter(&self) -> Result<Permit<'_>, Rejection> {
        Ok(Permit::new(self, self.try_take()?))
    }

    /// As [`Bulkhead::try_enter`], with a permit that owns its bulkhead and can be moved into another task.
    ///
    /// # Errors
    ///
    /// As [`Bulkhead::try_enter`].
    #[inline]
    pub fn try_enter_owned(self: Arc<Self>) -> Result<OwnedPermit, Rejection> {
        let permit = self.try_take()?;
        Ok(OwnedPermit::new(self, permit))
    }

    /// Takes a slot; waits for it on this thread, at most `max_wait`. Dropping the permit gives the slot back.
    ///
    /// # Errors
    ///
    /// R4C-RT-004 if none came free in time, or as many calls wait as may.
    pub fn enter(&self) -> Result<Permit<'_>, Rejection> {
        self.enter_with(CallOptions::new())
    }

    /// As [`Bulkhead::enter`], with the deadline and the interrupt of the options.
    ///
    /// # Errors
    ///
    /// As [`Bulkhead::enter`]; R4C-RT-003 if none came free before the deadline, R4C-RT-005 if the wait was interrupted.
    pub fn enter_with(&self, options: CallOptions) -> Result<Permit<'_>, Rejection> {
        enter::on_this_thread(self, options)
    }

    /// As [`Bulkhead::enter`], with a permit that owns its bulkhead and can be moved into another thread.
    ///
    /// # Errors
    ///
    /// As [`Bulkhead::enter`].
    pub fn enter_owned(self: Arc<Self>) -> Result<OwnedPermit, Rejection> {
        let permit = self.enter()?.into_word();
        Ok(OwnedPermit::new(self, permit))
    }

    /// Takes a slot; waits for it as a future, at most `max_wait`. Dropping the future leaves the line.
    ///
    /// The output is `Err` as [`Bulkhead::enter`].
    pub fn enter_async(&self) -> Enter<'_> {
        self.enter_async_with(CallOptions::new())
    }

    /// As [`Bulkhead::enter_async`], with the deadline and the interrupt of the options.
    pub fn enter_async_with(&self, options: CallOptions) -> Enter<'_> {
        Enter::new(self, options)
    }

    /// As [`Bulkhead::enter_async`], with a permit that owns its bulkhead and can be moved into another task.
    ///
    /// ```
    /// use resilience_bulkhead::Bulkhead;
    /// use std::sync::Arc;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let bulkhead = Arc::new(Bulkhead::builder().max_concurrent(2).build()?);
    /// let permit = Arc::clone(&bulkhead).enter_owned_async().await.expect("a slot");
    /// let task = tokio::spawn(async move {
    ///     let _inside = permit; // until the task ends
    /// });
    /// # task.await.unwrap();
    /// assert_eq!(bulkhead.available(), 2);
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Bulkhead::enter`].
    pub async fn enter_owned_async(self: Arc<Self>) -> Result<OwnedPermit, Rejection> {
        let permit = self.enter_async().await?.into_word();
        Ok(OwnedPermit::new(self, permit))
    }

    /// Runs `call` on this thread once it has a slot, and gives the slot back when the call has ended.
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] as [`Bulkhead::enter`], then `call` did not run; [`Error::Failed`] with its own error.
    #[inline]
    pub fn execute<T, E>(&self, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        self.execute_with(CallOptions::new(), call)
    }

    /// As [`Bulkhead::execute`], with options.
    ///
    /// # Errors
    ///
    /// As [`Bulkhead::execute`] and [`Bulkhead::enter_with`].
    #[inline]
    pub fn execute_with<T, E>(&self, options: CallOptions, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        self.solo().execute(options, call)
    }

    /// Runs the future of `call` once it has a slot, and gives the slot back when the future has ended or is dropped.
    ///
    /// ```
    /// # use resilience_core::Error;
    /// # use resilience_bulkhead::Bulkhead;
    /// # futures_lite::future::block_on(async {
    /// let bulkhead = Bulkhead::builder().max_concurrent(10).build()?;
    /// let answer: Result<u16, Error<std::io::Error>> = bulkhead.execute_async(|| async { Ok(200) }).await;
    /// # assert_eq!(answer.unwrap(), 200);
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// # }).unwrap();
    /// ```
    #[inline]
    pub fn execute_async<T, E, F, Fut>(&self, call: F) -> Execute<Solo<'_, &Self>, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.execute_async_with(CallOptions::new(), call)
    }

    /// As [`Bulkhead::execute_async`], with options.
    #[inline]
    pub fn execute_async_with<T, E, F, Fut>(&self, options: CallOptions, call: F) -> Execute<Solo<'_, &Self>, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.solo().execute_async(options, call)
    }

    /// Slots that are free now. Changes nothing.
    pub fn available(&self) -> u32 {
        self.snapshot().available
    }

    /// Changes the configuration of the live bulkhead, at any moment and from any thread; never waits.
    ///
    /// A larger maximum lets those in line go at once, in order. A smaller one lets running calls finish: nobody gets in
    /// until fewer run than it allows. Calls in line keep their place and their limit; switched off, all of them go.
    /// Equal values change nothing at all.
    ///
    /// ```
    /// # use resilience_bulkhead::{Bulkhead, Config};
    /// let bulkhead = Bulkhead::builder().max_concurrent(2).build()?;
    /// let _inside = [bulkhead.try_enter().unwrap(), bulkhead.try_enter().unwrap()];
    /// bulkhead.reconfigure(Config { max_concurrent: 3, ..bulkhead.config() })?;
    /// assert_eq!(bulkhead.available(), 1);
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong; nothing changes then.
    pub fn reconfigure(&self, config: Config) -> Result<(), ConfigError> {
        ConfigError::check(self.id.as_str(), config.problems())?;
        let mut current = lock(&self.config);
        let from = *current;
        if from == config {
            return Ok(());
        }
        // Ordering: Relaxed; each number counts alone, from the next call that waits.
        self.max_wait.store(saturating_nanos(config.max_wait), Ordering::Relaxed);
        // Ordering: Relaxed; as above.
        self.max_queue.store(config.queue_limit().into(), Ordering::Relaxed);
        let can_call = self.semaphore.resize(config.slots());
        *current = config;
        drop(current);
        if can_call {
            self.semaphore.call(self.clock.now());
        }
        self.publish(|| Event::Reconfigured { from, to: config });
        Ok(())
    }

    /// What the bulkhead shows of itself now. Changes nothing.
    pub fn snapshot(&self) -> Snapshot {
        let config = lock(&self.config);
        let in_use = self.semaphore.view().in_use();
        Snapshot {
            instance: self.id,
            in_use,
            available: config.max_concurrent.saturating_sub(in_use),
            queued: self.semaphore.in_line(),
            max_concurrent: config.max_concurrent,
            max_wait: config.max_wait,
            max_queue: config.max_queue,
        }
    }

    /// The configuration in force.
    pub fn config(&self) -> Config {
        *lock(&self.config)
    }

    /// The clock on which the bulkhead waits.
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

    #[inline(always)]
    fn try_take(&self) -> Result<u64, Rejection> {
        let permit = match self.semaphore.take() {
            Straight::Taken => HELD,
            Straight::Lost | Straight::Off => self.try_take_slowly()?,
        };
        self.meter.succeeded();
        Ok(permit)
    }

    /// Takes the permit of a call back that was let in.
    #[inline(always)]
    pub(crate) fn give_back(&self, permit: u64) {
        if permit == HELD && self.semaphore.give() {
            self.call();
        }
    }

    #[cold]
    #[inline(never)]
    fn call(&self) {
        self.semaphore.call(self.clock.now());
    }

    #[inline]
    pub(crate) fn publish(&self, event: impl FnOnce() -> Event) {
        if self.events.is_heard() {
            self.events.publish(Self::KIND, self.id, self.clock.now(), &event());
        }
    }
}

/// The permit is 1 for a slot, 0 for none (the bulkhead was switched off), and 2 more than its place for a call in line.
impl Policy for Bulkhead {
    type At = at::Bulkhead;
    type Permit = u64;

    fn id(&self) -> Id {
        self.id
    }

    #[inline(always)]
    fn admit(&self, cx: &mut Cx<'_>) -> Admission<u64> {
        match self.semaphore.take() {
            Straight::Taken => Admission::Go(HELD),
            Straight::Lost | Straight::Off => self.admit_slowly(*cx),
        }
    }

    #[inline(always)]
    fn settle(&self, permit: u64, _: &Outcome, _: &mut Cx<'_>) -> Verdict<u64> {
        self.give_back(permit);
        Verdict::Return
    }

    fn abandon(&self, permit: u64, _: Was) {
        if permit > HELD {
            self.leave_line(permit);
        } else {
            self.give_back(permit);
        }
    }

    fn interrupted(&self, rejection: &Rejection, _: &mut Cx<'_>) {
        self.publish(|| Event::Rejected(*rejection));
    }

    fn poll_queued(&self, permit: &mut u64, cx: &mut Cx<'_>) -> Queued {
        self.ask(permit, cx)
    }

    #[inline(always)]
    fn meter(&self) -> Option<&Meter> {
        Some(&self.meter)
    }

    fn clock(&self) -> Option<&Clock> {
        Some(&self.clock)
    }
}

impl SinglePass for Bulkhead {}

impl Managed for Bulkhead {
    const KIND: &'static str = "bulkhead";
    type Config = Config;
    type Snapshot = Snapshot;

    fn create(id: Id, config: Config, env: &Env) -> Result<Self, ConfigError> {
        Ok(Self {
            semaphore: Semaphore::new(config.slots()),
            max_wait: AtomicU64::new(saturating_nanos(config.max_wait)),
            max_queue: AtomicU64::new(config.queue_limit().into()),
            meter: Meter::default(),
            waits: Waits::default(),
            config: Mutex::new(config),
            id,
            clock: env.clock().clone(),
            events: env.events().clone(),
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
        into.level(&metric::BULKHEAD_IN_USE, now.in_use);
        into.level(&metric::BULKHEAD_QUEUED, now.queued);
        into.level(&metric::BULKHEAD_MAX, now.max_concurrent);
    }

    fn reconfigure(&self, config: Config) -> Result<(), ConfigError> {
        self.reconfigure(config)
    }
}

impl fmt::Debug for Bulkhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bulkhead")
            .field("config", &self.config())
            .field("snapshot", &self.snapshot())
            .finish_non_exhaustive()
    }
}
