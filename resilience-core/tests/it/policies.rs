//! Policies that are not ours.

use std::{
    collections::VecDeque,
    sync::Mutex,
    sync::atomic::{AtomicU64, Ordering},
    task::Waker,
    time::Duration,
};

use resilience_core::{
    Admission, Code, ConfigError, Cx, Env, Id, Kind, Layer, Managed, ManualClock, Nanos, Outcome, Policy, Problem,
    Queued, Rejection, Settings, SinglePass, Verdict, Was, at,
    testing::{Alone, Prepared, Subject, contract},
};

/// Rejects every third call.
#[derive(Debug, Default)]
pub(crate) struct EveryThird {
    pub(crate) calls: AtomicU64,
    pub(crate) id: Option<Id>,
    pub(crate) off: bool,
}

impl Policy for EveryThird {
    type At = at::Inside<at::RateLimiter>;
    type Permit = ();

    fn id(&self) -> Id {
        self.id.unwrap_or(Id::new("every-third"))
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        if !self.off && self.calls.fetch_add(1, Ordering::Relaxed) % 3 == 2 {
            let kind = Kind::new("every_third").expect("a name");
            return Admission::Reject(Rejection::new(Code::CallNotPermitted, kind, self.id(), Self::LAYER));
        }
        Admission::Go(())
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        Verdict::Return
    }
}

impl SinglePass for EveryThird {}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EveryThirdConfig {
    pub(crate) starts_at: u64,
}

impl Settings for EveryThirdConfig {
    fn entries(&self) -> Vec<(&'static str, String)> {
        vec![("starts_at", self.starts_at.to_string())]
    }

    fn problems(&self) -> Vec<Problem> {
        let problem = || Problem::new(Code::OutOfRange, "starts_at", self.starts_at.to_string(), "0 to 2");
        (self.starts_at > 2).then(problem).into_iter().collect()
    }
}

impl Managed for EveryThird {
    const KIND: &'static str = "every_third";
    type Config = EveryThirdConfig;
    type Snapshot = u64;

    fn create(id: Id, config: EveryThirdConfig, _: &Env) -> Result<Self, ConfigError> {
        Ok(Self { calls: config.starts_at.into(), id: Some(id), off: false })
    }

    fn config(&self) -> EveryThirdConfig {
        EveryThirdConfig { starts_at: self.calls.load(Ordering::Relaxed) }
    }

    fn snapshot(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    fn reconfigure(&self, config: EveryThirdConfig) -> Result<(), ConfigError> {
        ConfigError::check("every-third", config.problems())?;
        self.calls.store(config.starts_at, Ordering::Relaxed);
        Ok(())
    }
}

/// Tries failures again, so many times in all, with a delay between.
#[derive(Debug)]
pub(crate) struct Again {
    pub(crate) attempts: u64,
    pub(crate) delay: Duration,
}

impl Policy for Again {
    type At = at::Retry;
    type Permit = u64;

    fn id(&self) -> Id {
        Id::new("again")
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<u64> {
        Admission::Go(1)
    }

    fn settle(&self, attempt: u64, outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<u64> {
        match outcome {
            Outcome::Failure(failure) if failure.kind() == Kind::PANICKED => Verdict::Return,
            Outcome::Failure(_) | Outcome::Rejected(_) if attempt < self.attempts => {
                Verdict::Again(attempt + 1, cx.now().after(self.delay))
            }
            _ => Verdict::Return,
        }
    }
}

/// Cuts off what takes longer.
#[derive(Debug)]
pub(crate) struct Limit(pub(crate) Duration);

impl Policy for Limit {
    type At = at::Timeout;
    type Permit = Nanos;
    const SETS_DEADLINE: bool = true;

    fn id(&self) -> Id {
        Id::new("limit")
    }

    fn admit(&self, cx: &mut Cx<'_>) -> Admission<Nanos> {
        Admission::Go(cx.now().after(self.0))
    }

    fn settle(&self, _: Nanos, outcome: &Outcome, _: &mut Cx<'_>) -> Verdict<Nanos> {
        match outcome {
            Outcome::Expired => Verdict::Reject(Rejection::timed_out(self.id(), Self::LAYER)),
            _ => Verdict::Return,
        }
    }

    fn deadline(&self, deadline: &Nanos) -> Nanos {
        *deadline
    }
}

/// Lets one call in at a time; others queue, first come, first served.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) max_wait: Duration,
    pub(crate) off: bool,
    state: Mutex<GateState>,
}

#[derive(Debug, Default)]
struct GateState {
    taken: bool,
    last: u64,
    queue: VecDeque<(u64, Option<Waker>)>,
}

/// A call in the queue: its number, and when it gives up. Number 0 never queued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    number: u64,
    until: Nanos,
}

impl Gate {
    pub(crate) fn new(max_wait: Duration) -> Self {
        Self { max_wait, off: false, state: Mutex::default() }
    }

    pub(crate) fn is_free(&self) -> bool {
        let state = self.state.lock().unwrap();
        !state.taken && state.queue.is_empty()
    }

    pub(crate) fn queued(&self) -> usize {
        self.state.lock().unwrap().queue.len()
    }

    fn leave(&self) {
        let mut state = self.state.lock().unwrap();
        state.taken = false;
        Self::call_next(state);
    }

    fn call_next(mut state: std::sync::MutexGuard<'_, GateState>) {
        let next = if state.taken { None } else { state.queue.front_mut().and_then(|(_, waker)| waker.take()) };
        drop(state);
        if let Some(waker) = next {
            waker.wake();
        }
    }

    fn give_up(&self, number: u64) {
        let mut state = self.state.lock().unwrap();
        state.queue.retain(|(waiting, _)| *waiting != number);
        Self::call_next(state);
    }

    fn full(&self) -> Rejection {
        Rejection::new(Code::BulkheadFull, Kind::BULKHEAD_FULL, self.id(), Self::LAYER)
    }
}

impl Policy for Gate {
    type At = at::Bulkhead;
    type Permit = Ticket;

    fn id(&self) -> Id {
        Id::new("gate")
    }

    fn admit(&self, cx: &mut Cx<'_>) -> Admission<Ticket> {
        if self.off {
            return Admission::Go(Ticket { number: 0, until: Nanos::NEVER });
        }
        let mut state = self.state.lock().unwrap();
        if !state.taken && state.queue.is_empty() {
            state.taken = true;
            return Admission::Go(Ticket { number: 0, until: Nanos::NEVER });
        }
        if self.max_wait.is_zero() {
            return Admission::Reject(self.full());
        }
        state.last += 1;
        let ticket = Ticket { number: state.last, until: cx.now().after(self.max_wait) };
        state.queue.push_back((ticket.number, None));
        Admission::Queue(ticket, ticket.until)
    }

    fn poll_queued(&self, ticket: &mut Ticket, cx: &mut Cx<'_>) -> Queued {
        let mut state = self.state.lock().unwrap();
        if !state.taken && state.queue.front().is_some_and(|(number, _)| *number == ticket.number) {
            state.queue.pop_front();
            state.taken = true;
            return Queued::Go;
        }
        if cx.now() >= ticket.until {
            drop(state);
            self.give_up(ticket.number);
            return Queued::Reject(self.full());
        }
        let waiting = state.queue.iter_mut().find(|(number, _)| *number == ticket.number);
        waiting.expect("it is queued").1 = cx.waker().cloned();
        Queued::Wait(ticket.until)
    }

    fn settle(&self, _: Ticket, _: &Outcome, _: &mut Cx<'_>) -> Verdict<Ticket> {
        self.leave();
        Verdict::Return
    }

    fn abandon(&self, ticket: Ticket, was: Was) {
        match was {
            Was::Queued => self.give_up(ticket.number),
            Was::Waiting | Was::Inside => self.leave(),
        }
    }
}

impl SinglePass for Gate {}

/// A policy whose every method panics when armed.
#[derive(Debug, Default)]
pub(crate) struct Fragile {
    pub(crate) in_admit: bool,
    pub(crate) in_settle: bool,
}

impl Policy for Fragile {
    type At = at::Inside<at::Bulkhead>;
    type Permit = ();

    fn id(&self) -> Id {
        Id::new("fragile")
    }

    fn admit(&self, _: &mut Cx<'_>) -> Admission<()> {
        assert!(!self.in_admit, "fragile");
        Admission::Go(())
    }

    fn settle(&self, (): (), _: &Outcome, _: &mut Cx<'_>) -> Verdict<()> {
        assert!(!self.in_settle, "fragile");
        Verdict::Return
    }
}

struct EveryThirdSubject;

impl Subject for EveryThirdSubject {
    type Stack = Alone<EveryThird>;

    fn open(&self, _: &ManualClock) -> Prepared<Alone<EveryThird>> {
        Prepared::new(EveryThird::default())
    }

    fn disabled(&self, _: &ManualClock) -> Prepared<Alone<EveryThird>> {
        Prepared::new(EveryThird { off: true, ..EveryThird::default() })
    }

    fn waiting(&self, _: &ManualClock) -> Option<Prepared<Alone<EveryThird>>> {
        None
    }

    fn rejecting(&self, _: &ManualClock) -> Option<Prepared<Alone<EveryThird>>> {
        None // its rejections count: that is what it is
    }
}

struct GateSubject;

impl GateSubject {
    /// A gate that a call is inside of.
    fn taken(clock: &ManualClock, max_wait: Duration) -> Prepared<Alone<Gate>> {
        let gate = Gate::new(max_wait);
        assert!(matches!(gate.admit(&mut Cx::new(&clock.clock())), Admission::Go(_)));
        Prepared::new(gate)
    }
}

impl Subject for GateSubject {
    type Stack = Alone<Gate>;

    fn open(&self, _: &ManualClock) -> Prepared<Alone<Gate>> {
        Prepared::new(Gate::new(Duration::from_secs(1)))
    }

    fn disabled(&self, _: &ManualClock) -> Prepared<Alone<Gate>> {
        Prepared::new(Gate { off: true, ..Gate::new(Duration::ZERO) })
    }

    fn waiting(&self, _: &ManualClock) -> Option<Prepared<Alone<Gate>>> {
        None // its place is freed by another call, not by time
    }

    fn rejecting(&self, clock: &ManualClock) -> Option<Prepared<Alone<Gate>>> {
        Some(Self::taken(clock, Duration::ZERO))
    }
}

#[test]
fn a_policy_of_a_third_party_keeps_the_contract_as_far_as_two_calls_in_a_row_go() {
    let subject = EveryThirdSubject;
    contract::dropping_before_the_first_poll_changes_nothing(&subject);
    contract::dropping_inside_gives_the_permit_back(&subject);
    contract::a_disabled_policy_lets_everything_through(&subject);
    contract::sync_and_async_agree(&subject);
    contract::threads_and_tasks_give_back_what_they_take(&subject);
}

#[test]
fn a_queueing_policy_keeps_the_contract_except_that_one_place_is_not_enough_for_nested_calls() {
    let subject = GateSubject;
    contract::dropping_before_the_first_poll_changes_nothing(&subject);
    contract::dropping_inside_gives_the_permit_back(&subject);
    contract::a_panic_inside_goes_on_and_costs_no_more_than_its_permit(&subject);
    contract::a_rejection_changes_nothing_and_runs_nothing(&subject);
    contract::a_disabled_policy_lets_everything_through(&subject);
    contract::sync_and_async_agree(&subject);
    contract::threads_and_tasks_give_back_what_they_take(&subject);
}

#[test]
fn places_have_numbers_between_their_neighbours() {
    assert!(Layer::RATE_LIMITER < EveryThird::LAYER && EveryThird::LAYER < Layer::TIMEOUT);
    assert_eq!(EveryThird::LAYER.to_string(), "rate_limiter (inside)");
}
