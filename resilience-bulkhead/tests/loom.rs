//! Every schedule of a few threads on one bulkhead. Run with `cargo xtask loom`.
#![cfg(loom)]

use std::{
    sync::atomic::{AtomicBool, Ordering},
    task::{Wake, Waker},
    time::Duration,
};

use loom::{
    sync::{Arc, atomic::AtomicUsize},
    thread::{self, JoinHandle},
};
use resilience_bulkhead::{Bulkhead, Config};
use resilience_core::{Admission, Clock, Cx, ManualClock, Outcome, Policy, Queued, Was};

/// A bulkhead, as a driver uses it.
#[derive(Clone)]
struct Room {
    bulkhead: Arc<Bulkhead>,
    clock: ManualClock,
}

impl Room {
    fn new(max_concurrent: u32) -> Self {
        let clock = ManualClock::new();
        let builder = Bulkhead::builder().max_concurrent(max_concurrent).max_wait(Duration::from_secs(1));
        Self { bulkhead: Arc::new(builder.clock(&clock).build().unwrap()), clock }
    }

    fn clock(&self) -> Clock {
        self.clock.clock()
    }

    /// A call that gets in at once.
    fn enter(&self) -> u64 {
        let Admission::Go(permit) = self.bulkhead.admit(&mut Cx::new(&self.clock())) else { panic!("a slot is free") };
        permit
    }

    /// A call that comes, and if need be goes in line.
    fn come(&self) -> Call {
        let woken = std::sync::Arc::new(Woken::default());
        match self.bulkhead.admit(&mut Cx::new(&self.clock())) {
            Admission::Go(permit) => Call { permit, in_line: false, woken },
            Admission::Queue(permit, _) => {
                let mut call = Call { permit, in_line: true, woken };
                self.ask(&mut call);
                call
            }
            other => panic!("{other:?}"),
        }
    }

    /// A call that waits.
    fn wait(&self) -> Call {
        let call = self.come();
        assert!(call.in_line);
        call
    }

    /// As a driver, after queueing and when woken. False if its time is up.
    fn ask(&self, call: &mut Call) -> bool {
        let waker = Waker::from(std::sync::Arc::clone(&call.woken));
        match self.bulkhead.poll_queued(&mut call.permit, &mut Cx::new(&self.clock()).with_waker(&waker)) {
            Queued::Go => call.in_line = false,
            Queued::Wait(_) => {}
            Queued::Reject(_) => return false,
        }
        true
    }

    fn leave(&self, permit: u64) {
        let _ = self.bulkhead.settle(permit, &Outcome::Success, &mut Cx::new(&self.clock()));
    }

    fn give_up(&self, call: Call) {
        self.bulkhead.abandon(call.permit, if call.in_line { Was::Queued } else { Was::Inside });
    }

    fn change(&self, change: impl FnOnce(&mut Config)) {
        let mut config = self.bulkhead.config();
        change(&mut config);
        self.bulkhead.reconfigure(config).unwrap();
    }

    fn beside(&self, op: impl FnOnce(Self) + 'static) -> JoinHandle<()> {
        let room = self.clone();
        thread::spawn(move || op(room))
    }

    /// In a state of rest, whoever is still in line and was not woken stays there for ever.
    fn is_in(&self, call: &mut Call) -> bool {
        if call.in_line && call.woken.0.load(Ordering::SeqCst) {
            self.ask(call);
            assert!(!call.in_line, "woken for nothing");
        }
        !call.in_line
    }

    /// In use, available, queued.
    fn counts(&self) -> [u32; 3] {
        let snapshot = self.bulkhead.snapshot();
        [snapshot.in_use, snapshot.available, snapshot.queued]
    }
}

struct Call {
    permit: u64,
    in_line: bool,
    woken: std::sync::Arc<Woken>,
}

/// Remembers that it was woken. Not one of loom's: the wakers are no part of what is explored.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

// Law 1
#[test]
fn two_threads_never_share_the_last_slot() {
    loom::model(|| {
        let (room, inside) = (Room::new(1), Arc::new(AtomicUsize::new(0)));
        let visit = |room: &Room, inside: &AtomicUsize| {
            let Ok(permit) = room.bulkhead.try_enter() else { return };
            // Relaxed: it is the slot that orders the two.
            assert_eq!(inside.load(Ordering::Relaxed), 0);
            inside.store(1, Ordering::Relaxed);
            inside.store(0, Ordering::Relaxed);
            drop(permit);
        };
        let others = Arc::clone(&inside);
        let other = room.beside(move |room| visit(&room, &others));
        visit(&room, &inside);
        other.join().unwrap();
        assert_eq!(room.counts(), [0, 1, 0]);
    });
}

// Law 2: the lost wake-up.
#[test]
fn a_newcomer_that_queues_beside_the_last_release_gets_in() {
    loom::model(|| {
        let room = Room::new(1);
        let inside = room.enter();
        let leaving = room.beside(move |room| room.leave(inside));
        let mut newcomer = room.come();
        leaving.join().unwrap();
        assert!(room.is_in(&mut newcomer));
        assert_eq!(room.counts(), [1, 0, 0]);
        room.leave(newcomer.permit);
        assert_eq!(room.counts(), [0, 1, 0]);
    });
}

// Law 2
#[test]
fn a_slot_handed_to_a_waiter_that_gives_up_reaches_the_one_behind() {
    loom::model(|| {
        let room = Room::new(1);
        let inside = room.enter();
        let (first, mut second) = (room.wait(), room.wait());
        let leaving = room.beside(move |room| room.leave(inside));
        room.give_up(first);
        leaving.join().unwrap();
        assert!(room.is_in(&mut second));
        assert_eq!(room.counts(), [1, 0, 0]);
    });
}

// Law 2
#[test]
fn the_last_waiter_that_gives_up_beside_a_release_leaves_the_slot_to_newcomers() {
    loom::model(|| {
        let room = Room::new(1);
        let inside = room.enter();
        let waiting = room.wait();
        let leaving = room.beside(move |room| room.leave(inside));
        room.give_up(waiting);
        leaving.join().unwrap();
        assert_eq!(room.counts(), [0, 1, 0]);
        room.enter();
    });
}

// Law 2
#[test]
fn a_waiter_at_its_limit_has_the_slot_that_comes_free_or_leaves_it() {
    loom::model(|| {
        let room = Room::new(1);
        let inside = room.enter();
        let mut waiting = room.wait();
        room.clock.advance(Duration::from_secs(1));
        let leaving = room.beside(move |room| room.leave(inside));
        let in_time = room.ask(&mut waiting);
        leaving.join().unwrap();
        assert_eq!((waiting.in_line, room.counts()), (!in_time, if in_time { [1, 0, 0] } else { [0, 1, 0] }));
        if !in_time {
            room.enter();
        }
    });
}

// Law 2
#[test]
fn a_newcomer_never_overtakes_who_waits() {
    loom::model(|| {
        let room = Room::new(1);
        let inside = room.enter();
        let mut first = room.wait();
        let leaving = room.beside(move |room| room.leave(inside));
        assert!(room.bulkhead.try_enter().is_err());
        let mut newcomer = room.come();
        assert!(newcomer.in_line);
        leaving.join().unwrap();
        assert!(room.is_in(&mut first) && !room.is_in(&mut newcomer));
        assert_eq!(room.counts(), [1, 0, 1]);
        room.leave(first.permit);
        assert!(room.is_in(&mut newcomer));
    });
}

// Law 2
#[test]
fn two_slots_that_come_free_together_go_to_the_first_two() {
    loom::model(|| {
        let room = Room::new(2);
        let (one, two) = (room.enter(), room.enter());
        let mut waiting = [room.wait(), room.wait(), room.wait()];
        let leaving = room.beside(move |room| room.leave(one));
        room.leave(two);
        leaving.join().unwrap();
        assert_eq!(waiting.each_mut().map(|call| room.is_in(call)), [true, true, false]);
        assert_eq!(room.counts(), [2, 0, 1]);
    });
}

// Law 1
#[test]
fn growing_beside_a_release_lets_two_in() {
    loom::model(|| {
        let room = Room::new(1);
        let inside = room.enter();
        let mut waiting = [room.wait(), room.wait(), room.wait()];
        let growing = room.beside(|room| room.change(|config| config.max_concurrent = 2));
        room.leave(inside);
        growing.join().unwrap();
        assert_eq!(waiting.each_mut().map(|call| room.is_in(call)), [true, true, false]);
        assert_eq!(room.counts(), [2, 0, 1]);
    });
}

// Law 2
#[test]
fn growing_beside_a_newcomer_that_queues_lets_it_in() {
    loom::model(|| {
        let room = Room::new(1);
        room.enter();
        let growing = room.beside(|room| room.change(|config| config.max_concurrent = 2));
        let mut newcomer = room.come();
        growing.join().unwrap();
        assert!(room.is_in(&mut newcomer));
        assert_eq!(room.counts(), [2, 0, 0]);
    });
}

// Law 1
#[test]
fn nobody_gets_in_above_a_maximum_that_was_lowered() {
    loom::model(|| {
        let room = Room::new(2);
        let (one, two) = (room.enter(), room.enter());
        let mut waiting = room.wait();
        let leaving = room.beside(move |room| room.leave(one));
        room.change(|config| config.max_concurrent = 1);
        let was_called = room.counts()[0] == 2 && room.counts()[2] == 0;
        leaving.join().unwrap();
        let is_in = room.is_in(&mut waiting);
        assert!(is_in || !was_called);
        assert_eq!(room.counts(), if is_in { [2, 0, 0] } else { [1, 0, 1] });
        room.leave(two);
        assert!(is_in || room.is_in(&mut waiting));
        assert_eq!(room.counts(), [1, 0, 0]);
    });
}

// Law 1
#[test]
fn switching_off_beside_a_release_loses_and_doubles_no_slot() {
    loom::model(|| {
        let room = Room::new(1);
        let inside = room.enter();
        let mut waiting = [room.wait(), room.wait()];
        let off = room.beside(|room| room.change(|config| config.enabled = false));
        room.leave(inside);
        off.join().unwrap();
        assert_eq!(waiting.each_mut().map(|call| room.is_in(call)), [true, true]);
        room.change(|config| config.enabled = true);
        waiting.into_iter().for_each(|call| room.leave(call.permit));
        assert_eq!(room.counts(), [0, 1, 0]);
    });
}
