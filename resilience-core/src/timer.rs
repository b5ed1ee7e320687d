//! How drivers wait: [`Sleep`] for futures, [`Signal`] for threads.

mod signal;
mod thread;

use std::{
    fmt,
    mem::ManuallyDrop,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use pin_project_lite::pin_project;

use crate::{
    Nanos,
    clock::{Clock, ManualEntry, Source},
};

pub(crate) use signal::Signal;

/// The future of a [`Timer`].
pub type TimerFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Async waiting for runtimes we do not know; given to a clock with [`Clock::with_timer`].
///
/// Closures from a duration to a future are timers.
///
/// ```
/// use resilience_core::Clock;
///
/// let clock = Clock::system().with_timer(|_duration| async { /* your runtime's sleep(duration).await */ });
/// # drop(clock);
/// ```
pub trait Timer: Send + Sync + 'static {
    /// A future that ends after `duration`, not before.
    fn sleep(&self, duration: Duration) -> TimerFuture;
}

impl<F, Fut> Timer for F
where
    F: Fn(Duration) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    fn sleep(&self, duration: Duration) -> TimerFuture {
        Box::pin(self(duration))
    }
}

pin_project! {
    /// A wait until a moment of a clock: made by [`Clock::sleep_until`]. Dropping it takes its timer away.
    ///
    /// Once it has ended, the moment is taken as reached: `max(clock.now(), when)`. A clock that stands still while
    /// its timer fires (tokio's paused one, by up to a millisecond) would otherwise make the driver spin for ever.
    #[must_use = "futures do nothing unless polled"]
    pub struct Sleep {
        when: Nanos,
        #[pin]
        kind: Kind,
    }
}

pin_project! {
    #[project = KindProjection]
    enum Kind {
        Plain { timer: Plain },
        // Without tokio's cooperative budget: a busy inside must not starve the deadline of its own call.
        Tokio { #[pin] sleep: TokioSleep },
    }
}

#[cfg(feature = "tokio")]
type TokioSleep = tokio::task::coop::Unconstrained<tokio::time::Sleep>;
#[cfg(not(feature = "tokio"))]
type TokioSleep = std::future::Pending<()>;

impl Sleep {
    /// `advances`: whether waiting moves a manual clock that is made so.
    pub(crate) fn new(clock: &Clock, when: Nanos, advances: bool) -> Self {
        Self { when, kind: Kind::new(clock, when, advances) }
    }

    pub(crate) fn when(&self) -> Nanos {
        self.when
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.project().kind.project() {
            KindProjection::Plain { timer } => timer.poll(cx),
            KindProjection::Tokio { sleep } => sleep.poll(cx),
        }
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("when", &self.when).finish_non_exhaustive()
    }
}

impl Kind {
    fn new(clock: &Clock, when: Nanos, advances: bool) -> Self {
        if let Source::Manual(manual) = clock.source() {
            return Self::plain(Place::Manual(ManualEntry::new(manual.clone(), when, advances)));
        }
        let duration = when.since(clock.now());
        if let Some(timer) = clock.timer() {
            return Self::plain(Place::Foreign(timer.sleep(duration)));
        }
        #[cfg(feature = "tokio")]
        if matches!(clock.source(), Source::Tokio(_)) || tokio::runtime::Handle::try_current().is_ok() {
            return Self::Tokio { sleep: tokio::task::coop::unconstrained(tokio::time::sleep(duration)) };
        }
        Self::plain(Place::Thread(thread::Entry::new(duration)))
    }

    fn plain(place: Place) -> Self {
        Self::Plain { timer: Plain(ManuallyDrop::new(Some(place))) }
    }
}

/// A wait that can be moved, as tokio's cannot. Empty only once dropped.
struct Plain(ManuallyDrop<Option<Place>>);

/// Where it is registered.
enum Place {
    Manual(ManualEntry),
    Thread(thread::Entry),
    Foreign(TimerFuture),
}

impl Plain {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match self.0.as_mut().expect("empty only once dropped") {
            Place::Manual(entry) => entry.poll(cx),
            Place::Thread(entry) => entry.poll(cx),
            Place::Foreign(future) => future.as_mut().poll(cx),
        }
    }
}

impl Drop for Plain {
    /// Out of line, so that a call that never waited sees with one comparison that there is no timer.
    #[cold]
    #[inline(never)]
    fn drop(&mut self) {
        self.0.take();
    }
}
