//! The driver for threads.

use std::{sync::Arc, task::Waker};

use super::{CallSpan, Classify, Flight, Recover, Running, Straight, Target, Want, finish};
use crate::{
    CallOptions, Error, Rejection,
    stack::{Done, Pass, Stack, Step},
    timer::Signal,
};

/// Runs `call` on this thread, which waits where a policy says so.
#[inline(always)]
pub(crate) fn execute<R, T, E>(
    target: R,
    options: CallOptions,
    mut call: impl FnMut() -> Result<T, E>,
) -> Result<T, Error<E>>
where
    R: Target<Classify: Classify<T, E>, Fallback: Recover<T, E>>,
{
    if target.spans().is_on() {
        return in_span(target, options, &mut call);
    }
    run(target, options, call)
}

/// As [`run`], in a span that is current while this runs: one copy per stack, whatever is called.
#[cold]
#[inline(never)]
fn in_span<R, T, E>(target: R, options: CallOptions, call: &mut dyn FnMut() -> Result<T, E>) -> Result<T, Error<E>>
where
    R: Target<Classify: Classify<T, E>, Fallback: Recover<T, E>>,
{
    let span = CallSpan::NONE.or_open(target.id());
    let result = {
        let _entered = span.enter();
        run(target, options, || {
            span.attempt();
            call()
        })
    };
    span.end(&result);
    result
}

#[inline(always)]
fn run<R, T, E>(target: R, mut options: CallOptions, mut call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>>
where
    R: Target<Classify: Classify<T, E>, Fallback: Recover<T, E>>,
{
    let mut cx = options.begin(target.clock());
    let asked = *options.asked();
    if let Some(rejection) = asked.overdue(target.id(), &mut cx) {
        return target.refusal(rejection);
    }
    match target.stack().pass(&mut cx) {
        Pass::In(held) => {
            let running = Straight { target: &target, asked, held };
            let result = {
                let _within = running.within(asked.deadline);
                call()
            };
            let outcome = target.outcome(&result);
            std::mem::forget(running);
            match finish(&target, &asked, held, &outcome) {
                Done::Return => target.counted(result, &outcome),
                Done::Reject(rejection) => target.refusal(rejection),
                Done::Again(state, when) => {
                    let flight = Flight::resumed(target, options, state, Step::At(when));
                    drop(result); // foreign code: by now the flight keeps the permits
                    go_on(flight, call)
                }
            }
        }
        Pass::Reject(rejection) => target.refusal(rejection),
        Pass::Stop(state, step) => go_on(Flight::resumed(target, options, state, step), call),
    }
}

/// Off the straight way: a wait, a queue, another attempt.
#[cold]
#[inline(never)]
fn go_on<R, T, E>(mut flight: Flight<R>, mut call: impl FnMut() -> Result<T, E>) -> Result<T, Error<E>>
where
    R: Target<Classify: Classify<T, E>, Fallback: Recover<T, E>>,
{
    loop {
        if let Err(rejection) = wait(&mut flight) {
            return flight.target.refusal(rejection);
        }
        let running = Running(&mut flight);
        let result = {
            let _within = running.0.within();
            call()
        };
        let outcome = running.0.target.outcome(&result);
        std::mem::forget(running);
        match flight.land(&outcome) {
            Done::Return => return flight.target.answer(result, outcome.kind()),
            Done::Reject(rejection) => return flight.target.refusal(rejection),
            Done::Again((), _) => {}
        }
    }
}

/// Keeps the thread until the call is in or rejected.
#[inline(never)]
fn wait<R: Target>(flight: &mut Flight<R>) -> Result<(), Rejection> {
    let signal = Arc::new(Signal::default());
    let waker = Waker::from(Arc::clone(&signal));
    let mut reached = None;
    loop {
        flight.attend(&waker);
        match flight.proceed(reached, &waker) {
            Want::Run => return Ok(()),
            Want::Refused(rejection) => return Err(rejection),
            Want::Wait(until) => reached = Some(flight.target.clock().block(&signal, until)),
        }
    }
}
