//! A naive limiter: a list of what was granted, in rational time. Slow, and obviously right.

use std::time::Duration;

/// GCRA on the clock `floor(now * m * permits / period)`, with every number as wide as it gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    permits: u128,
    period: u128,
    /// Theoretical arrival time, in units.
    arrival: u128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Now,
    At(u128),
    Refused(u128),
    Never,
}

impl Model {
    pub(crate) fn new(permits: u32, period: Duration) -> Self {
        Self { permits: permits.into(), period: period.as_nanos(), arrival: 0 }
    }

    fn interval(&self) -> u128 {
        self.period / self.permits
    }

    fn units(&self, now: u128) -> u128 {
        now * self.interval() * self.permits / self.period
    }

    /// The first nanosecond at which the clock shows `units`: tried out, around a guess.
    fn instant(&self, units: u128) -> u128 {
        let mut now = units * self.period / (self.interval() * self.permits);
        while self.units(now) >= units && now > 0 {
            now -= 1;
        }
        while self.units(now) < units {
            now += 1;
        }
        now
    }

    pub(crate) fn available(&self, now: u128) -> u128 {
        let now = self.units(now);
        (now + self.interval() * self.permits).saturating_sub(self.arrival.max(now)) / self.interval()
    }

    pub(crate) fn acquire(&mut self, now: u128, n: u128, max_wait: u128) -> Answer {
        if n > self.permits {
            return Answer::Never;
        }
        if n == 0 {
            return Answer::Now;
        }
        let next = self.arrival.max(self.units(now)) + n * self.interval();
        let burst = self.interval() * self.permits;
        if next <= self.units(now) + burst {
            self.arrival = next;
            return Answer::Now;
        }
        let start = self.instant(next - burst);
        if start - now > max_wait {
            return Answer::Refused(start - now - max_wait);
        }
        self.arrival = next;
        Answer::At(start)
    }

    pub(crate) fn give_back(&mut self, n: u128) {
        self.arrival = self.arrival.saturating_sub(n * self.interval());
    }
}
