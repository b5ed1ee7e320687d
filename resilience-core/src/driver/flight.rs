//! A call off the straight way: waits, further attempts, deadlines.

use std::{mem::ManuallyDrop, task::Waker};

use super::Target;
use crate::{
    CallOptions, Cx, Layer, Nanos, Outcome, Policy, Rejection,
    interrupt::Watch,
    remaining::Within,
    shield::shield,
    stack::{Done, End, Exit, Stack, Step},
};

/// A call off the straight way: where it is, and what it does next. Gives everything back when dropped.
pub(super) struct Flight<R: Target> {
    pub(super) target: R,
    /// Of this and the watch, `end_early` drops what needs it.
    pub(super) options: ManuallyDrop<CallOptions>,
    pub(super) stage: StageOf<R>,
    /// Only while a call with an interrupt waits.
    watch: ManuallyDrop<Option<Watch>>,
}

type StageOf<R> = Stage<<<R as Target>::Stack as Stack>::State>;

/// The tag is a word of its own: the compiler would hide it in one of 16 bytes, which take longer to compare.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(super) enum Stage<S> {
    Fresh,
    /// On the way in.
    Way(S, Step),
    Inside(S),
    Done,
}

/// What a flight wants of its driver.
pub(super) enum Want {
    Run,
    Refused(Rejection),
    /// Come back at this moment, or when the waker is woken.
    Wait(Nanos),
}

impl<R: Target> Flight<R> {
    #[inline]
    pub(super) fn new(target: R, options: CallOptions) -> Self {
        Self::at(target, options, Stage::Fresh)
    }

    pub(super) fn resumed(target: R, options: CallOptions, state: <R::Stack as Stack>::State, step: Step) -> Self {
        Self::at(target, options, Stage::Way(state, step))
    }

    #[inline]
    fn at(target: R, options: CallOptions, stage: StageOf<R>) -> Self {
        Self { target, options: ManuallyDrop::new(options), stage, watch: ManuallyDrop::new(None) }
    }

    /// Begins a call that has a deadline of its own, and says what the time is.
    #[cold]
    #[inline(never)]
    pub(super) fn begin(&mut self, waker: &Waker) -> Nanos {
        let mut cx = self.options.begin(self.target.clock());
        let (now, overdue) = (cx.now(), self.options.asked().overdue(self.target.id(), &mut cx));
        self.stage = Stage::Way(R::Stack::OUTSIDE, overdue.map_or(Step::In, Step::Reject));
        if overdue.is_none() {
            self.turn(Some(now), waker, R::Stack::enter);
        }
        now
    }

    /// Goes on as far as it can on the way in. `reached` is the time, if it is known.
    #[cold]
    #[inline(never)]
    pub(super) fn proceed(&mut self, mut reached: Option<Nanos>, waker: &Waker) -> Want {
        // Whoever woke us may have freed a place: the queue is asked anew.
        if let Stage::Way(_, Step::Queue { asked, .. }) = &mut self.stage {
            *asked = false;
        }
        loop {
            let Stage::Way(state, step) = self.stage else { unreachable!("only a call on its way in proceeds") };
            let (limit, own) = (self.limit(), self.options.asked().deadline);
            let now = reached.unwrap_or(Nanos::ZERO);
            match step {
                Step::Reject(rejection) => {
                    self.stage = Stage::Done;
                    self.wait_is_over();
                    return Want::Refused(rejection);
                }
                // It may have been woken late.
                Step::In if reached.is_none() && !limit.is_never() => reached = Some(self.target.clock().now()),
                Step::In if now <= limit => {
                    self.stage = Stage::Inside(state);
                    self.wait_is_over();
                    return Want::Run;
                }
                // It slept too long, or a queue let it go too late.
                Step::In => self.expire(reached, waker),
                _ if self.options.is_interrupted() => self.leave(&End::Interrupted, reached, waker),
                Step::At(_) if reached.is_none() => reached = Some(self.target.clock().now()),
                // A wait that is useless, or was: it does not begin, or does not lead to a call.
                Step::At(when) if when > own || now > own => {
                    let late = Rejection::timed_out(self.target.id(), Layer::CALL);
                    self.leave(&End::Overslept(late), reached, waker);
                }
                Step::At(when) if when <= now && now <= limit => {
                    self.turn(reached, waker, R::Stack::enter);
                }
                Step::At(when) if now < limit => return Want::Wait(when.min(limit)),
                // The queue is asked before the deadline. If it asked what the time is, so do we not.
                Step::Queue { asked: false, .. } => {
                    let reading = self.turn(reached, waker, R::Stack::enter);
                    reached = (!reading.is_never()).then_some(reading);
                }
                Step::Queue { until, asked: true } if now < limit => return Want::Wait(until.min(limit)),
                Step::At(_) | Step::Queue { .. } => self.expire(reached, waker),
            }
        }
    }

    /// From now on a trigger wakes `waker`. Anew each time somebody waits: by now it may be another one, and a trigger
    /// takes the watches of all.
    pub(super) fn attend(&mut self, waker: &Waker) {
        *self.watch = self.options.watch(waker);
    }

    fn wait_is_over(&mut self) {
        *self.watch = None;
        self.options.wait_is_over();
    }

    /// Ends a wait for good.
    fn leave(&mut self, end: &End, reached: Option<Nanos>, waker: &Waker) {
        self.turn(reached, waker, |stack, state, cx| stack.exit(state, end, cx).into());
    }

    /// Lets the stack take one step; the time, if it was read, else `NEVER`. The state stays in `self` all the time: if a
    /// policy panics, the drop gives back what the others hold.
    fn turn(
        &mut self,
        reached: Option<Nanos>,
        waker: &Waker,
        op: impl FnOnce(&R::Stack, &mut <R::Stack as Stack>::State, &mut Cx<'_>) -> Step,
    ) -> Nanos {
        let mut cx = self.options.asked().cx(self.target.clock()).with_waker(waker);
        if let Some(now) = reached {
            cx = cx.with_now(now);
        }
        if let Stage::Way(state, step) = &mut self.stage {
            *step = op(self.target.stack(), state, &mut cx);
        }
        cx.reading()
    }

    /// When the call must have come out: the earliest deadline of its layers and its own.
    pub(super) fn limit(&self) -> Nanos {
        match &self.stage {
            Stage::Way(state, _) | Stage::Inside(state) => {
                self.target.stack().deadline(state).min(self.options.asked().deadline)
            }
            _ => Nanos::NEVER,
        }
    }

    /// What [`remaining`](crate::remaining) tells while the call runs.
    pub(super) fn within(&self) -> Within {
        Within::enter(self.target.clock(), self.limit())
    }

    /// The limit has passed: what is inside the layer that set it is cut off.
    #[cold]
    pub(super) fn expire(&mut self, reached: Option<Nanos>, waker: &Waker) {
        let limit = self.limit();
        if let Stage::Inside(state) = self.stage {
            self.stage = Stage::Way(state, Step::In);
        }
        let own = Rejection::timed_out(self.target.id(), Layer::CALL);
        self.turn(reached, waker, |stack, state, cx| {
            let exit = if stack.deadline(state) <= limit {
                stack.expire(state, limit, cx)
            } else {
                stack.exit(state, &End::Cut(own), cx)
            };
            exit.into()
        });
    }

    /// The call has run: settles the layers.
    #[inline(never)]
    pub(super) fn land(&mut self, outcome: &Outcome) -> Done<()> {
        let mut cx = self.options.asked().cx(self.target.clock());
        let late = self.options.asked().overdue(self.target.id(), &mut cx).map(Rejection::with_late);
        let reading = cx.reading();
        self.end(&late.map_or(End::Outcome(*outcome), End::Cut), reading)
    }

    /// `now` is the time if it was read, else `NEVER`.
    fn end(&mut self, end: &End, now: Nanos) -> Done<()> {
        let Self { target, options, stage, .. } = self;
        let Stage::Inside(state) = stage else { unreachable!("only a call that ran lands") };
        let mut cx = options.asked().cx(target.clock()).with_now(now);
        let done = match target.stack().exit(state, end, &mut cx) {
            Exit::Again(when) => {
                *stage = Stage::Way(*state, Step::At(when));
                return Done::Again((), when);
            }
            Exit::Return => Done::Return,
            Exit::Reject(rejection) => Done::Reject(rejection),
            Exit::Unsigned => unreachable!("only an interrupt leaves a rejection unsigned"),
        };
        *stage = Stage::Done;
        done
    }

    #[cold]
    #[inline(never)]
    fn end_early(&mut self) {
        let (_interrupt, _watch) = (self.options.take_interrupt(), self.watch.take());
        self.give_up();
    }

    #[cold]
    fn give_up(&mut self) {
        if let Stage::Way(state, _) | Stage::Inside(state) = std::mem::replace(&mut self.stage, Stage::Done) {
            self.target.stack().abandon(state);
        }
    }
}

impl<R: Target> Drop for Flight<R> {
    /// Two comparisons for a future that completed at once. What is left of another is dropped out of line.
    #[inline(always)]
    fn drop(&mut self) {
        if !matches!(self.stage, Stage::Done) | self.options.is_attended() {
            self.end_early();
        }
    }
}

/// A call that runs, off the straight way: tells the layers of a panic in it. Forgotten if there was none.
pub(super) struct Running<'a, R: Target>(pub(super) &'a mut Flight<R>);

impl<R: Target> Drop for Running<'_, R> {
    #[cold]
    fn drop(&mut self) {
        shield(|| _ = self.0.end(&End::Outcome(Outcome::PANICKED), Nanos::NEVER));
        shield(|| self.0.give_up());
    }
}

impl From<Exit> for Step {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Again(when) => Self::At(when),
            Exit::Reject(rejection) => Self::Reject(rejection),
            Exit::Return | Exit::Unsigned => Self::Reject(Rejection::interrupted(Policy::id(&()), Layer::CALL)),
        }
    }
}
