use std::time::Instant;

use serde::Serialize;

use crate::delay::delay;

/// Calls after which is asked whether the thread was disturbed.
const STRETCH: usize = 1000;

/// The slow ones among many calls, each timed alone: nanoseconds that so many in a hundred do not exceed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tail {
    /// Of calls in stretches of a thousand in which the thread never waited for a processor.
    pub calls: usize,
    /// Half of them.
    pub half: u32,
    /// 99 in a hundred.
    pub most: u32,
    /// 999 in a thousand.
    pub nearly_all: u32,
    /// All of them.
    pub longest: u32,
}

impl Tail {
    /// Makes a call with each of the inputs. The time of a call includes one look at the clock.
    ///
    /// # Panics
    ///
    /// If every stretch was disturbed.
    pub fn of<T: Copy>(inputs: &[T], mut call: impl FnMut(T)) -> Self {
        let mut nanos = Vec::with_capacity(inputs.len());
        for stretch in inputs.chunks(STRETCH) {
            let (kept, before) = (nanos.len(), delay());
            timed(stretch, &mut call, &mut nanos);
            if delay() > before {
                nanos.truncate(kept);
            }
        }
        nanos.sort_unstable();
        let last = nanos.len().checked_sub(1).expect("an undisturbed stretch");
        let below = |per_thousand: usize| nanos[(last * per_thousand).div_ceil(1000)];
        Self { calls: nanos.len(), half: below(500), most: below(990), nearly_all: below(999), longest: below(1000) }
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark's stopwatch")]
fn timed<T: Copy>(inputs: &[T], call: &mut impl FnMut(T), nanos: &mut Vec<u32>) {
    let mut before = Instant::now();
    for input in inputs {
        call(*input);
        let now = Instant::now();
        nanos.push((now - before).as_nanos().try_into().unwrap_or(u32::MAX));
        before = now;
    }
}

#[cfg(test)]
mod tests {
    use super::Tail;

    #[test]
    fn one_slow_call_in_a_hundred_is_in_the_tail() {
        let inputs: Vec<u64> = (0..100_000).collect();
        let tail = Tail::of(&inputs, |n| {
            let steps = if n % 100 == 0 { 10_000 } else { 1 };
            (0..steps).for_each(|step| _ = std::hint::black_box(step));
        });
        assert!(tail.half <= tail.most && tail.most <= tail.nearly_all && tail.nearly_all <= tail.longest);
        assert!(tail.nearly_all > 10 * tail.half, "{tail:?}");
    }
}
