use std::fmt;

use resilience_core::{Cx, Kind, Outcome, Policy, Was};

use crate::{CircuitBreaker, breaker::Ticket};

/// A call that a breaker let pass: made by [`CircuitBreaker::try_acquire`]. Say how the call ended; a permit that is
/// dropped counts as a call that was dropped.
#[must_use = "a permit that is dropped counts as a call that was dropped"]
pub struct Permit<'a> {
    breaker: &'a CircuitBreaker,
    /// Taken once it is settled.
    ticket: Option<Ticket>,
}

impl<'a> Permit<'a> {
    pub(crate) fn new(breaker: &'a CircuitBreaker, ticket: Ticket) -> Self {
        Self { breaker, ticket: Some(ticket) }
    }

    /// The call worked.
    pub fn success(self) {
        self.settle(&Outcome::Success);
    }

    /// The call failed, with the kind [`Kind::FAILED`].
    pub fn failure(self) {
        self.settle(&Outcome::Failure(resilience_core::Failure::new(Kind::FAILED)));
    }

    /// The call ended like this.
    pub fn settle(mut self, outcome: &Outcome) {
        if let Some(ticket) = self.ticket.take() {
            self.breaker.meter.ended(outcome);
            _ = self.breaker.settle(ticket, outcome, &mut Cx::new(&self.breaker.clock));
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.breaker.meter.dropped();
            self.breaker.abandon(ticket, Was::Inside);
        }
    }
}

impl fmt::Debug for Permit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("breaker", &self.breaker.id()).finish_non_exhaustive()
    }
}
