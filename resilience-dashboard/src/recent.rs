//! Which rejections an instance made lately.

use std::collections::VecDeque;

use resilience_core::{Code, Nanos};
use serde::Serialize;

use crate::history::SAMPLES;

/// Rejections of one code, as far back as the history goes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Rejected {
    code: &'static str,
    /// How often.
    count: u64,
    /// When last, in seconds on the registry's clock.
    at: f64,
    /// How often in which tick, the oldest first; those without are left out.
    #[serde(skip)]
    ticks: VecDeque<(u64, u64)>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Recent(Vec<Rejected>);

impl Recent {
    /// With what was rejected in this tick, and without what was longer ago. Ticks grow.
    pub(crate) fn tick(&mut self, tick: u64, counts: &[(Code, u64, Nanos)]) {
        for (code, more, at) in counts {
            let (code, at) = (code.as_str(), seconds(*at));
            let known = self.0.iter().position(|it| it.code == code).unwrap_or_else(|| {
                self.0.push(Rejected { code, count: 0, at, ticks: VecDeque::new() });
                self.0.len() - 1
            });
            let known = &mut self.0[known];
            (known.count, known.at) = (known.count + more, at);
            known.ticks.push_back((tick, *more));
        }
        self.0.retain_mut(|it| {
            while let Some((_, old)) = it.ticks.front().filter(|(old, _)| tick - old >= SAMPLES as u64) {
                it.count -= old;
                it.ticks.pop_front();
            }
            it.count > 0
        });
    }
}

/// As precise as people care for; a number that does not wobble is not sent again.
pub(crate) fn seconds(at: Nanos) -> f64 {
    let tenths = at.as_u64() / 100_000_000;
    tenths as f64 / 10.0
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn codes_are_counted_over_two_minutes_and_then_forgotten() {
        let mut recent = Recent::default();
        let at = Nanos::ZERO.after(Duration::from_millis(1_250));
        recent.tick(0, &[(Code::CallNotPermitted, 3, at)]);
        recent.tick(1, &[(Code::CallNotPermitted, 2, at), (Code::RateLimitExceeded, 1, at)]);
        let shown = |recent: &Recent| recent.0.iter().map(|it| (it.code, it.count, it.at)).collect::<Vec<_>>();
        assert_eq!(shown(&recent), [("R4C-RT-002", 5, 1.2), ("R4C-RT-001", 1, 1.2)]);
        recent.tick(SAMPLES as u64, &[(Code::RateLimitExceeded, 1, at)]);
        assert_eq!(shown(&recent), [("R4C-RT-002", 2, 1.2), ("R4C-RT-001", 2, 1.2)]);
        recent.tick(SAMPLES as u64 + 1, &[]);
        assert_eq!(shown(&recent), [("R4C-RT-001", 1, 1.2)]);
    }

    #[test]
    fn a_long_storm_counts_its_last_two_minutes() {
        let mut recent = Recent::default();
        for tick in 0..10_000 {
            recent.tick(tick, &[(Code::RateLimitExceeded, 7, Nanos::ZERO)]);
        }
        assert_eq!((recent.0[0].count, recent.0[0].ticks.len()), (7 * SAMPLES as u64, SAMPLES));
    }
}
