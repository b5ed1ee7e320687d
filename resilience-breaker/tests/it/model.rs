//! The breaker against a naive one that keeps lists, over random operations.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::prelude::*;
use resilience_breaker::{CircuitBreaker, Config, Event, OnDropped, Permit, State, WindowType};
use resilience_core::{Events, Failure, Kind, ManualClock, Outcome, Rejection};

use crate::MS;

#[derive(Clone, Copy, Debug)]
enum Op {
    Ask,
    End(usize, How),
    Pass(u64),
    Force(State),
    Change { threshold: u32, permitted: u32, wait: u64, enabled: bool },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Succeeds,
    Fails,
    IsIgnored,
    IsDropped,
}

fn op() -> impl Strategy<Value = Op> {
    let how = prop_oneof![
        3 => Just(How::Succeeds),
        4 => Just(How::Fails),
        1 => Just(How::IsIgnored),
        1 => Just(How::IsDropped),
    ];
    let state =
        prop_oneof![Just(State::Closed), Just(State::ForcedOpen), Just(State::Disabled), Just(State::MetricsOnly)];
    prop_oneof![
        20 => Just(Op::Ask),
        20 => (any::<usize>(), how).prop_map(|(which, how)| Op::End(which, how)),
        10 => (0_u64..30).prop_map(Op::Pass),
        1 => state.prop_map(Op::Force),
        1 => (1_u32..=100, 1_u32..4, 1_u64..40, prop::bool::weighted(0.8))
            .prop_map(|(threshold, permitted, wait, enabled)| Op::Change { threshold, permitted, wait, enabled }),
    ]
}

fn config() -> impl Strategy<Value = Config> {
    let window = (any::<bool>(), 1_u32..8, 10_u64..100, 1_u32..6, 1_u32..=100);
    let open = (1_u64..40, prop_oneof![Just(1.0), 1.0..3.0], 40_u64..100, 1_u32..4, 0_u64..60);
    (window, open, prop::option::of(1_u64..10), any::<bool>()).prop_map(|(window, open, slow, drops)| {
        let (by_time, window_size, duration, minimum, threshold) = window;
        let (wait, multiplier, most, permitted, half_open) = open;
        Config {
            window_type: if by_time { WindowType::Time } else { WindowType::Count },
            window_size,
            window_duration: Duration::from_millis(duration),
            minimum_calls: minimum.min(window_size),
            failure_rate_threshold: threshold.into(),
            slow_call_duration: slow.map(Duration::from_millis),
            slow_call_rate_threshold: 60.0,
            wait_in_open: Duration::from_millis(wait),
            wait_in_open_multiplier: multiplier,
            max_wait_in_open: Duration::from_millis(most),
            permitted_in_half_open: permitted,
            max_wait_in_half_open: Duration::from_millis(half_open),
            on_dropped: if drops { OnDropped::Failure } else { OnDropped::Ignore },
            ..Config::default()
        }
    })
}

/// Times are in nanoseconds.
struct Naive {
    config: Config,
    now: u128,
    state: State,
    phase: u64,
    /// When the phase is over.
    until: Option<u128>,
    openings: u32,
    /// What was recorded: when it ended, whether it failed, whether it was slow.
    calls: Vec<(u128, bool, bool)>,
    probes: Vec<(bool, bool)>,
    running: u32,
    /// The transitions.
    told: Vec<Told>,
}

/// From, to, and the calls, failures and slow calls that caused it.
type Told = (State, State, Counts);

type Counts = (usize, usize, usize);

const NO_NUMBERS: Counts = (0, 0, 0);

#[derive(Clone, Copy)]
struct Started {
    phase: u64,
    at: u128,
    counts: bool,
    probe: bool,
    timed: bool,
}

impl Naive {
    fn new(config: Config) -> Self {
        Self {
            config,
            now: 0,
            state: State::Closed,
            phase: 0,
            until: None,
            openings: 0,
            calls: Vec::new(),
            probes: Vec::new(),
            running: 0,
            told: Vec::new(),
        }
    }

    fn go(&mut self, state: State, until: Option<u128>, why: Counts) {
        self.told.push((self.state, state, why));
        (self.state, self.until) = (state, until);
        self.phase += 1;
        self.probes.clear();
        self.running = 0;
        if matches!(state, State::Closed | State::MetricsOnly) {
            self.calls.clear();
        }
    }

    fn open(&mut self, from: u128, why: Counts) {
        let grown = self.config.wait_in_open.as_nanos() as f64
            * self.config.wait_in_open_multiplier.powi(self.openings.try_into().unwrap());
        let most = self.config.max_wait_in_open.as_nanos().max(self.config.wait_in_open.as_nanos());
        let wait = if self.openings == 0 { self.config.wait_in_open.as_nanos() } else { (grown as u128).min(most) };
        self.openings += 1;
        self.go(State::Open, Some(from + wait), why);
    }

    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| self.now >= until)
    }

    fn expire(&mut self) {
        if self.state == State::HalfOpen && self.is_over() {
            self.open(self.until.unwrap(), counts(&self.probes));
        }
    }

    /// `Err` with the wait, if it is rejected.
    fn ask(&mut self) -> Result<Started, Option<u128>> {
        let started = |counts, it: &Self| {
            let (probe, timed) = (counts && it.state == State::HalfOpen, it.config.slow_call_duration.is_some());
            Ok(Started { phase: it.phase, at: it.now, counts, probe, timed })
        };
        if !self.config.enabled {
            return started(false, self);
        }
        self.expire();
        if self.state == State::Open && self.is_over() {
            let limit = self.config.max_wait_in_half_open.as_nanos();
            self.go(State::HalfOpen, (limit > 0).then_some(self.now + limit), NO_NUMBERS);
        }
        match self.state {
            State::Closed | State::MetricsOnly => started(true, self),
            State::Disabled => started(false, self),
            State::Open => Err(Some(self.until.unwrap() - self.now)),
            State::ForcedOpen => Err(None),
            State::HalfOpen => {
                if self.running + self.probes.len() as u32 >= self.config.permitted_in_half_open {
                    return Err(None);
                }
                self.running += 1;
                started(true, self)
            }
        }
    }

    fn end(&mut self, started: Started, how: How) {
        let failed = match how {
            How::Succeeds => Some(false),
            How::Fails => Some(true),
            How::IsDropped if self.config.on_dropped == OnDropped::Failure && self.config.enabled => Some(true),
            How::IsIgnored | How::IsDropped => None,
        };
        if !started.counts {
            return;
        }
        if started.probe {
            self.expire();
        }
        if started.phase != self.phase {
            return;
        }
        let took = self.now - started.at;
        let slow = started.timed && self.config.slow_call_duration.is_some_and(|limit| took > limit.as_nanos());
        match self.state {
            State::HalfOpen => {
                self.running -= 1;
                if let Some(failed) = failed.filter(|_| self.config.enabled) {
                    self.probes.push((failed, slow));
                    self.decide();
                }
            }
            State::Closed | State::MetricsOnly if self.config.enabled => {
                let Some(failed) = failed else { return };
                self.calls.push((self.now, failed, slow));
                let (calls, failed, slow) = self.window();
                let reached = self.reached(calls, failed, slow);
                if self.state == State::Closed && calls >= self.config.minimum_calls as usize && reached {
                    self.open(self.now, (calls, failed, slow));
                }
            }
            _ => {}
        }
    }

    fn decide(&mut self) {
        if self.state == State::HalfOpen && self.probes.len() >= self.config.permitted_in_half_open as usize {
            let (calls, failed, slow) = counts(&self.probes);
            if self.reached(calls, failed, slow) {
                self.open(self.now, (calls, failed, slow));
            } else {
                self.openings = 0;
                self.go(State::Closed, None, (calls, failed, slow));
            }
        }
    }

    fn reached(&self, calls: usize, failed: usize, slow: usize) -> bool {
        let reached = |part: usize, threshold: f64| part > 0 && part as f64 * 100.0 >= threshold * calls as f64;
        reached(failed, self.config.failure_rate_threshold) || reached(slow, self.config.slow_call_rate_threshold)
    }

    fn window(&self) -> Counts {
        let bucket = |at: u128| at / self.config.window_duration.as_nanos().div_ceil(10);
        let newest: Vec<_> = match self.config.window_type {
            WindowType::Count => self.calls.iter().rev().take(self.config.window_size as usize).collect(),
            WindowType::Time => self.calls.iter().filter(|it| bucket(self.now) - bucket(it.0) < 10).collect(),
        };
        counts(&newest.into_iter().map(|(_, failed, slow)| (*failed, *slow)).collect::<Vec<_>>())
    }
}

fn counts(marks: &[(bool, bool)]) -> Counts {
    (marks.len(), marks.iter().filter(|it| it.0).count(), marks.iter().filter(|it| it.1).count())
}

fn end(permit: Permit<'_>, how: How) {
    match how {
        How::Succeeds => permit.success(),
        How::Fails => permit.settle(&Outcome::Failure(Failure::new(Kind::FAILED))),
        How::IsIgnored => permit.settle(&Outcome::Ignored),
        How::IsDropped => drop(permit),
    }
}

fn agree(breaker: &CircuitBreaker, naive: &Naive) -> Result<(), TestCaseError> {
    let state = if naive.config.enabled { naive.state } else { State::Disabled };
    prop_assert_eq!(breaker.state(), state);
    let seen = breaker.snapshot();
    let window = (seen.window.calls as usize, seen.window.failed as usize, seen.window.slow as usize);
    if matches!(naive.state, State::Closed | State::MetricsOnly) {
        prop_assert_eq!(window, naive.window());
    }
    let left = naive.until.filter(|_| naive.state == State::Open).map(|until| until.saturating_sub(naive.now));
    prop_assert_eq!(seen.open_for.map(|it| it.as_nanos()), left);
    prop_assert_eq!((seen.probes_running, seen.probes.calls as usize), (naive.running, naive.probes.len()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 512 } else { 4_096 }))]

    /// Laws 1 to 5. Somebody listens or nobody does: a call goes another way then.
    #[test]
    fn agrees_with_a_naive_one(
        config in config(), ops in prop::collection::vec(op(), 1..200), heard in any::<bool>(),
    ) {
        let (clock, events, told) = (ManualClock::new(), Events::new(), Arc::new(Mutex::new(Vec::<Told>::new())));
        let list = Arc::clone(&told);
        let _listening = heard.then(|| events.subscribe(move |event| {
            if let Some(Event::Transition(it)) = event.payload::<Event>() {
                let [calls, failed, slow] = [it.rates.calls, it.rates.failed, it.rates.slow].map(|n| n as usize);
                list.lock().unwrap().push((it.from, it.to, (calls, failed, slow)));
            }
        }));
        let breaker = CircuitBreaker::builder().clock(&clock).events(&events).build().unwrap();
        breaker.reconfigure(config).unwrap();
        let mut naive = Naive::new(config);
        let mut running: Vec<(Permit<'_>, Started)> = Vec::new();
        for op in ops {
            match op {
                Op::Ask => match (breaker.try_acquire(), naive.ask()) {
                    (Ok(permit), Ok(started)) => running.push((permit, started)),
                    (Err(rejection), Err(wait)) => {
                        let told = Rejection::retry_after(&rejection).map(|it| it.as_nanos());
                        prop_assert_eq!(told, wait);
                    }
                    (real, model) => prop_assert!(false, "{real:?}, expected {:?}", model.map(|it| it.phase)),
                },
                Op::End(which, how) if !running.is_empty() => {
                    let (permit, started) = running.swap_remove(which % running.len());
                    naive.end(started, how);
                    end(permit, how);
                }
                Op::End(..) => {}
                Op::Pass(millis) => {
                    clock.advance(MS * millis as u32);
                    naive.now += u128::from(millis) * 1_000_000;
                }
                Op::Force(state) => {
                    match state {
                        State::Closed => breaker.reset(),
                        State::ForcedOpen => breaker.force_open(),
                        State::Disabled => breaker.disable(),
                        _ => breaker.metrics_only(),
                    }
                    if naive.state != state || state == State::Closed {
                        naive.openings = 0;
                        naive.go(state, None, NO_NUMBERS);
                    }
                }
                Op::Change { threshold, permitted, wait, enabled } => {
                    let wait_in_open = Duration::from_millis(wait);
                    let config = Config {
                        failure_rate_threshold: threshold.into(),
                        permitted_in_half_open: permitted,
                        wait_in_open,
                        enabled,
                        ..naive.config
                    };
                    breaker.reconfigure(config).unwrap();
                    if config != naive.config {
                        naive.expire();
                    }
                    naive.config = config;
                    if enabled {
                        naive.decide();
                    }
                }
            }
            agree(&breaker, &naive)?;
            if heard {
                prop_assert_eq!(&*told.lock().unwrap(), &naive.told);
            }
        }
    }
}
