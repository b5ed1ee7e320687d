//! The bulkhead against a plain list of who is inside and who is in line.

use std::{collections::VecDeque, task::Poll, time::Duration};

use proptest::prelude::*;
use resilience_bulkhead::{Bulkhead, Config, Permit};
use resilience_core::{ManualClock, Rejection};

use crate::{MS, counts, poll};

#[derive(Clone, Copy, Debug)]
enum Step {
    Enter,
    TryEnter,
    /// Whoever it is leaves, in whatever state.
    Drop(usize),
    /// Time passes, and whoever waits is polled, in this order.
    Pass {
        ms: u32,
        backwards: bool,
    },
    Resize(u32),
    MaxWait(u32),
    MaxQueue(Option<u32>),
    Enable(bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Enter),
        2 => Just(Step::TryEnter),
        5 => any::<usize>().prop_map(Step::Drop),
        2 => (0..15_u32, any::<bool>()).prop_map(|(ms, backwards)| Step::Pass { ms, backwards }),
        1 => (1..5_u32).prop_map(Step::Resize),
        1 => (0..20_u32).prop_map(Step::MaxWait),
        1 => prop::option::of(0..4_u32).prop_map(Step::MaxQueue),
        1 => any::<bool>().prop_map(Step::Enable),
    ]
}

/// The plain list. Calls by number.
#[derive(Debug)]
struct Model {
    config: Config,
    now: Duration,
    /// Inside, with a slot that counts.
    inside: Vec<usize>,
    /// Inside without one.
    uncounted: Vec<usize>,
    line: VecDeque<(usize, Duration)>,
}

impl Model {
    fn room(&self) -> bool {
        (self.inside.len() as u32) < self.config.max_concurrent
    }

    fn enter(&mut self, who: usize, waits: bool) -> bool {
        let is_full = self.config.max_queue.is_some_and(|most| self.line.len() as u32 >= most);
        if !self.config.enabled {
            self.uncounted.push(who);
        } else if self.room() && self.line.is_empty() {
            self.inside.push(who);
        } else if waits && !self.config.max_wait.is_zero() && !is_full {
            self.line.push_back((who, self.now + self.config.max_wait));
        } else {
            return false;
        }
        true
    }

    fn go(&mut self) {
        while !self.line.is_empty() && (self.room() || !self.config.enabled) {
            let (who, _) = self.line.pop_front().unwrap();
            if self.config.enabled { self.inside.push(who) } else { self.uncounted.push(who) }
        }
    }

    fn leave(&mut self, who: usize) {
        self.inside.retain(|it| *it != who);
        self.uncounted.retain(|it| *it != who);
        self.line.retain(|(it, _)| *it != who);
        self.go();
    }

    /// Who waits no longer because its time is up.
    fn time_out(&mut self) -> Vec<usize> {
        let late = self.line.iter().filter(|(_, until)| *until <= self.now).map(|(who, _)| *who).collect();
        self.line.retain(|(_, until)| *until > self.now);
        late
    }
}

type Waiting<'a> = std::pin::Pin<Box<resilience_bulkhead::Enter<'a>>>;

enum Real<'a> {
    Waiting(Waiting<'a>),
    In(#[expect(dead_code, reason = "held")] Permit<'a>),
}

/// Polls once; `None` if it was refused.
fn go_on(real: Real<'_>) -> Option<Real<'_>> {
    let Real::Waiting(mut enter) = real else { return Some(real) };
    match poll(&mut enter) {
        Poll::Pending => Some(Real::Waiting(enter)),
        Poll::Ready(Ok(permit)) => Some(Real::In(permit)),
        Poll::Ready(Err(_)) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_bulkhead_agrees_with_a_plain_list(steps in prop::collection::vec(step(), 0..120)) {
        let clock = ManualClock::new();
        let builder = Bulkhead::builder().max_concurrent(2).max_wait(10 * MS).clock(&clock);
        let bulkhead: &Bulkhead = &builder.build().unwrap();
        let config = bulkhead.config();
        let mut model =
            Model { config, now: Duration::ZERO, inside: Vec::new(), uncounted: Vec::new(), line: VecDeque::new() };
        let mut calls: Vec<(usize, Real<'_>)> = Vec::new();
        for (n, step) in steps.into_iter().enumerate() {
            let mut config = model.config;
            match step {
                Step::Enter => {
                    let entered = go_on(Real::Waiting(Box::pin(bulkhead.enter_async())));
                    prop_assert_eq!(entered.is_some(), model.enter(n, true));
                    calls.extend(entered.map(|real| (n, real)));
                }
                Step::TryEnter => {
                    let entered: Result<_, Rejection> = bulkhead.try_enter();
                    prop_assert_eq!(entered.is_ok(), model.enter(n, false));
                    calls.extend(entered.ok().map(|permit| (n, Real::In(permit))));
                }
                Step::Drop(who) if !calls.is_empty() => {
                    let (who, real) = calls.remove(who % calls.len());
                    drop(real);
                    model.leave(who);
                }
                Step::Drop(_) => {}
                Step::Pass { ms, backwards } => {
                    clock.advance(ms * MS);
                    model.now += ms * MS;
                    let late = model.time_out();
                    if backwards {
                        calls.reverse();
                    }
                    let mut refused = Vec::new();
                    for (who, real) in std::mem::take(&mut calls) {
                        match go_on(real) {
                            Some(real) => calls.push((who, real)),
                            None => refused.push(who),
                        }
                    }
                    calls.sort_by_key(|(who, _)| *who);
                    refused.sort_unstable();
                    prop_assert_eq!(refused, late);
                }
                Step::Resize(max_concurrent) => config.max_concurrent = max_concurrent,
                Step::MaxWait(ms) => config.max_wait = ms * MS,
                Step::MaxQueue(max_queue) => config.max_queue = max_queue,
                Step::Enable(enabled) => config.enabled = enabled,
            }
            if config != model.config {
                bulkhead.reconfigure(config).unwrap();
                model.config = config;
                model.go();
            }
            let available = model.config.max_concurrent.saturating_sub(model.inside.len() as u32);
            prop_assert_eq!(counts(bulkhead), [model.inside.len() as u32, available, model.line.len() as u32]);
        }
        // Everybody who the list says is inside is, and nobody else.
        let calls: Vec<_> = calls.into_iter().map(|(who, real)| (who, go_on(real))).collect();
        for (who, real) in &calls {
            let expected = model.inside.contains(who) || model.uncounted.contains(who);
            prop_assert_eq!(matches!(real, Some(Real::In(_))), expected, "call {}", who);
        }
        drop(calls);
        prop_assert_eq!(counts(bulkhead), [0, bulkhead.config().max_concurrent, 0]);
        prop_assert_eq!(clock.pending_tasks(), 0);
    }
}
