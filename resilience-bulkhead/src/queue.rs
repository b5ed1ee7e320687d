//! Who waits, in the order of arrival. Pure: it calls no waker and drops none, and knows no clock.

use std::task::Waker;

use resilience_core::Nanos;

/// Waiting calls in a doubly linked list over a slab, so that anybody can leave from the middle at the same cost.
///
/// A call keeps its place from [`push`](Queue::push) until it is told that it goes or has to go, or leaves; a place that
/// was called or is late is in the slab but no longer in line.
#[derive(Debug)]
pub(crate) struct Queue {
    places: Vec<Place>,
    /// The first of the vacant places, which are linked by `after`.
    vacant: u32,
    first: u32,
    last: u32,
    in_line: u32,
}

/// No place.
const NOWHERE: u32 = u32::MAX;

#[derive(Debug)]
struct Place {
    state: State,
    since: Nanos,
    until: Nanos,
    waker: Option<Waker>,
    before: u32,
    after: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Vacant,
    InLine,
    /// It was given this permit.
    Called(u64),
    /// Its time was up when its turn came.
    Late,
}

/// What became of a call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It has this permit, and left its place.
    Go { permit: u64, since: Nanos },
    /// It is still in line.
    Wait { until: Nanos },
    /// Its time is up; it left its place.
    Late { since: Nanos },
}

/// Whom to wake, under no lock. Nobody, if its driver has not asked yet; it is about to.
#[derive(Debug)]
pub(crate) struct Called(pub(crate) Option<Waker>);

/// A call that left its place before it was told anything.
#[derive(Debug)]
pub(crate) struct Left {
    /// The permit it had been given meanwhile.
    pub(crate) permit: Option<u64>,
    pub(crate) since: Nanos,
    /// To be dropped under no lock.
    pub(crate) waker: Option<Waker>,
}

impl Queue {
    pub(crate) const fn new() -> Self {
        Self { places: Vec::new(), vacant: NOWHERE, first: NOWHERE, last: NOWHERE, in_line: 0 }
    }

    /// How many wait.
    pub(crate) fn in_line(&self) -> u32 {
        self.in_line
    }

    /// Goes to the end of the line; the number of the place.
    pub(crate) fn push(&mut self, since: Nanos, until: Nanos, waker: Option<Waker>) -> u32 {
        let place = Place { state: State::InLine, since, until, waker, before: self.last, after: NOWHERE };
        let at = if self.vacant == NOWHERE {
            let at = u32::try_from(self.places.len()).expect("fewer calls than fit into memory");
            self.places.push(place);
            at
        } else {
            let at = self.vacant;
            let vacant = std::mem::replace(self.at(at), place);
            self.vacant = vacant.after;
            at
        };
        match self.last {
            NOWHERE => self.first = at,
            last => self.at(last).after = at,
        }
        self.last = at;
        self.in_line += 1;
        at
    }

    /// Takes those out of line who are first and late: whose time was up before `now`.
    pub(crate) fn skip_late(&mut self, now: Nanos) {
        self.skip(|until| until < now);
    }

    fn skip(&mut self, is_late: impl Fn(Nanos) -> bool) {
        while self.first != NOWHERE && is_late(self.at(self.first).until) {
            let late = self.first;
            self.unlink(late);
            self.at(late).state = State::Late;
        }
    }

    /// Gives the first in line this permit, and hands out whom to wake; `None` if nobody waits.
    pub(crate) fn call(&mut self, permit: u64) -> Option<Called> {
        let first = self.first;
        if first == NOWHERE {
            return None;
        }
        self.unlink(first);
        let place = self.at(first);
        place.state = State::Called(permit);
        Some(Called(place.waker.take()))
    }

    /// What became of the call at this place. If it waits on, `waker` takes the place of the one it had; which of them
    /// is not needed comes back, to be dropped under no lock.
    ///
    /// A call is not late at its very limit as long as nobody asked. Once one of those whose limit is this instant is
    /// told so, it holds for all of them: else the slot that the one gives back further out would be the next one's.
    pub(crate) fn ask(&mut self, at: u32, now: Nanos, waker: Option<Waker>) -> (Answer, [Option<Waker>; 2]) {
        let place = self.at(at);
        let (since, until) = (place.since, place.until);
        let answer = match place.state {
            State::InLine if now < until => {
                let replaced = std::mem::replace(&mut place.waker, waker);
                return (Answer::Wait { until }, [replaced, None]);
            }
            State::Called(permit) => Answer::Go { permit, since },
            State::InLine | State::Late => Answer::Late { since },
            State::Vacant => unreachable!("a place is asked for until its call has left"),
        };
        let left = self.leave(at);
        if matches!(answer, Answer::Late { .. }) {
            self.skip(|until| until <= now);
        }
        (answer, [left.waker, waker])
    }

    /// Gives the place up.
    pub(crate) fn leave(&mut self, at: u32) -> Left {
        let vacant = self.vacant;
        let place = self.at(at);
        let (state, since, waker) = (place.state, place.since, place.waker.take());
        if state == State::InLine {
            self.unlink(at);
        }
        let place = self.at(at);
        place.state = State::Vacant;
        place.after = vacant;
        self.vacant = at;
        let permit = if let State::Called(permit) = state { Some(permit) } else { None };
        Left { permit, since, waker }
    }

    /// Takes the place out of line.
    fn unlink(&mut self, at: u32) {
        let Place { before, after, .. } = *self.at(at);
        match before {
            NOWHERE => self.first = after,
            before => self.at(before).after = after,
        }
        match after {
            NOWHERE => self.last = before,
            after => self.at(after).before = before,
        }
        self.in_line -= 1;
    }

    fn at(&mut self, at: u32) -> &mut Place {
        &mut self.places[at as usize]
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Push { wait: u64 },
        Pass { time: u64 },
        Call,
        Ask { who: usize },
        Leave { who: usize },
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => (0..20_u64).prop_map(|wait| Step::Push { wait }),
            1 => (0..10_u64).prop_map(|time| Step::Pass { time }),
            2 => Just(Step::Call),
            2 => any::<usize>().prop_map(|who| Step::Ask { who }),
            2 => any::<usize>().prop_map(|who| Step::Leave { who }),
        ]
    }

    /// A call as a plain list keeps it.
    #[derive(Clone, Copy, Debug)]
    struct Naive {
        at: u32,
        since: u64,
        until: u64,
        state: State,
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn the_queue_agrees_with_a_plain_list(steps in prop::collection::vec(step(), 0..100)) {
            let (mut queue, mut list, mut now, mut permits) = (Queue::new(), Vec::<Naive>::new(), 0, 0);
            let mut most = 0;
            for step in steps {
                match step {
                    Step::Push { wait } => {
                        let at = queue.push(Nanos::new(now), Nanos::new(now + wait), None);
                        prop_assert!(list.iter().all(|it| it.at != at), "a place is of one call at a time");
                        list.push(Naive { at, since: now, until: now + wait, state: State::InLine });
                    }
                    Step::Pass { time } => now += time,
                    Step::Call => {
                        queue.skip_late(Nanos::new(now));
                        permits += 1;
                        let called = queue.call(permits).is_some();
                        for it in &mut list {
                            if it.state == State::InLine {
                                it.state = if it.until < now { State::Late } else { State::Called(permits) };
                                if it.state != State::Late {
                                    break;
                                }
                            }
                        }
                        prop_assert_eq!(called, list.iter().any(|it| it.state == State::Called(permits)));
                    }
                    Step::Ask { who } if !list.is_empty() => {
                        let who = who % list.len();
                        let Naive { at, since, until, state } = list[who];
                        let (answer, _) = queue.ask(at, Nanos::new(now), None);
                        let expected = match state {
                            State::Called(permit) => Answer::Go { permit, since: Nanos::new(since) },
                            State::InLine if now < until => Answer::Wait { until: Nanos::new(until) },
                            _ => Answer::Late { since: Nanos::new(since) },
                        };
                        prop_assert_eq!(answer, expected);
                        if !matches!(answer, Answer::Wait { .. }) {
                            list.remove(who);
                        }
                        if matches!(answer, Answer::Late { .. }) {
                            let in_line = list.iter_mut().filter(|it| it.state == State::InLine);
                            in_line.take_while(|it| it.until <= now).for_each(|it| it.state = State::Late);
                        }
                    }
                    Step::Leave { who } if !list.is_empty() => {
                        let Naive { at, since, state, .. } = list.remove(who % list.len());
                        let left = queue.leave(at);
                        prop_assert_eq!(left.since, Nanos::new(since));
                        let expected = if let State::Called(permit) = state { Some(permit) } else { None };
                        prop_assert_eq!(left.permit, expected);
                    }
                    Step::Ask { .. } | Step::Leave { .. } => {}
                }
                most = most.max(list.len());
                let in_line = list.iter().filter(|it| it.state == State::InLine).count();
                prop_assert_eq!(queue.in_line() as usize, in_line);
                prop_assert!(queue.places.len() <= most, "places are used again");
            }
        }
    }
}
