use std::time::Duration;

/// A call that waited for its permit. Times are since the start of the run.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// When it asked, or should have.
    pub due: Duration,
    /// When it got the permit.
    pub at: Duration,
}

/// Starts beside those of an ideal limiter, which hands out one permit per interval, to whoever was due first, as early as
/// it may.
#[derive(Clone, Debug)]
pub struct Punctuality {
    /// Permits per time, in parts of the ideal limiter's: above 1 is too many.
    pub rate: f64,
    /// By how much starts were later than the ideal ones.
    pub late: Vec<Duration>,
    /// By how much one was earlier, at most.
    pub early: Duration,
    /// How many of those due later one was overtaken by, at most.
    pub overtaken: usize,
}

impl Punctuality {
    /// Compares the k-th start with the k-th ideal one, whoever's they are. `None` for fewer than two.
    pub fn of(interval: Duration, starts: &[Start]) -> Option<Self> {
        let mut by_due = starts.to_vec();
        by_due.sort_by_key(|start| start.due);
        let mut next = Duration::ZERO;
        let ideal: Vec<_> = by_due
            .iter()
            .map(|start| {
                let at = start.due.max(next);
                next = at + interval;
                at
            })
            .collect();
        let mut real: Vec<_> = starts.iter().map(|start| start.at).collect();
        real.sort_unstable();
        let span = |times: &[Duration]| Some(times.last()?.saturating_sub(*times.first()?).as_secs_f64());
        let pairs = || real.iter().zip(&ideal);
        (starts.len() > 1).then_some(Self {
            rate: span(&ideal)? / span(&real)?,
            late: pairs().map(|(real, ideal)| real.saturating_sub(*ideal)).collect(),
            early: pairs().map(|(real, ideal)| ideal.saturating_sub(*real)).max()?,
            overtaken: overtaken(&by_due),
        })
    }
}

/// Of starts in the order in which they were due.
fn overtaken(by_due: &[Start]) -> usize {
    let mut served: Vec<_> = (0..by_due.len()).collect();
    // Stable: of those served at once nobody overtook another.
    served.sort_by_key(|place| by_due[*place].at);
    let positions = served.iter().enumerate();
    let by = |(position, place): (usize, &usize)| served[..position].iter().filter(|before| *before > place).count();
    positions.map(by).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Punctuality, Start};

    const TEN: Duration = Duration::from_millis(10);

    fn starts(all: &[(u64, u64)]) -> Punctuality {
        let ms = Duration::from_millis;
        let all: Vec<_> = all.iter().map(|(due, at)| Start { due: ms(*due), at: ms(*at) }).collect();
        Punctuality::of(TEN, &all).unwrap()
    }

    #[test]
    fn an_ideal_limiter_is_punctual() {
        let it = starts(&[(0, 0), (1, 10), (2, 20), (100, 100)]);
        assert!((it.rate - 1.0).abs() < 1e-9);
        assert_eq!((it.late.iter().max(), it.early, it.overtaken), (Some(&Duration::ZERO), Duration::ZERO, 0));
    }

    #[test]
    fn late_and_early_starts_are_told_apart() {
        let it = starts(&[(0, 0), (0, 13), (0, 18)]);
        assert_eq!(it.late, [0, 3, 0].map(Duration::from_millis));
        assert_eq!(it.early, Duration::from_millis(2));
        assert!(it.rate > 1.1, "{}", it.rate);
    }

    #[test]
    fn who_is_served_after_those_due_later_was_overtaken() {
        assert_eq!(starts(&[(0, 20), (1, 0), (2, 10)]).overtaken, 2);
        assert_eq!(starts(&[(0, 5), (1, 5), (2, 5)]).overtaken, 0, "nobody can tell who was first");
    }
}
