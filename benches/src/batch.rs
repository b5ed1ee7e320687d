//! Some thousand calls in a row, on one thread or on several that share what they call.

use std::{
    hint,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::delay::delay;

/// Calls between two looks at what the other threads do.
const STRIDE: u32 = 64;

/// What a batch of calls cost.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// Nanoseconds that a thread spent on a call.
    pub nanos: f64,
    /// The part of the calls that the slowest thread made, times the number of threads: 1 is fair.
    pub fairness: f64,
    /// Whether a thread had no processor, or began late: for more than a fiftieth of the time.
    pub disturbed: bool,
}

/// What one thread did.
struct Turn {
    calls: u32,
    start: Instant,
    took: Duration,
    /// How long it had no processor, from the meeting point on.
    delayed: Duration,
}

impl Batch {
    /// At most `calls` calls on each of so many threads, which make themselves what they call; ends for all when the first
    /// has made its calls, so that they compete all the time.
    ///
    /// # Panics
    ///
    /// If a call says that it did not go the way it should.
    pub(crate) fn run<C: FnMut() -> bool>(threads: usize, calls: u32, make: &(impl Fn() -> C + Sync)) -> Self {
        let (ready, done) = (AtomicUsize::new(0), AtomicBool::new(false));
        let turn = || {
            let mut call = make();
            let before = delay();
            // Ordering: Relaxed; a meeting point. What is called was made before the threads were.
            ready.fetch_add(1, Ordering::Relaxed);
            while ready.load(Ordering::Relaxed) < threads {
                hint::spin_loop();
            }
            let turn = turn(calls, &done, &mut call);
            Turn { delayed: delay().saturating_sub(before), ..turn }
        };
        let turns = thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(turn)).collect();
            let mut turns = vec![turn()];
            turns.extend(others.into_iter().map(|other| other.join().expect("calls go their way")));
            turns
        });
        Self::of(&turns)
    }

    fn of(turns: &[Turn]) -> Self {
        let calls: f64 = turns.iter().map(|turn| f64::from(turn.calls)).sum();
        let took: Duration = turns.iter().map(|turn| turn.took).sum();
        let slowest = turns.iter().map(|turn| turn.calls).min().unwrap_or_default();
        Self {
            nanos: took.as_nanos() as f64 / calls,
            fairness: f64::from(slowest) * turns.len() as f64 / calls,
            disturbed: turns.iter().any(|turn| turn.delayed + turn.late(turns) > turn.took / 50),
        }
    }
}

impl Turn {
    /// How long after the first it began.
    fn late(&self, turns: &[Self]) -> Duration {
        let first = turns.iter().map(|turn| turn.start).min();
        first.map_or(Duration::ZERO, |first| self.start - first)
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark's stopwatch")]
fn turn(calls: u32, done: &AtomicBool, call: &mut impl FnMut() -> bool) -> Turn {
    let (mut made, mut right) = (0, 0);
    let start = Instant::now();
    // Ordering: Relaxed; only a sign to stop.
    while made < calls && !done.load(Ordering::Relaxed) {
        for _ in 0..STRIDE {
            right += u32::from(call());
        }
        made += STRIDE;
    }
    let took = start.elapsed();
    done.store(true, Ordering::Relaxed);
    assert_eq!(right, made, "a call went another way than the benchmark says");
    Turn { calls: made, start, took, delayed: Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::Batch;

    #[test]
    fn a_batch_makes_the_calls() {
        let count = AtomicU32::new(0);
        // Ordering: Relaxed; a counter.
        let batch = Batch::run(1, 1000, &|| || count.fetch_add(1, Ordering::Relaxed) < 10_000);
        assert_eq!(count.into_inner(), 1024);
        assert!(batch.nanos > 0.0);
        assert!((batch.fairness - 1.0).abs() < 1e-9);
    }

    #[test]
    fn threads_stop_with_the_first() {
        let count = AtomicU32::new(0);
        // Ordering: Relaxed; a counter.
        let batch = Batch::run(2, 1000, &|| || count.fetch_add(1, Ordering::Relaxed) < 10_000);
        assert!((1024..=2 * 1024).contains(&count.into_inner()));
        assert!(batch.fairness <= 1.0);
    }

    #[test]
    #[should_panic(expected = "another way")]
    fn a_call_that_goes_another_way_fails() {
        Batch::run(1, 1, &|| || false);
    }
}
