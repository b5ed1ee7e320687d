//! The driver for futures.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;

use super::{CallSpan, Classify, Flight, Recover, Running, Stage, Straight, Target, Want};
use crate::{
    CallOptions, Error, Nanos,
    stack::{Done, Pass, Stack, Step},
    timer::Sleep,
};

pin_project! {
    /// A call through policies, as a future: made by `execute_async`.
    ///
    /// Does nothing until polled. Dropping it ends the call: what it runs is dropped first, then whatever it holds or
    /// waits for is given back. Needs no heap block, and no timer unless something waits.
    ///
    /// # Panics
    ///
    /// When polled again after it has completed.
    #[must_use = "futures do nothing unless polled"]
    pub struct Execute<R: Target, F, Fut> {
        // The order of the fields is the order in which they are dropped: the inside goes before what it holds.
        #[pin]
        inside: Option<Fut>,
        #[pin]
        timer: Option<Sleep>,
        flight: Flight<R>,
        call: F,
        span: CallSpan,
    }
}

impl<R, F, Fut, T, E> Execute<R, F, Fut>
where
    R: Target,
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    #[inline]
    pub(crate) fn new(target: R, options: CallOptions, call: F) -> Self {
        Self { inside: None, timer: None, flight: Flight::new(target, options), call, span: CallSpan::NONE }
    }
}

impl<R, F, Fut, T, E> Future for Execute<R, F, Fut>
where
    R: Target<Classify: Classify<T, E>, Fallback: Recover<T, E>>,
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    type Output = Result<T, Error<E>>;

    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        if self.flight.target.spans().is_on() {
            return self.poll_in_span(task);
        }
        self.step(task, &CallSpan::NONE)
    }
}

impl<R, F, Fut, T, E> Execute<R, F, Fut>
where
    R: Target<Classify: Classify<T, E>, Fallback: Recover<T, E>>,
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    /// As [`Execute::step`], in a span that is current while this runs.
    #[cold]
    #[inline(never)]
    fn poll_in_span(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Result<T, Error<E>>> {
        let this = self.as_mut().project();
        let span = std::mem::take(this.span).or_open(this.flight.target.id());
        let polled = {
            let _entered = span.enter();
            self.as_mut().step(task, &span)
        };
        match &polled {
            Poll::Pending => *self.project().span = span,
            Poll::Ready(result) => span.end(result),
        }
        polled
    }

    /// Goes on as far as it can.
    #[inline(always)]
    fn step(mut self: Pin<&mut Self>, task: &mut Context<'_>, span: &CallSpan) -> Poll<Result<T, Error<E>>> {
        let this = self.as_mut().project();
        let Flight { target, options, stage, .. } = this.flight;
        if !matches!(stage, Stage::Fresh) {
            return self.go_on(task, span, None, false);
        }
        if options.has_deadline() {
            let now = this.flight.begin(task.waker());
            return self.go_on(task, span, Some(now), false);
        }
        *stage = Stage::Done;
        let asked = options.asked();
        let mut cx = asked.cx(target.clock()).with_waker(task.waker());
        match target.stack().pass(&mut cx) {
            Pass::In(held) => {
                let mut inside = Inside { future: Slot(this.inside), guard: Straight { target, asked, held } };
                let polled = {
                    let _within = inside.guard.within(Nanos::NEVER);
                    span.attempt();
                    inside.future.0.set(Some((this.call)()));
                    inside.poll(task)
                };
                let Poll::Ready(result) = polled else {
                    std::mem::forget(inside);
                    *stage = Stage::Inside(R::Stack::thaw(held));
                    return self.go_on(task, span, None, true);
                };
                let outcome = target.outcome(&result);
                inside.end();
                match target.stack().finish(held, &outcome, &mut asked.cx(target.clock()).with_at_once()) {
                    Done::Return => {
                        return Poll::Ready(target.counted(result, &outcome));
                    }
                    Done::Reject(rejection) => return Poll::Ready(target.refusal(rejection)),
                    Done::Again(state, when) => *stage = Stage::Way(state, Step::At(when)),
                }
            }
            Pass::Reject(rejection) => return Poll::Ready(target.refusal(rejection)),
            Pass::Stop(state, step) => *stage = Stage::Way(state, step),
        }
        self.go_on(task, span, None, false)
    }
}

/// What runs, and who tells the layers should it panic. What runs is always dropped before what the call holds is given
/// back: the order of the fields.
struct Inside<'a, Fut, G> {
    future: Slot<'a, Fut>,
    guard: G,
}

/// Empties the slot when dropped.
struct Slot<'a, Fut>(Pin<&'a mut Option<Fut>>);

impl<Fut: Future, G> Inside<'_, Fut, G> {
    #[inline(always)]
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Fut::Output> {
        self.future.0.as_mut().as_pin_mut().expect("a call that is inside runs").poll(task)
    }

    /// It has ended well.
    #[inline(always)]
    fn end(mut self) {
        self.future.0.set(None);
        std::mem::forget(self);
    }
}

impl<Fut> Drop for Slot<'_, Fut> {
    #[cold]
    fn drop(&mut self) {
        self.0.set(None);
    }
}

impl<R, F, Fut, T, E> Execute<R, F, Fut>
where
    R: Target<Classify: Classify<T, E>, Fallback: Recover<T, E>>,
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    /// Off the straight way: a wait, a queue, a call that is not ready at once, another attempt, a deadline of the call's
    /// own. `reached` is the time, if it is known; `ran`: what is inside was polled just now, and is pending.
    #[cold]
    #[inline(never)]
    fn go_on(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        span: &CallSpan,
        mut reached: Option<Nanos>,
        mut ran: bool,
    ) -> Poll<Result<T, Error<E>>> {
        let mut attempts = 0;
        loop {
            let mut this = self.as_mut().project();
            if let Stage::Way(..) = this.flight.stage {
                this.flight.attend(task.waker());
                let want = this.flight.proceed(reached, task.waker());
                if let Want::Wait(until) = want {
                    reached = Some(ready!(self.as_mut().sleep(task, until, true)));
                    continue;
                }
                this.timer.set(None);
                if let Want::Refused(rejection) = want {
                    return Poll::Ready(this.flight.target.refusal(rejection));
                }
                let mut inside = Inside { future: Slot(this.inside.as_mut()), guard: Running(this.flight) };
                let within = inside.guard.0.within();
                span.attempt();
                inside.future.0.set(Some((this.call)()));
                drop(within);
                std::mem::forget(inside);
            }
            assert!(matches!(this.flight.stage, Stage::Inside(_)), "`Execute` polled after completion");
            if !std::mem::take(&mut ran) {
                let mut inside = Inside { future: Slot(this.inside.as_mut()), guard: Running(this.flight) };
                let within = inside.guard.0.within();
                let polled = inside.poll(task);
                drop(within);
                let ended = polled.map(|result| (inside.guard.0.target.outcome(&result), result));
                if let Poll::Ready((outcome, result)) = ended {
                    inside.end();
                    this.timer.set(None);
                    match this.flight.land(&outcome) {
                        Done::Return => return Poll::Ready(this.flight.target.answer(result, outcome.kind())),
                        Done::Reject(rejection) => return Poll::Ready(this.flight.target.refusal(rejection)),
                        Done::Again((), _) if attempts < ATTEMPTS_PER_POLL => {
                            attempts += 1;
                            reached = None;
                            continue;
                        }
                        Done::Again((), _) => {
                            task.waker().wake_by_ref();
                            return Poll::Pending;
                        }
                    }
                }
                std::mem::forget(inside);
            }
            let limit = this.flight.limit();
            reached = Some(ready!(self.as_mut().sleep(task, limit, false)));
            let mut this = self.as_mut().project();
            this.inside.set(None);
            this.flight.expire(reached, task.waker());
        }
    }

    /// Waits until `until`, and says what the time is then. On the way in, a wait moves an advancing manual clock; while
    /// the call runs, its deadline does not.
    fn sleep(self: Pin<&mut Self>, task: &mut Context<'_>, until: Nanos, way: bool) -> Poll<Nanos> {
        let mut this = self.project();
        let clock = this.flight.target.clock();
        if until.is_never() {
            this.timer.set(None);
            return Poll::Pending;
        }
        if this.timer.as_ref().get_ref().as_ref().is_none_or(|timer| timer.when() != until) {
            this.timer.set(Some(Sleep::new(clock, until, way)));
        }
        ready!(this.timer.as_mut().as_pin_mut().expect("just set").poll(task));
        this.timer.set(None);
        Poll::Ready(clock.now().max(until))
    }
}

/// After so many further attempts in one poll the task lets others run.
const ATTEMPTS_PER_POLL: u32 = 32;

impl<R: Target, F, Fut> fmt::Debug for Execute<R, F, Fut> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execute").field("id", &self.flight.target.id()).finish_non_exhaustive()
    }
}
