//! How calls come.

use std::{cell::RefCell, rc::Rc, time::Duration};

use hdrhistogram::Histogram;
use resilience_benches::Start;
use tokio::{
    task::{JoinHandle, spawn_local},
    time::{Instant, sleep_until},
};

use crate::limiter::Limiter;

/// Callers of the closed loop.
const CALLERS: u32 = 8;

#[derive(Clone, Copy)]
pub(crate) enum Traffic {
    /// By a timetable, whatever became of those before. A wait is counted from when the call should have come, so that one
    /// the generator was late with has waited already.
    Open,
    /// Each of a few callers waits for its call to get through before it makes the next. While it waits it does not ask as
    /// often as it would have: the calls left out are counted too, with the waits they would have had.
    Closed,
}

pub(crate) struct Run {
    pub(crate) starts: Vec<Start>,
    /// Nanoseconds.
    pub(crate) waits: Histogram<u64>,
}

/// Up to an hour, with three digits.
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 3_600_000_000_000, 3).expect("valid bounds")
}

impl Traffic {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }

    pub(crate) async fn run(self, limiter: &Limiter, interval: Duration, load: f64, length: Duration) -> Run {
        match self {
            Self::Open => open(limiter, interval.div_f64(load), length).await,
            Self::Closed => closed(limiter, interval.div_f64(load) * CALLERS, length).await,
        }
    }
}

/// A call every `gap`.
async fn open(limiter: &Limiter, gap: Duration, length: Duration) -> Run {
    let starts = Rc::new(RefCell::new(Vec::new()));
    let begin = Instant::now();
    let mut calls = Vec::new();
    for n in (0..).take_while(|n| gap * *n < length) {
        let due = gap * n;
        sleep_until(begin + due).await;
        let (limiter, starts) = (limiter.clone(), Rc::clone(&starts));
        calls.push(spawn_local(async move {
            limiter.take().await;
            starts.borrow_mut().push(Start { due, at: begin.elapsed() });
        }));
    }
    join(calls).await;
    let starts = starts.take();
    let mut waits = histogram();
    for start in &starts {
        waits.saturating_record(nanos(start.at.saturating_sub(start.due)));
    }
    Run { starts, waits }
}

/// Each caller makes a call every `gap`, or later if it still waits for one.
async fn closed(limiter: &Limiter, gap: Duration, length: Duration) -> Run {
    let run = Rc::new(RefCell::new(Run { starts: Vec::new(), waits: histogram() }));
    let begin = Instant::now();
    let callers = (0..CALLERS).map(|caller| {
        let (limiter, run) = (limiter.clone(), Rc::clone(&run));
        spawn_local(async move {
            // They come evenly, not all at once.
            let mut next = gap * caller / CALLERS;
            while next < length {
                sleep_until(begin + next).await;
                let due = begin.elapsed();
                limiter.take().await;
                let at = begin.elapsed();
                let mut run = run.borrow_mut();
                run.starts.push(Start { due, at });
                let wait = nanos(at.saturating_sub(due));
                run.waits.record_correct(wait, nanos(gap)).expect("less than an hour");
                next = at.max(next + gap);
            }
        })
    });
    join(callers.collect()).await;
    run.replace(Run { starts: Vec::new(), waits: histogram() })
}

async fn join(tasks: Vec<JoinHandle<()>>) {
    for task in tasks {
        task.await.expect("no call panics");
    }
}

fn nanos(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}
