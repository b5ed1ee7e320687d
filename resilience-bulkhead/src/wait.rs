//! Off the straight way: what becomes of a call that finds no slot.

use std::time::Duration;

use resilience_core::{Admission, Code, Cx, Kind, Policy, Queued, Rejection, event::Level, sync::Ordering};

use crate::{
    Bulkhead, Event,
    queue::Answer,
    semaphore::{HELD, Joined, NONE},
};

/// The permit of a call in line at this place.
const fn in_line(place: u32) -> u64 {
    place as u64 + HELD + 1
}

/// The place of a call in line with this permit.
const fn place(permit: u64) -> u32 {
    (permit - HELD - 1) as u32
}

impl Bulkhead {
    #[cold]
    #[inline(never)]
    pub(crate) fn try_take_slowly(&self) -> Result<u64, Rejection> {
        self.semaphore.take_any().ok_or_else(|| {
            self.meter.rejected(Code::BulkheadFull);
            self.refuse()
        })
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn admit_slowly(&self, mut cx: Cx<'_>) -> Admission<u64> {
        if let Some(permit) = self.semaphore.take_any() {
            return Admission::Go(permit);
        }
        // Ordering: Relaxed; pairs with nothing, a number that counts alone.
        let max_wait = self.max_wait.load(Ordering::Relaxed);
        if max_wait == 0 {
            return Admission::Reject(self.refuse());
        }
        // Ordering: Relaxed; as above.
        let max_queue = self.max_queue.load(Ordering::Relaxed) as u32;
        let (now, waker) = (cx.now(), cx.waker().cloned());
        let until = now.after(Duration::from_nanos(max_wait));
        match self.semaphore.join(max_queue, now, until, waker) {
            Joined::Go(permit) => Admission::Go(permit),
            Joined::InLine { place, of } => {
                self.publish(|| Event::WaitStarted { queued: of, until });
                Admission::Queue(in_line(place), until)
            }
            Joined::Full => Admission::Reject(self.refuse()),
        }
    }

    /// What became of a call in line. Its permit is never that of a place it has left.
    pub(crate) fn ask(&self, permit: &mut u64, cx: &mut Cx<'_>) -> Queued {
        if *permit <= HELD {
            return Queued::Go;
        }
        let (now, waker) = (cx.now(), cx.waker().cloned());
        match self.semaphore.ask(place(*permit), now, waker) {
            Answer::Wait { until } => Queued::Wait(until),
            Answer::Go { permit: given, since } => {
                *permit = given;
                self.waits.add(|| now.since(since));
                self.publish(|| Event::WaitEnded { waited: now.since(since) });
                Queued::Go
            }
            Answer::Late { since } => {
                *permit = NONE;
                self.waits.add(|| now.since(since));
                Queued::Reject(self.refuse())
            }
        }
    }

    /// A call in line is gone.
    #[cold]
    pub(crate) fn leave_line(&self, permit: u64) {
        let left = self.semaphore.leave(place(permit));
        self.give_back(left.permit.unwrap_or(NONE));
        self.waits.add(|| self.clock.now().since(left.since));
        self.publish(|| Event::Left { waited: self.clock.now().since(left.since) });
    }

    fn refuse(&self) -> Rejection {
        let rejection = self.rejection();
        if self.events.is_heard_at(Level::Debug) {
            self.publish(|| Event::Rejected(rejection));
        }
        rejection
    }

    /// Says no time to come back: a slot comes free when a call ends, and nobody knows when that is.
    pub(crate) fn rejection(&self) -> Rejection {
        Rejection::new(Code::BulkheadFull, Kind::BULKHEAD_FULL, Policy::id(self), Self::LAYER)
    }
}
