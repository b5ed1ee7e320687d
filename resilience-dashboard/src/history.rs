//! The last two minutes of an instance, a sample per tick.

use std::collections::VecDeque;

use serde::Serialize;

/// Two minutes of one tick a second.
pub(crate) const SAMPLES: usize = 120;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct History {
    /// How much of its measure the instance had reached, in percent; `None` while there is nothing to say.
    share: VecDeque<Option<u8>>,
    /// How many calls were rejected.
    rejected: VecDeque<u64>,
}

impl History {
    pub(crate) fn push(&mut self, share: Option<u8>, rejected: u64) {
        keep(&mut self.share, share);
        keep(&mut self.rejected, rejected);
    }
}

fn keep<T>(samples: &mut VecDeque<T>, sample: T) {
    if samples.len() == SAMPLES {
        samples.pop_front();
    }
    samples.push_back(sample);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_sample_makes_room() {
        let mut history = History::default();
        for sample in 0..=SAMPLES {
            history.push(Some(sample as u8), sample as u64);
        }
        assert_eq!([history.share.len(), history.rejected.len()], [SAMPLES; 2]);
        assert_eq!((history.share[0], history.rejected[SAMPLES - 1]), (Some(1), SAMPLES as u64));
    }
}
