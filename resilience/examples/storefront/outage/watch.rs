//! What the policies tell of themselves: events as they happen, snapshots when asked.

use std::sync::Arc;

use resilience::{
    breaker::{self, State},
    bulkhead,
    event::{Event, Subscription},
    prelude::*,
    ratelimiter, retry, timeout,
};

use super::{journal::Journal, second::Second};

/// Writes what happens into the journal, until dropped. A call that goes well publishes nothing.
pub(crate) fn listen(registry: &Registry, journal: &Arc<Journal>) -> Subscription {
    let journal = Arc::clone(journal);
    registry.events().subscribe(move |event: &Event<'_>| {
        let count = |what: fn(&mut Second)| journal.count(event.at, what);
        // Each policy has an event type of its own.
        match event.payload() {
            Some(breaker::Event::Transition(transition)) => journal.changed(event.at, *transition),
            Some(breaker::Event::Rejected(_)) => count(|second| second.open += 1),
            _ => {}
        }
        if let Some(retry::Event::Retried { .. }) = event.payload() {
            count(|second| second.retries += 1);
        }
        if let Some(ratelimiter::Event::Rejected(_)) = event.payload() {
            count(|second| second.limited += 1);
        }
        if let Some(timeout::Event::TimedOut { .. }) = event.payload() {
            count(|second| second.cut_off += 1);
        }
        if let Some(bulkhead::Event::Rejected(_)) = event.payload() {
            count(|second| second.full += 1);
        }
    })
}

/// What the policies show at one time; nothing if there are none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) breaker: Option<State>,
    pub(crate) slots_in_use: Option<u32>,
}

impl Look {
    /// A later look: the state then, and the most slots of both.
    pub(crate) fn then(self, later: Self) -> Self {
        Self { breaker: later.breaker, slots_in_use: self.slots_in_use.max(later.slots_in_use) }
    }
}

pub(crate) fn look(registry: &Registry) -> Look {
    let snapshot = registry.snapshot();
    Look {
        breaker: snapshot.circuit_breakers().first().map(|breaker| breaker.state),
        slots_in_use: snapshot.bulkheads().first().map(|bulkhead| bulkhead.in_use),
    }
}
