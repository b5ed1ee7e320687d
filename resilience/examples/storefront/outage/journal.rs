//! What happened, second by second.

use std::{sync::Mutex, time::Duration};

use resilience::{Nanos, breaker::Transition};

use super::{customer::Seen, script::Script};
use crate::timeline::{Timeline, lock};

/// What happened in a second.
#[derive(Clone, Default)]
pub(crate) struct Second {
    /// Calls that customers began.
    pub(crate) calls: u64,
    /// Those that ended, by what the customer saw.
    pub(crate) fresh: u64,
    pub(crate) not_sold: u64,
    pub(crate) yesterday: u64,
    pub(crate) errors: u64,
    /// How long the customers waited for them.
    pub(crate) waits: Vec<Duration>,
    /// Attempts beyond the first of a call.
    pub(crate) retries: u64,
    /// Attempts that the timeout cut off.
    pub(crate) cut_off: u64,
    /// Attempts that were not made: the breaker was open, the limiter had no permit, the bulkhead was full.
    pub(crate) open: u64,
    pub(crate) limited: u64,
    pub(crate) full: u64,
    /// Calls that arrived at the service.
    pub(crate) arrived: u64,
}

impl Second {
    /// Calls that the service answered, and rightly.
    pub(crate) fn ok(&self) -> u64 {
        self.fresh + self.not_sold
    }

    /// All of them as one.
    pub(crate) fn sum(seconds: &[Self]) -> Self {
        let sum = |of: fn(&Self) -> u64| seconds.iter().map(of).sum();
        Self {
            calls: sum(|it| it.calls),
            fresh: sum(|it| it.fresh),
            not_sold: sum(|it| it.not_sold),
            yesterday: sum(|it| it.yesterday),
            errors: sum(|it| it.errors),
            waits: seconds.iter().flat_map(|it| &it.waits).copied().collect(),
            retries: sum(|it| it.retries),
            cut_off: sum(|it| it.cut_off),
            open: sum(|it| it.open),
            limited: sum(|it| it.limited),
            full: sum(|it| it.full),
            arrived: sum(|it| it.arrived),
        }
    }
}

pub(crate) struct Journal {
    script: Script,
    seconds: Timeline<Second>,
    /// Since when each customer waits, if they do.
    waiting: Mutex<Vec<Option<Nanos>>>,
    transitions: Mutex<Vec<(Nanos, Transition)>>,
    /// When the service answered for the first time after its recovery.
    back: Mutex<Option<Nanos>>,
}

impl Journal {
    pub(crate) fn new(script: Script, customers: u16) -> Self {
        Self {
            script,
            seconds: Timeline::new(script.start(), script.seconds()),
            waiting: Mutex::new(vec![None; customers.into()]),
            transitions: Mutex::default(),
            back: Mutex::default(),
        }
    }

    /// When the second of this number, from 0, begins; after the last one, the end.
    pub(crate) fn second(&self, number: u16) -> Nanos {
        self.seconds.second(number)
    }

    pub(crate) fn end(&self) -> Nanos {
        self.second(self.script.seconds())
    }

    pub(crate) fn count(&self, at: Nanos, what: impl FnOnce(&mut Second)) {
        self.seconds.count(at, what);
    }

    /// A customer waits from now on.
    pub(crate) fn asked(&self, customer: u16, now: Nanos) {
        self.count(now, |second| second.calls += 1);
        lock(&self.waiting)[usize::from(customer)] = Some(now);
    }

    /// A customer waits no more.
    pub(crate) fn told(&self, customer: u16, now: Nanos, seen: Seen) {
        let since = lock(&self.waiting)[usize::from(customer)].take().expect("they asked");
        self.count(now, |second| {
            second.waits.push(now.since(since));
            match seen {
                Seen::Fresh => second.fresh += 1,
                Seen::NotSold => second.not_sold += 1,
                Seen::Yesterday => second.yesterday += 1,
                Seen::Error => second.errors += 1,
            }
        });
        if matches!(seen, Seen::Fresh | Seen::NotSold) && now >= self.script.recovery() {
            lock(&self.back).get_or_insert(now);
        }
    }

    pub(crate) fn changed(&self, at: Nanos, transition: Transition) {
        lock(&self.transitions).push((at, transition));
    }

    pub(crate) fn get(&self, second: u16) -> Second {
        self.seconds.get(second)
    }

    pub(crate) fn all(&self) -> Vec<Second> {
        self.seconds.all()
    }

    /// How long those have waited by now who still do.
    pub(crate) fn still_waiting(&self, now: Nanos) -> Vec<Duration> {
        lock(&self.waiting).iter().flatten().map(|since| now.since(*since)).collect()
    }

    /// The changes of the breaker, from this one on.
    pub(crate) fn transitions(&self, from: usize) -> Vec<(Nanos, Transition)> {
        lock(&self.transitions)[from..].to_vec()
    }

    /// How long after its recovery the service answered for the first time.
    pub(crate) fn back_after(&self) -> Option<Duration> {
        lock(&self.back).map(|back| back.since(self.script.recovery()))
    }
}
