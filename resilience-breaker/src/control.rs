//! What changes rarely, under a short lock: the machine, the configuration, and what is yet to be published.

use std::collections::VecDeque;

use resilience_core::Nanos;

use crate::{Config, Event, machine::Machine};

#[derive(Debug)]
pub(crate) struct Control {
    pub(crate) machine: Machine,
    pub(crate) config: Config,
    pub(crate) outbox: Outbox,
}

impl Control {
    pub(crate) fn new(config: Config) -> Self {
        Self { machine: Machine::new(), config, outbox: Outbox::default() }
    }
}

/// Events in the order of the changes they tell of. Only one thread at a time takes from it, so that listeners hear them
/// in that order, also if one of them changes the breaker.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    queue: VecDeque<(Nanos, Event)>,
    publishing: bool,
}

impl Outbox {
    pub(crate) fn push(&mut self, at: Nanos, event: Event) {
        self.queue.push_back((at, event));
    }

    /// The next event; `None` if there is none, or somebody else is about it. Whoever gets one asks again once it is
    /// published, with `mine`.
    pub(crate) fn next(&mut self, mine: bool) -> Option<(Nanos, Event)> {
        if self.publishing && !mine {
            return None;
        }
        let next = self.queue.pop_front();
        self.publishing = next.is_some();
        next
    }
}
