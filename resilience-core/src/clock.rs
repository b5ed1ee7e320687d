//! The only reader of time. Decisions and waits of a policy use the same clock, so a test moves both.

mod custom;
mod manual;
mod system;
#[cfg(feature = "tokio")]
mod tokio;

use std::{fmt, sync::Arc, time::Duration};

use crate::{
    Nanos,
    timer::{Signal, Sleep, Timer},
};

pub use custom::TimeSource;
pub(crate) use manual::Entry as ManualEntry;
pub use manual::ManualClock;

/// Where a policy gets its time from, and how it waits: a cheap, cloneable value.
///
/// A clock is monotonic: a reading is never taken as earlier than one before it.
///
/// | made by | reads | waits on |
/// | --- | --- | --- |
/// | [`Clock::system`] (default) | the processor's time-stamp counter, `Instant` where that is not steady | inside a tokio runtime (feature `tokio`) its timer, which must be enabled; else a timer thread of our own |
/// | [`ManualClock::clock`] | what the test set | its own `advance` |
/// | `Clock::tokio` (feature `tokio`) | tokio's time, paused or not | tokio's timer |
/// | [`Clock::custom`] | your [`TimeSource`] | as `system` |
///
/// ```
/// use resilience_core::Clock;
///
/// let clock = Clock::system();
/// let before = clock.now();
/// assert!(clock.now() >= before);
/// ```
#[derive(Clone)]
pub struct Clock {
    source: Source,
    timer: Option<Arc<dyn Timer>>,
}

#[derive(Clone)]
pub(crate) enum Source {
    System(&'static system::System),
    Manual(ManualClock),
    #[cfg(feature = "tokio")]
    Tokio(Arc<tokio::Tokio>),
    Custom(Arc<custom::Guarded>),
}

impl Clock {
    /// The machine's monotonic clock. All system clocks of a process share one origin. Cost: 9 ns a reading where
    /// the time-stamp counter is steady, else that of `Instant::now`.
    pub fn system() -> Self {
        Self::from_source(Source::System(system::System::get()))
    }

    /// Tokio's clock, counted from now: `tokio::time::pause` and `advance` move decisions
    /// and waits together. Waits have tokio's grain of 1 ms.
    #[cfg(feature = "tokio")]
    pub fn tokio() -> Self {
        Self::from_source(Source::Tokio(Arc::new(tokio::Tokio::starting_now())))
    }

    /// Your own source of time, guarded: a step back counts as no time passed, and a panic in it as standing still.
    /// Waits sleep for real time, then take the moment they waited for as reached.
    ///
    /// ```
    /// use resilience_core::Clock;
    /// use std::time::Duration;
    ///
    /// let clock = Clock::custom(|| Duration::from_secs(7));
    /// assert_eq!(clock.now(), Duration::from_secs(7));
    /// ```
    pub fn custom(source: impl TimeSource) -> Self {
        Self::from_source(Source::Custom(Arc::new(custom::Guarded::new(source))))
    }

    /// Makes async waits use `timer` (for example that of another runtime). A manual clock keeps its own.
    #[must_use]
    pub fn with_timer(mut self, timer: impl Timer) -> Self {
        self.timer = Some(Arc::new(timer));
        self
    }

    fn from_source(source: Source) -> Self {
        Self { source, timer: None }
    }

    /// The time now.
    #[inline]
    pub fn now(&self) -> Nanos {
        match &self.source {
            Source::System(system) => system.now(),
            Source::Manual(manual) => manual.now(),
            #[cfg(feature = "tokio")]
            Source::Tokio(tokio) => tokio.now(),
            Source::Custom(custom) => custom.now(),
        }
    }

    /// A future that ends once this clock has reached `when`: on tokio's timer, on a manual clock's `advance`, and so
    /// on. Needs a heap block only for a timer of another runtime.
    ///
    /// ```
    /// use resilience_core::{Clock, Nanos};
    /// use std::time::Duration;
    ///
    /// # futures_lite::future::block_on(async {
    /// let clock = Clock::system();
    /// let start = clock.now();
    /// clock.sleep_until(start.after(Duration::from_millis(5))).await;
    /// assert!(clock.now().since(start) >= Duration::from_millis(4));
    /// # });
    /// ```
    pub fn sleep_until(&self, when: Nanos) -> Sleep {
        Sleep::new(self, when, true)
    }

    /// Whether both show the same time: the same manual, custom or tokio clock, or both the system's.
    pub fn is_same_as(&self, other: &Self) -> bool {
        match (&self.source, &other.source) {
            (Source::System(_), Source::System(_)) => true,
            (Source::Manual(one), Source::Manual(two)) => one.is_same_as(two),
            #[cfg(feature = "tokio")]
            (Source::Tokio(one), Source::Tokio(two)) => Arc::ptr_eq(one, two),
            (Source::Custom(one), Source::Custom(two)) => Arc::ptr_eq(one, two),
            _ => false,
        }
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn timer(&self) -> Option<&Arc<dyn Timer>> {
        self.timer.as_ref()
    }

    /// Keeps the caller's thread until `until` has come or `signal` was raised, and says what the time is then.
    pub(crate) fn block(&self, signal: &Signal, until: Nanos) -> Nanos {
        match &self.source {
            Source::System(_) => loop {
                let now = self.now();
                if now >= until || signal.wait(until.since(now)) {
                    return now;
                }
            },
            // Time moves only by hand here, and this thread is the hand.
            Source::Manual(manual) => {
                if !signal.take() && !manual.advance_towards(until) {
                    signal.wait(Duration::MAX);
                }
                self.now()
            }
            #[cfg(feature = "tokio")]
            Source::Tokio(_) => self.sleep_and_believe(signal, until),
            Source::Custom(_) => self.sleep_and_believe(signal, until),
        }
    }

    /// The clock may run at another pace than the thread sleeps (tokio's paused one stands still), so the sleep is
    /// believed: asking the clock again might never end.
    fn sleep_and_believe(&self, signal: &Signal, until: Nanos) -> Nanos {
        let now = self.now();
        let slept = now < until && !signal.wait(until.since(now));
        if slept { self.now().max(until) } else { self.now() }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl From<ManualClock> for Clock {
    fn from(manual: ManualClock) -> Self {
        Self::from_source(Source::Manual(manual))
    }
}

impl From<&ManualClock> for Clock {
    fn from(manual: &ManualClock) -> Self {
        manual.clone().into()
    }
}

impl From<&Clock> for Clock {
    fn from(clock: &Clock) -> Self {
        clock.clone()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match &self.source {
            Source::System(_) => "system",
            Source::Manual(_) => "manual",
            #[cfg(feature = "tokio")]
            Source::Tokio(_) => "tokio",
            Source::Custom(_) => "custom",
        };
        write!(f, "Clock({name} at {:?})", self.now())
    }
}
