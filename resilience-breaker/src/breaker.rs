use std::fmt;

use resilience_core::{
    Admission, CallOptions, Clock, ConfigError, Cx, Env, Error, Events, Execute, Id, Managed, Nanos, Outcome, Policy,
    Rejection, Settings, SinglePass, Solo, Verdict, Was, at,
    event::Level,
    keys::metric,
    measure::Measures,
    meter::{Meter, Tally},
    saturating_nanos,
    sync::{Mutex, OwnLine, lock},
};

use crate::{
    Builder, Config, Event, Permit, Snapshot, State, WindowType,
    control::Control,
    gate::{Gate, Word},
    machine::Phase,
    window::{CountWindow, TimeWindow},
};

/// Stops calling what keeps failing, and finds out when it works again.
///
/// Usable on its own, in an [`Arc`](std::sync::Arc) to share it, or in a pipeline. All methods take `&self`.
///
/// ```
/// use resilience_breaker::{CircuitBreaker, State};
/// use resilience_core::ManualClock;
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let breaker = CircuitBreaker::builder().window_size(10).minimum_calls(5).clock(&clock).build()?;
///
/// for _ in 0..5 {
///     assert!(breaker.execute(|| Err::<(), _>("down")).is_err());
/// }
/// assert_eq!(breaker.state(), State::Open);
/// let rejected = breaker.execute(|| Ok::<_, ()>("it does not run")).unwrap_err();
/// assert_eq!(rejected.retry_after(), Some(Duration::from_secs(30)));
/// # Ok::<(), resilience_core::ConfigError>(())
/// ```
pub struct CircuitBreaker {
    /// Read by every call.
    pub(crate) gate: OwnLine<Gate>,
    /// Written by every call, unless the window is one of time.
    pub(crate) window: OwnLine<CountWindow>,
    /// Locked for a few instructions, and only if the window is one of time.
    pub(crate) timed: Mutex<TimeWindow>,
    /// Locked before `timed`.
    pub(crate) control: Mutex<Control>,
    pub(crate) meter: Meter,
    /// By [`State::transition`].
    pub(crate) transitions: Tally<{ State::TRANSITIONS }>,
    pub(crate) id: Id,
    pub(crate) clock: Clock,
    pub(crate) events: Events,
}

/// A call that passed: the gate's word then, and when that was, if calls are timed.
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    pub(crate) word: u64,
    pub(crate) start: Nanos,
}

impl Ticket {
    /// How long the call took, in nanoseconds, if it is timed.
    pub(crate) fn elapsed(self, cx: &mut Cx<'_>) -> Option<u64> {
        (!self.start.is_never()).then(|| cx.now().as_u64().saturating_sub(self.start.as_u64()))
    }
}

impl CircuitBreaker {
    /// Begins a breaker.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Asks whether a call may pass, for callers that say themselves how it ended. Never waits.
    ///
    /// ```
    /// # let breaker = resilience_breaker::CircuitBreaker::builder().build()?;
    /// let permit = breaker.try_acquire().expect("closed");
    /// match "42".parse::<u8>() {
    ///     Ok(_) => permit.success(),
    ///     Err(_) => permit.failure(),
    /// }
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// R4C-RT-002 if the breaker is open, or half-open with all its probes on their way.
    pub fn try_acquire(&self) -> Result<Permit<'_>, Rejection> {
        match self.admit(&mut Cx::new(&self.clock)) {
            Admission::Reject(rejection) => {
                self.meter.rejected(rejection.code());
                Err(rejection)
            }
            Admission::Go(ticket) | Admission::GoAt(ticket, _) | Admission::Queue(ticket, _) => {
                Ok(Permit::new(self, ticket))
            }
        }
    }

    /// Runs `call` on this thread, if the breaker lets it pass.
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] with R4C-RT-002, then `call` did not run; [`Error::Failed`] with its own error.
    #[inline]
    pub fn execute<T, E>(&self, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        self.execute_with(CallOptions::new(), call)
    }

    /// As [`CircuitBreaker::execute`], with options.
    ///
    /// # Errors
    ///
    /// As [`CircuitBreaker::execute`]; R4C-RT-003 if the call ended after the deadline of the options.
    #[inline]
    pub fn execute_with<T, E>(&self, options: CallOptions, call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>> {
        self.solo().execute(options, call)
    }

    /// Runs the future of `call`, if the breaker lets it pass.
    ///
    /// ```
    /// # use resilience_core::Error;
    /// # futures_lite::future::block_on(async {
    /// let breaker = resilience_breaker::CircuitBreaker::builder().build()?;
    /// let answer: Result<u16, Error<std::io::Error>> = breaker.execute_async(|| async { Ok(200) }).await;
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

    /// As [`CircuitBreaker::execute_async`], with options.
    #[inline]
    pub fn execute_async_with<T, E, F, Fut>(&self, options: CallOptions, call: F) -> Execute<Solo<'_, &Self>, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.solo().execute_async(options, call)
    }

    /// The state now. Changes nothing: an open breaker whose wait is over stays open until the next call.
    pub fn state(&self) -> State {
        self.gate.word().state()
    }

    /// Closes the breaker, at once and with an empty window, whatever its state.
    pub fn reset(&self) {
        self.force(Phase::Closed);
    }

    /// Rejects all calls until [`CircuitBreaker::reset`], or another state by hand.
    pub fn force_open(&self) {
        self.force(Phase::ForcedOpen);
    }

    /// Lets all calls pass and records none, until another state by hand.
    pub fn disable(&self) {
        self.force(Phase::Disabled);
    }

    /// Lets all calls pass and records them, until another state by hand.
    pub fn metrics_only(&self) {
        self.force(Phase::MetricsOnly);
    }

    /// Changes the configuration of the live breaker, at any moment and from any thread.
    ///
    /// The state stays, and so do the time left in it and what was recorded: a smaller window keeps the newest calls.
    /// New thresholds hold from the next result on. A window of the other type begins empty. Equal values change nothing
    /// at all.
    ///
    /// ```
    /// # use resilience_breaker::{CircuitBreaker, Config};
    /// let breaker = CircuitBreaker::builder().build()?;
    /// breaker.reconfigure(Config { failure_rate_threshold: 25.0, ..breaker.config() })?;
    /// # Ok::<(), resilience_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// R4C-REG-001 with all that is wrong; nothing changes then.
    pub fn reconfigure(&self, config: Config) -> Result<(), ConfigError> {
        ConfigError::check(self.id.as_str(), config.problems())?;
        let now = self.clock.now();
        self.change(now, |machine, current, log| {
            let from = std::mem::replace(current, config);
            if from == config {
                return;
            }
            machine.expire(now, &from, &mut |it| log(Event::Transition(it)));
            log(Event::Reconfigured { from: Box::new(from), to: Box::new(config) });
            if from.window_type != config.window_type {
                machine.renew();
            }
            if from.window_size != config.window_size {
                self.window.resize(config.window_size);
            }
            if from.window_duration != config.window_duration {
                lock(&self.timed).resize(saturating_nanos(config.window_duration), now);
            }
            self.gate.adjust(&config);
            if config.enabled {
                machine.decide(now, &config, &mut |it| log(Event::Transition(it)));
            }
        });
        Ok(())
    }

    /// What the breaker shows of itself now. Changes nothing.
    pub fn snapshot(&self) -> Snapshot {
        let now = self.clock.now();
        let control = lock(&self.control);
        let rates = match control.config.window_type {
            WindowType::Count => self.window.rates(),
            WindowType::Time => lock(&self.timed).rates(now),
        };
        Snapshot::new(self.id, self.state(), rates, &control.machine.phase, now)
    }

    /// The configuration in force.
    pub fn config(&self) -> Config {
        lock(&self.control).config
    }

    /// The clock on which the breaker decides.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The instance id.
    pub fn id(&self) -> Id {
        self.id
    }

    fn force(&self, phase: Phase) {
        let now = self.clock.now();
        self.change(now, |machine, _, log| {
            if machine.phase != phase || phase == Phase::Closed {
                machine.set(phase, &mut |it| log(Event::Transition(it)));
            }
        });
    }

    #[inline(always)]
    fn solo(&self) -> Solo<'_, &Self> {
        Solo::new(self, &self.clock)
    }
}

impl Policy for CircuitBreaker {
    type At = at::CircuitBreaker;
    type Permit = Ticket;

    fn id(&self) -> Id {
        self.id
    }

    #[inline(always)]
    fn admit(&self, cx: &mut Cx<'_>) -> Admission<Ticket> {
        let word = self.gate.word();
        if word.is_straight_in() {
            return Admission::Go(Ticket { word: word.0, start: Nanos::NEVER });
        }
        if word.is_open() && !self.events.is_heard_at(Level::Debug) {
            let (now, until) = (cx.now(), self.gate.until());
            if now < until {
                return Admission::Reject(self.rejection(now, until));
            }
        }
        let (admission, reading) = self.ask(word, cx.reading());
        cx.learn(reading);
        admission
    }

    #[inline(always)]
    fn settle(&self, ticket: Ticket, outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<Ticket> {
        let word = Word(ticket.word);
        if word.is_straight_out() && matches!(outcome, Outcome::Success) && !self.events.is_heard_at(Level::Trace) {
            if let Some((head, size)) = self.window.record_success(&self.gate, word) {
                if !head.is_good() {
                    self.weigh(word, head.rates(size), cx.reading());
                }
                return Verdict::Return;
            }
        }
        cx.learn(self.record(ticket, *outcome, cx.reading()));
        Verdict::Return
    }

    fn abandon(&self, ticket: Ticket, _: Was) {
        self.dropped(ticket);
    }

    #[inline(always)]
    fn meter(&self) -> Option<&Meter> {
        Some(&self.meter)
    }

    fn clock(&self) -> Option<&Clock> {
        Some(&self.clock)
    }
}

impl SinglePass for CircuitBreaker {}

impl Managed for CircuitBreaker {
    const KIND: &'static str = "circuit_breaker";
    type Config = Config;
    type Snapshot = Snapshot;

    fn create(id: Id, config: Config, env: &Env) -> Result<Self, ConfigError> {
        let control = Control::new(config);
        Ok(Self {
            gate: OwnLine(Gate::new(&control.machine, &config)),
            window: OwnLine(CountWindow::new(config.window_size)),
            timed: Mutex::new(TimeWindow::new(saturating_nanos(config.window_duration))),
            control: Mutex::new(control),
            meter: Meter::default(),
            transitions: Tally::default(),
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
        self.transitions.measure(into, &metric::CIRCUIT_BREAKER_TRANSITIONS, State::names_of);
        let now = self.snapshot();
        let share = |percent: Option<f64>| percent.unwrap_or_default() / 100.0;
        into.level(&metric::CIRCUIT_BREAKER_STATE, now.state.number());
        into.level(&metric::CIRCUIT_BREAKER_FAILURE_RATE, share(now.failure_rate));
        into.level(&metric::CIRCUIT_BREAKER_SLOW_CALL_RATE, share(now.slow_call_rate));
    }

    fn reconfigure(&self, config: Config) -> Result<(), ConfigError> {
        self.reconfigure(config)
    }
}

impl fmt::Debug for CircuitBreaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CircuitBreaker")
            .field("config", &self.config())
            .field("snapshot", &self.snapshot())
            .finish_non_exhaustive()
    }
}
