use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{Admission, Clock, Cx, Id, Nanos, Outcome, Policy, Queued, Verdict, Was};

/// A policy that keeps the books of another: every permit that is handed out must be taken back exactly once.
#[derive(Debug)]
pub struct Ledger<P> {
    policy: P,
    books: Mutex<Books>,
}

#[derive(Debug, Default)]
struct Books {
    handed_out: u64,
    outstanding: HashSet<u64>,
    outcomes: Vec<Outcome>,
    abandoned: Vec<Was>,
}

impl<P> Ledger<P> {
    /// With nothing handed out.
    pub fn new(policy: P) -> Self {
        Self { policy, books: Mutex::default() }
    }

    /// The policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// How many permits were handed out and not taken back.
    pub fn outstanding(&self) -> usize {
        self.books().outstanding.len()
    }

    /// What the policy was told, in order.
    pub fn outcomes(&self) -> Vec<Outcome> {
        self.books().outcomes.clone()
    }

    /// Where the calls were that were abandoned, in order.
    pub fn abandoned(&self) -> Vec<Was> {
        self.books().abandoned.clone()
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_out<T>(&self, permit: T) -> Numbered<T> {
        let mut books = self.books();
        books.handed_out += 1;
        let number = books.handed_out;
        books.outstanding.insert(number);
        Numbered { number, permit }
    }

    fn take_back<T>(&self, Numbered { number, permit }: Numbered<T>) -> T {
        assert!(self.books().outstanding.remove(&number), "permit {number} was taken back twice");
        permit
    }
}

/// A permit with a number.
#[derive(Clone, Copy, Debug)]
pub struct Numbered<T> {
    number: u64,
    permit: T,
}

impl<P: Policy> Policy for Ledger<P> {
    type At = P::At;
    type Permit = Numbered<P::Permit>;
    const SETS_DEADLINE: bool = P::SETS_DEADLINE;

    fn id(&self) -> Id {
        self.policy.id()
    }

    fn admit(&self, cx: &mut Cx<'_>) -> Admission<Self::Permit> {
        match self.policy.admit(cx) {
            Admission::Go(permit) => Admission::Go(self.hand_out(permit)),
            Admission::GoAt(permit, when) => Admission::GoAt(self.hand_out(permit), when),
            Admission::Queue(permit, until) => Admission::Queue(self.hand_out(permit), until),
            Admission::Reject(rejection) => Admission::Reject(rejection),
        }
    }

    fn settle(&self, permit: Self::Permit, outcome: &Outcome, cx: &mut Cx<'_>) -> Verdict<Self::Permit> {
        self.books().outcomes.push(*outcome);
        match self.policy.settle(self.take_back(permit), outcome, cx) {
            Verdict::Return => Verdict::Return,
            Verdict::Again(permit, when) => Verdict::Again(self.hand_out(permit), when),
            Verdict::Reject(rejection) => Verdict::Reject(rejection),
        }
    }

    fn abandon(&self, permit: Self::Permit, was: Was) {
        self.books().abandoned.push(was);
        self.policy.abandon(self.take_back(permit), was);
    }

    fn deadline(&self, permit: &Self::Permit) -> Nanos {
        self.policy.deadline(&permit.permit)
    }

    fn poll_queued(&self, permit: &mut Self::Permit, cx: &mut Cx<'_>) -> Queued {
        let answer = self.policy.poll_queued(&mut permit.permit, cx);
        if let Queued::Reject(_) = answer {
            self.take_back(*permit);
        }
        answer
    }

    fn clock(&self) -> Option<&Clock> {
        self.policy.clock()
    }
}
