use super::{Done, End, Exit, Member, Once, Ordered, Pass, Stack, Step, count, sealed::Sealed};
use crate::{
    Admission, Cx, Layer, Nanos, Outcome, Policy, Queued, Rejection, SinglePass, Verdict, Was,
    at::{Outside, Place},
};

/// Where a call is, as one layer and those inside it see it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Node<P, S> {
    Outside,
    Waiting(P),
    Queued(P),
    Inside(P, S),
}

impl<P: Policy, S: Stack> Sealed for (P, S) {}

impl<P: Policy, S: Ordered> Ordered for (P, S) where P::At: Outside<S::Outermost> {}

impl<P: SinglePass, S: Once> Once for (P, S) {}

impl<P: Policy, S: Stack> Stack for (P, S) {
    type Held = (P::Permit, S::Held);
    type State = Node<P::Permit, S::State>;
    type Outermost = <P::At as Place>::Or<S::Outermost>;
    const SETS_DEADLINE: bool = P::SETS_DEADLINE || S::SETS_DEADLINE;
    const OUTSIDE: Self::State = Node::Outside;

    #[inline(always)]
    fn pass(&self, cx: &mut Cx<'_>) -> Pass<Self::Held, Self::State> {
        let (policy, inner) = self;
        match policy.admit(cx) {
            Admission::Go(permit) => {
                let keeper = Keeper { policy, permit };
                let pass = inner.pass(cx);
                std::mem::forget(keeper);
                match pass {
                    Pass::In(held) => Pass::In((permit, held)),
                    Pass::Reject(rejection) => {
                        let (pass, seen) = refused::<P, S>(policy, permit, rejection, *cx);
                        *cx = seen;
                        pass
                    }
                    Pass::Stop(state, step) => Pass::Stop(Node::Inside(permit, state), step),
                }
            }
            Admission::Reject(rejection) => {
                count::refused(policy, rejection);
                Pass::Reject(rejection)
            }
            Admission::GoAt(permit, when) => Pass::Stop(Node::Waiting(permit), Step::At(when)),
            Admission::Queue(permit, until) => Pass::Stop(Node::Queued(permit), Step::Queue { until, asked: false }),
        }
    }

    #[inline(always)]
    fn finish(&self, (permit, held): Self::Held, outcome: &Outcome, cx: &mut Cx<'_>) -> Done<Self::State> {
        let (policy, inner) = self;
        let keeper = Keeper { policy, permit };
        let done = inner.finish(held, outcome, cx);
        std::mem::forget(keeper);
        match done {
            Done::Return => match policy.settle(permit, outcome, cx) {
                Verdict::Return => Done::Return,
                Verdict::Reject(rejection) => {
                    count::inside(inner, outcome);
                    count::rejected(policy, &rejection);
                    Done::Reject(rejection)
                }
                Verdict::Again(permit, when) => {
                    count::inside(inner, outcome);
                    Done::Again(Node::Inside(permit, S::OUTSIDE), when)
                }
            },
            Done::Reject(rejection) => {
                let (pass, seen) = refused::<P, S>(policy, permit, rejection, *cx);
                *cx = seen;
                match pass {
                    Pass::Stop(state, Step::At(when)) => Done::Again(state, when),
                    Pass::Reject(rejection) => Done::Reject(rejection),
                    _ => unreachable!("a refused call is out, or comes again"),
                }
            }
            Done::Again(state, when) => Done::Again(Node::Inside(permit, state), when),
        }
    }

    #[inline(always)]
    fn limit(&self, (permit, held): &Self::Held) -> Nanos {
        until(&self.0, permit).min(self.1.limit(held))
    }

    fn thaw((permit, held): Self::Held) -> Self::State {
        Node::Inside(permit, S::thaw(held))
    }

    fn enter(&self, state: &mut Self::State, cx: &mut Cx<'_>) -> Step {
        let (policy, inner) = self;
        match state {
            Node::Outside => match policy.admit(cx) {
                Admission::Go(permit) => *state = Node::Inside(permit, S::OUTSIDE),
                Admission::GoAt(permit, when) => {
                    *state = Node::Waiting(permit);
                    return Step::At(when);
                }
                Admission::Queue(permit, until) => {
                    *state = Node::Queued(permit);
                    return Step::Queue { until, asked: false };
                }
                Admission::Reject(rejection) => {
                    count::rejected(policy, &rejection);
                    return Step::Reject(rejection);
                }
            },
            Node::Waiting(permit) => *state = Node::Inside(*permit, S::OUTSIDE),
            Node::Queued(permit) => match policy.poll_queued(permit, cx) {
                Queued::Go => *state = Node::Inside(*permit, S::OUTSIDE),
                Queued::Wait(until) => return Step::Queue { until, asked: true },
                Queued::Reject(rejection) => {
                    *state = Node::Outside;
                    count::rejected(policy, &rejection);
                    return Step::Reject(rejection);
                }
            },
            Node::Inside(..) => {}
        }
        let Node::Inside(permit, within) = state else { unreachable!("the arms above end or go inside") };
        let permit = *permit;
        match inner.enter(within, cx) {
            Step::Reject(rejection) => {
                match settle::<P, S>(policy, state, permit, &Outcome::Rejected(rejection), false, cx) {
                    Exit::Again(when) => Step::At(when),
                    Exit::Reject(other) => Step::Reject(other),
                    Exit::Return | Exit::Unsigned => Step::Reject(rejection),
                }
            }
            step => step,
        }
    }

    fn exit(&self, state: &mut Self::State, end: &End, cx: &mut Cx<'_>) -> Exit {
        let (policy, inner) = self;
        match state {
            Node::Outside => match end {
                End::Cut(rejection) => Exit::Reject(*rejection),
                _ => Exit::Unsigned,
            },
            Node::Waiting(permit) | Node::Queued(permit) => {
                let permit = *permit;
                let was = if matches!(state, Node::Waiting(_)) { Was::Waiting } else { Was::Queued };
                *state = Node::Outside;
                policy.abandon(permit, was);
                let rejection = match end {
                    End::Cut(rejection) | End::Overslept(rejection) => *rejection,
                    _ => {
                        let rejection = Rejection::interrupted(policy.id(), P::LAYER);
                        policy.interrupted(&rejection, cx);
                        rejection
                    }
                };
                count::rejected(policy, &rejection);
                Exit::Reject(rejection)
            }
            Node::Inside(permit, within) => {
                let permit = *permit;
                let exit = inner.exit(within, end, cx);
                hand_out::<P, S>(policy, state, permit, exit, end, cx)
            }
        }
    }

    fn expire(&self, state: &mut Self::State, at: Nanos, cx: &mut Cx<'_>) -> Exit {
        let (policy, inner) = self;
        let Node::Inside(permit, within) = state else {
            return Exit::Unsigned;
        };
        let permit = *permit;
        if until(policy, &permit) <= at {
            inner.abandon(std::mem::replace(within, S::OUTSIDE));
            return settle::<P, S>(policy, state, permit, &Outcome::Expired, false, cx);
        }
        let exit = inner.expire(within, at, cx);
        hand_out::<P, S>(policy, state, permit, exit, &End::Outcome(Outcome::Expired), cx)
    }

    fn deadline(&self, state: &Self::State) -> Nanos {
        match state {
            Node::Inside(permit, within) => until(&self.0, permit).min(self.1.deadline(within)),
            _ => Nanos::NEVER,
        }
    }

    fn abandon(&self, state: Self::State) {
        let (policy, inner) = self;
        match state {
            Node::Outside => {}
            Node::Waiting(permit) => abandon(policy, permit, Was::Waiting),
            Node::Queued(permit) => abandon(policy, permit, Was::Queued),
            Node::Inside(permit, within) => {
                let keeper = Keeper { policy, permit };
                inner.abandon(within);
                drop(keeper);
            }
        }
    }

    #[inline(always)]
    fn count(&self, outcome: &Outcome) {
        count::tell(&self.0, outcome);
        self.1.count(outcome);
    }

    fn visit(&self, visit: &mut dyn FnMut(Layer, &dyn Member)) {
        visit(P::LAYER, &self.0);
        self.1.visit(visit);
    }
}

/// The call is gone.
fn abandon<P: Policy>(policy: &P, permit: P::Permit, was: Was) {
    count::dropped(policy);
    policy.abandon(permit, was);
}

/// The deadline of one policy.
#[inline(always)]
fn until<P: Policy>(policy: &P, permit: &P::Permit) -> Nanos {
    if P::SETS_DEADLINE { policy.deadline(permit) } else { Nanos::NEVER }
}

/// Tells the policy how it ended. The state is outside before it is asked, so that a panic in it gives back nothing
/// twice. `last`: it is not tried again, whatever the policy says.
fn settle<P: Policy, S: Stack>(
    policy: &P,
    state: &mut Node<P::Permit, S::State>,
    permit: P::Permit,
    outcome: &Outcome,
    last: bool,
    cx: &mut Cx<'_>,
) -> Exit {
    *state = Node::Outside;
    let reject = |rejection: Rejection| {
        count::rejected(policy, &rejection);
        Exit::Reject(rejection)
    };
    let as_it_is = || match outcome {
        Outcome::Rejected(rejection) => reject(*rejection),
        Outcome::Expired => reject(Rejection::timed_out(policy.id(), P::LAYER)),
        outcome => {
            count::one(policy, outcome);
            Exit::Return
        }
    };
    match policy.settle(permit, outcome, cx) {
        Verdict::Return => as_it_is(),
        Verdict::Reject(rejection) => reject(rejection),
        Verdict::Again(permit, _) if last => {
            policy.abandon(permit, Was::Inside);
            as_it_is()
        }
        Verdict::Again(permit, when) => {
            *state = Node::Inside(permit, S::OUTSIDE);
            Exit::Again(when)
        }
    }
}

/// Hands what came out of the layers inside through this one.
fn hand_out<P: Policy, S: Stack>(
    policy: &P,
    state: &mut Node<P::Permit, S::State>,
    permit: P::Permit,
    exit: Exit,
    end: &End,
    cx: &mut Cx<'_>,
) -> Exit {
    let outcome = match (exit, end) {
        (Exit::Again(_), _) => return exit,
        (Exit::Reject(rejection), _) => Outcome::Rejected(rejection),
        (Exit::Return, End::Outcome(outcome)) => *outcome,
        // The policy is told that the wait was its own; the caller, that the deadline was the call's.
        (_, End::Overslept(_)) => Outcome::Rejected(Rejection::timed_out(policy.id(), P::LAYER)),
        _ => Outcome::Rejected(Rejection::interrupted(policy.id(), P::LAYER)),
    };
    match (settle::<P, S>(policy, state, permit, &outcome, end.is_final(), cx), end, exit) {
        (Exit::Reject(_), End::Overslept(rejection), Exit::Unsigned) => Exit::Reject(*rejection),
        (exit, ..) => exit,
    }
}

/// Gives the permit back if a layer further in panics. Forgotten on the straight way.
struct Keeper<'a, P: Policy> {
    policy: &'a P,
    permit: P::Permit,
}

impl<P: Policy> Drop for Keeper<'_, P> {
    #[inline(always)]
    fn drop(&mut self) {
        abandon(self.policy, self.permit, Was::Inside);
    }
}

/// A layer inside did not let the call through. `Cx` comes and goes by value: a reference to it would keep it in memory
/// on the straight way.
#[cold]
#[inline(never)]
fn refused<'a, P: Policy, S: Stack>(
    policy: &P,
    permit: P::Permit,
    rejection: Rejection,
    mut cx: Cx<'a>,
) -> (PassOf<(P, S)>, Cx<'a>) {
    let out = match policy.settle(permit, &Outcome::Rejected(rejection), &mut cx) {
        Verdict::Return => rejection,
        Verdict::Reject(other) => other,
        Verdict::Again(permit, when) => {
            return (Pass::Stop(Node::Inside(permit, S::OUTSIDE), Step::At(when)), cx);
        }
    };
    count::rejected(policy, &out);
    (Pass::Reject(out), cx)
}

type PassOf<S> = Pass<<S as Stack>::Held, <S as Stack>::State>;
