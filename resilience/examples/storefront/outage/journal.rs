//! What happened, second by second, and who still waits.

use std::{sync::Mutex, time::Duration};

use resilience::{Nanos, breaker::Transition};

use super::{customer::Seen, script::Script, second::Second};
use crate::timeline::{Timeline, lock};

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
