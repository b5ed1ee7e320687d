//! Which rejections an instance made lately.

use resilience_core::{Code, Nanos};
use serde::Serialize;

use crate::history::SAMPLES;

/// Rejections of one code, forgotten when there has been none for as long as the history goes back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Rejected {
    code: &'static str,
    /// How often, since it was last forgotten.
    count: u64,
    /// When last, in seconds on the registry's clock.
    at: f64,
    /// The number of the tick in which it was last seen.
    #[serde(skip)]
    tick: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Recent(Vec<Rejected>);

impl Recent {
    /// With what was rejected in this tick. They grow, and so do ticks.
    pub(crate) fn tick(&mut self, tick: u64, counts: &[(Code, u64, Nanos)]) {
        for (code, more, at) in counts {
            let (code, at) = (code.as_str(), seconds(*at));
            match self.0.iter_mut().find(|it| it.code == code) {
                Some(known) => *known = Rejected { code, count: known.count + more, at, tick },
                None => self.0.push(Rejected { code, count: *more, at, tick }),
            }
        }
        self.0.retain(|it| tick - it.tick < SAMPLES as u64);
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
    fn codes_are_counted_and_forgotten_after_two_quiet_minutes() {
        let mut recent = Recent::default();
        let at = Nanos::ZERO.after(Duration::from_millis(1_250));
        recent.tick(0, &[(Code::CallNotPermitted, 3, at)]);
        recent.tick(1, &[(Code::CallNotPermitted, 2, at), (Code::RateLimitExceeded, 1, at)]);
        let shown: Vec<_> = recent.0.iter().map(|it| (it.code, it.count, it.at)).collect();
        assert_eq!(shown, [("R4C-RT-002", 5, 1.2), ("R4C-RT-001", 1, 1.2)]);
        recent.tick(SAMPLES as u64, &[(Code::RateLimitExceeded, 1, at)]);
        assert_eq!(recent.0.len(), 2);
        recent.tick(SAMPLES as u64 + 1, &[]);
        assert_eq!(recent.0.iter().map(|it| it.count).collect::<Vec<_>>(), [2]);
    }
}
