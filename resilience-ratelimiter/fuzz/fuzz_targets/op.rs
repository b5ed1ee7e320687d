//! What the fuzzer chooses: any value, and more often a small one.

use std::time::Duration;

use arbitrary::Arbitrary;
use resilience_ratelimiter::Config;

#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) enum Op {
    Advance(Time),
    Try(Count),
    Acquire(Count),
    Execute(Count),
    Reserve(Count),
    /// Drops one of the futures that wait.
    DropFuture(u8),
    /// Cancels one of the reservations.
    Cancel(u8),
    Refund(Count),
    Reconfigure(Values),
}

/// A configuration, valid or not.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) struct Values {
    permits: Permits,
    period: Time,
    max_wait: Time,
    enabled: bool,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Permits {
    Few(u8),
    Any(u32),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) enum Count {
    Few(u8),
    Any(u64),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) enum Time {
    Nanos(u16),
    Millis(u16),
    Days(u16),
    Any(Duration),
}

impl Values {
    pub(crate) fn config(self) -> Config {
        let permits = match self.permits {
            Permits::Few(few) => few.into(),
            Permits::Any(any) => any,
        };
        Config { permits, period: self.period.get(), max_wait: self.max_wait.get(), enabled: self.enabled }
    }

    /// As the documentation of the keys has it.
    pub(crate) fn are_valid(self) -> bool {
        let Config { permits, period, .. } = self.config();
        let century = Duration::from_secs(100 * 31_557_600);
        (1..=1_000_000_000).contains(&permits) && period.as_nanos() >= permits.into() && period <= century
    }
}

impl Count {
    pub(crate) fn get(self) -> u64 {
        match self {
            Self::Few(few) => few.into(),
            Self::Any(any) => any,
        }
    }
}

impl Time {
    pub(crate) fn get(self) -> Duration {
        match self {
            Self::Nanos(nanos) => Duration::from_nanos(nanos.into()),
            Self::Millis(millis) => Duration::from_millis(millis.into()),
            Self::Days(days) => Duration::from_secs(24 * 60 * 60 * u64::from(days)),
            Self::Any(any) => any,
        }
    }
}
