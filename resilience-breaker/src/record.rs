//! What becomes of a call: whether it passes, and what its end changes.

use resilience_core::{
    Admission, Code, Cx, Kind, Managed, Nanos, Outcome, Policy, Rejection,
    event::Level,
    sync::{lock, lock_briefly},
};

use crate::{
    CircuitBreaker, Config, End, Event, State,
    breaker::Ticket,
    control::Control,
    gate::Word,
    machine::{Answer, Machine},
    rates::{Mark, Rates},
};

impl CircuitBreaker {
    /// A call is timed, or meets a gate that does not let everybody pass. `reading` and the time that comes back are the
    /// clock's, if it was read.
    #[inline(never)]
    pub(crate) fn ask(&self, word: Word, reading: Nanos) -> (Admission<Ticket>, Nanos) {
        let mut cx = Cx::new(&self.clock).with_now(reading);
        let admission = self.admission(word, &mut cx);
        (admission, cx.reading())
    }

    fn admission(&self, word: Word, cx: &mut Cx<'_>) -> Admission<Ticket> {
        if word.is_forced_open() {
            return self.reject(self.rejection(Nanos::ZERO, Nanos::NEVER), cx);
        }
        let now = cx.now();
        if word.lets_pass() {
            return Admission::Go(Ticket { word: word.0, start: now });
        }
        let until = self.gate.until();
        if now < until && !word.has_room() {
            // Half-open, nobody knows when there will be room.
            let until = if word.is_open() { until } else { Nanos::NEVER };
            return self.reject(self.rejection(now, until), cx);
        }
        let mut answer = Answer::Pass;
        let mut admitting = word;
        self.change(now, |machine, config, log| {
            if config.enabled {
                answer = machine.ask(now, config, &mut |it| log(Event::Transition(it)));
            }
            admitting = Word::of(machine, config);
        });
        match answer {
            Answer::Reject(until) => self.reject(self.rejection(now, until), cx),
            Answer::Pass | Answer::Probe => {
                let start = if admitting.is_timed() { now } else { Nanos::NEVER };
                Admission::Go(Ticket { word: admitting.0, start })
            }
        }
    }

    /// What a call is told that comes before `until`, which may be `NEVER`.
    #[inline(always)]
    pub(crate) fn rejection(&self, now: Nanos, until: Nanos) -> Rejection {
        let rejection = Rejection::new(Code::CallNotPermitted, Kind::CALL_NOT_PERMITTED, self.id, Self::LAYER);
        if until.is_never() { rejection } else { rejection.with_retry_after_nanos(until.as_u64() - now.as_u64()) }
    }

    fn reject(&self, rejection: Rejection, cx: &mut Cx<'_>) -> Admission<Ticket> {
        if self.events.is_heard_at(Level::Debug) {
            self.events.publish(Self::KIND, self.id, cx.now(), &Event::Rejected(rejection));
        }
        Admission::Reject(rejection)
    }

    /// The end of a call, whatever it is.
    #[inline(never)]
    pub(crate) fn record(&self, ticket: Ticket, outcome: Outcome, reading: Nanos) -> Nanos {
        let mut cx = Cx::new(&self.clock).with_now(reading);
        let word = Word(ticket.word);
        if word.records() || !word.lets_pass() {
            let end = self.end_of(&outcome);
            let elapsed = ticket.elapsed(&mut cx);
            let slow = elapsed.is_some_and(|elapsed| self.gate.is_slow(elapsed));
            let mark = match end {
                End::Ignored => None,
                end => Some(Mark::new(end != End::Success, slow)),
            };
            if self.count(word, mark, &mut cx) && self.events.is_heard_at(Level::Trace) {
                let elapsed = elapsed.map(std::time::Duration::from_nanos);
                let event = Event::Recorded { end, elapsed, slow: slow && end != End::Ignored };
                self.events.publish(Self::KIND, self.id, cx.now(), &event);
            }
        }
        cx.reading()
    }

    /// The call is gone before it ended.
    #[cold]
    pub(crate) fn dropped(&self, ticket: Ticket) {
        let word = Word(ticket.word);
        let fails = self.gate.word().drops_fail();
        if !fails && word.lets_pass() {
            return;
        }
        let mut cx = Cx::new(&self.clock);
        let elapsed = ticket.elapsed(&mut cx);
        let slow = elapsed.is_some_and(|elapsed| self.gate.is_slow(elapsed));
        if word.records() || !word.lets_pass() {
            let counts = self.count(word, fails.then(|| Mark::new(true, slow)), &mut cx);
            if counts && fails && self.events.is_heard_at(Level::Trace) {
                let elapsed = elapsed.map(std::time::Duration::from_nanos);
                let event = Event::Recorded { end: End::Dropped, elapsed, slow };
                self.events.publish(Self::KIND, self.id, cx.now(), &event);
            }
        }
    }

    fn end_of(&self, outcome: &Outcome) -> End {
        match outcome.kind() {
            None if *outcome == Outcome::Ignored => End::Ignored,
            None => End::Success,
            Some(kind) => match self.gate.judge(kind) {
                None => End::Ignored,
                Some(false) => End::Success,
                Some(true) => End::Failure(kind),
            },
        }
    }

    /// Counts the end of a call in the phase that admitted it; without a mark it counts as nothing. False if the phase is
    /// over.
    fn count(&self, word: Word, mark: Option<Mark>, cx: &mut Cx<'_>) -> bool {
        if !word.lets_pass() {
            return self.probed(word, mark, cx.now());
        }
        let Some(mark) = mark else { return self.gate.is_in(word) };
        let rates = if self.gate.word().is_by_time() {
            let now = cx.now();
            let mut window = lock_briefly(&self.timed);
            self.gate.is_in(word).then(|| window.record(now, mark))
        } else {
            self.window.record(mark, &self.gate, word)
        };
        let Some(rates) = rates else { return false };
        self.weigh(word, rates, cx.reading());
        true
    }

    /// Opens if the rates have reached a threshold.
    #[inline]
    pub(crate) fn weigh(&self, word: Word, rates: Rates, reading: Nanos) {
        if self.gate.is_reached(rates) && word.is_closed() {
            self.trip(word, rates, reading);
        }
    }

    #[cold]
    #[inline(never)]
    fn trip(&self, word: Word, rates: Rates, reading: Nanos) {
        let now = Cx::new(&self.clock).with_now(reading).now();
        self.change(now, |machine, config, log| {
            if !config.enabled || rates.calls < config.minimum_calls.into() {
                return;
            }
            if let Some(cause) = rates.verdict(config) {
                let why = (word.generation(), cause, rates);
                machine.trip(now, config, why, &mut |it| log(Event::Transition(it)));
            }
        });
    }

    fn probed(&self, word: Word, mark: Option<Mark>, now: Nanos) -> bool {
        let mut counts = false;
        self.change(now, |machine, config, log| {
            let mark = mark.filter(|_| config.enabled);
            let in_time = machine.probed(now, config, (word.generation(), mark), &mut |it| log(Event::Transition(it)));
            counts = in_time && config.enabled;
        });
        counts
    }

    /// Changes the machine or the configuration, shows it to the calls, and publishes what there is to tell, once the
    /// lock is gone and in the order in which it happened.
    pub(crate) fn change(&self, now: Nanos, change: impl FnOnce(&mut Machine, &mut Config, &mut dyn FnMut(Event))) {
        let mut control = lock(&self.control);
        let Control { machine, config, outbox } = &mut *control;
        let generation = machine.generation;
        let heard = self.events.is_heard();
        change(machine, config, &mut |event| {
            if let Event::Transition(it) = &event {
                self.transitions.add(State::transition(it.from, it.to));
            }
            if heard {
                outbox.push(now, event);
            }
        });
        if machine.generation != generation && machine.phase.records() {
            // From here on nobody takes the phase before for the one under way, whose window begins empty.
            self.gate.pause(machine, config);
            self.window.reset();
            lock(&self.timed).reset();
        }
        self.gate.set(machine, config);
        drop(control);
        if heard {
            self.publish();
        }
    }

    fn publish(&self) {
        let mut mine = false;
        loop {
            let next = lock(&self.control).outbox.next(mine);
            let Some((at, event)) = next else { return };
            mine = true;
            self.events.publish(Self::KIND, self.id, at, &event);
        }
    }
}
