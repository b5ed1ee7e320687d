use std::time::Instant;

use crate::{Spread, delay::delay};

/// Calls that are timed together: looking at the clock is nothing beside them, and a disturbance spoils few.
const STRETCH: usize = 1000;

/// Nanoseconds of a call, over so many with one input each in stretches of a thousand: median and quartiles of the
/// stretches in which the thread never waited for a processor.
///
/// # Panics
///
/// If every stretch was disturbed, or if a call says that it did not go the way it should.
#[expect(clippy::disallowed_methods, reason = "a benchmark's stopwatch")]
pub fn pace<T: Copy>(inputs: &[T], mut call: impl FnMut(T) -> bool) -> Spread {
    let mut nanos = Vec::with_capacity(inputs.len() / STRETCH);
    for stretch in inputs.chunks_exact(STRETCH) {
        let (before, start) = (delay(), Instant::now());
        let right = stretch.iter().filter(|input| call(**input)).count();
        let took = start.elapsed();
        assert_eq!(right, STRETCH, "a call went another way than the benchmark says");
        if delay() == before {
            nanos.push(took.as_nanos() as f64 / STRETCH as f64);
        }
    }
    Spread::quartiles(&nanos).expect("an undisturbed stretch")
}

#[cfg(test)]
mod tests {
    use super::pace;

    #[test]
    fn a_call_has_a_pace() {
        let spread = pace(&vec![7; 10_000], |n| std::hint::black_box(n) == 7);
        assert!(spread.low > 0.0 && spread.low <= spread.median && spread.median <= spread.high, "{spread:?}");
    }

    #[test]
    #[should_panic(expected = "another way")]
    fn a_call_that_goes_another_way_fails() {
        pace(&[1; 1000], |_| false);
    }
}
