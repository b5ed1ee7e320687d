//! The driver for futures.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;

use super::{Classify, Flight, Landing, Recover, Running, Stage, Target, Want};
use crate::{
    CallOptions, Error, Nanos,
    interrupt::Watch,
    stack::{Pass, Stack},
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
        watch: Option<Watch>,
        flight: Flight<R>,
        call: F,
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
        Self {
            inside: None,
            timer: None,
            watch: None,
            flight: Flight::new(target, options),
            call,
        }
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
    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        if matches!(self.flight.stage, Stage::Fresh) {
            let mut this = self.as_mut().project();
            let flight = this.flight;
            flight.options.begin(flight.target.clock());
            let mut cx = flight.options.cx(flight.target.clock()).with_waker(task.waker());
            let pass = match flight.options.overdue(flight.target.id(), &mut cx) {
                None => flight.target.stack().pass(&mut cx),
                Some(rejection) => Pass::Reject(rejection),
            };
            match pass {
                Pass::In(held) => {
                    flight.stage = Stage::Held(held);
                    let running = Running(flight);
                    this.inside.set(Some((this.call)()));
                    std::mem::forget(running);
                }
                Pass::Reject(rejection) => {
                    flight.stage = Stage::Done;
                    return Poll::Ready(flight.target.refusal(rejection));
                }
                Pass::Stop(state, step) => flight.stage = Stage::Way(state, step),
            }
        }
        if let Stage::Held(held) = self.flight.stage {
            match self.as_mut().run(task) {
                Poll::Ready(Some(answer)) => return Poll::Ready(answer),
                Poll::Ready(None) => {}
                Poll::Pending => {
                    self.as_mut().project().flight.stage = Stage::Inside(R::Stack::thaw(held));
                    return self.go_on(task, true);
                }
            }
        }
        self.go_on(task, false)
    }
}

impl<R, F, Fut, T, E> Execute<R, F, Fut>
where
    R: Target<Classify: Classify<T, E>, Fallback: Recover<T, E>>,
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    /// Polls what is inside, and settles the layers when it has ended. `None`: another attempt is due.
    #[inline(always)]
    fn run(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<T, Error<E>>>> {
        let mut this = self.project();
        let inside = this
            .inside
            .as_mut()
            .as_pin_mut()
            .expect("`Execute` is not polled after completion");
        let running = Running(this.flight);
        let ended = inside
            .poll(task)
            .map(|result| (running.0.target.outcome(&result), result));
        std::mem::forget(running);
        let (outcome, result) = ready!(ended);
        // Dropped before what the call holds is released.
        this.inside.set(None);
        Poll::Ready(match this.flight.land(&outcome) {
            Landing::Return => Some(this.flight.target.answer(result, outcome.kind())),
            Landing::Refused(rejection) => Some(this.flight.target.refusal(rejection)),
            Landing::Again => None,
        })
    }

    /// Off the straight way: a wait, a queue, a call that is not ready at once, another attempt.
    #[cold]
    #[inline(never)]
    fn go_on(mut self: Pin<&mut Self>, task: &mut Context<'_>, mut ran: bool) -> Poll<Result<T, Error<E>>> {
        let mut reached = Nanos::ZERO;
        loop {
            if let Stage::Way(..) = self.flight.stage {
                let mut this = self.as_mut().project();
                // Anew at each poll: the task may have another waker by now.
                *this.watch = this
                    .flight
                    .options
                    .interrupt_given()
                    .and_then(|it| it.watch(task.waker()));
                match this.flight.proceed(reached, task.waker()) {
                    Want::Wait(until) => {
                        reached = ready!(self.as_mut().sleep(task, until));
                        continue;
                    }
                    Want::Refused(rejection) => {
                        this.timer.set(None);
                        *this.watch = None;
                        return Poll::Ready(this.flight.target.refusal(rejection));
                    }
                    Want::Run => {
                        this.timer.set(None);
                        *this.watch = None;
                        let running = Running(this.flight);
                        this.inside.set(Some((this.call)()));
                        std::mem::forget(running);
                    }
                }
            }
            let polled = if std::mem::take(&mut ran) {
                Poll::Pending
            } else {
                self.as_mut().run(task)
            };
            match polled {
                Poll::Ready(answer) => {
                    self.as_mut().project().timer.set(None);
                    if let Some(answer) = answer {
                        return Poll::Ready(answer);
                    }
                    reached = Nanos::ZERO;
                }
                Poll::Pending => {
                    let limit = self.flight.limit();
                    if limit.is_never() {
                        return Poll::Pending;
                    }
                    reached = ready!(self.as_mut().sleep(task, limit));
                    let mut this = self.as_mut().project();
                    this.inside.set(None);
                    this.flight.expire(reached, task.waker());
                }
            }
        }
    }

    /// Waits until `until`, and says what the time is then.
    fn sleep(self: Pin<&mut Self>, task: &mut Context<'_>, until: Nanos) -> Poll<Nanos> {
        let mut this = self.project();
        let clock = this.flight.target.clock();
        if this
            .timer
            .as_ref()
            .get_ref()
            .as_ref()
            .is_none_or(|timer| timer.when() != until)
        {
            this.timer.set(Some(Sleep::new(clock, until)));
        }
        ready!(this.timer.as_mut().as_pin_mut().expect("just set").poll(task));
        this.timer.set(None);
        Poll::Ready(clock.now().max(until))
    }
}

impl<R: Target, F, Fut> fmt::Debug for Execute<R, F, Fut> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execute")
            .field("id", &self.flight.target.id())
            .finish_non_exhaustive()
    }
}
