//! Events on their way to whoever takes its time. The sender is a listener of the bus, and goes with it; the receiver
//! holds the subscription. Between them is a queue under a mutex, which is held for a push or a pop, never while a
//! payload is copied or dropped, a waker woken or a receiver waiting.

use std::{
    collections::VecDeque,
    fmt,
    future::poll_fn,
    task::{Context, Poll, Waker},
    time::Duration,
};

use super::{Event, Listener, OwnedEvent, Subscription};
use crate::{
    shield::shield,
    sync::{Arc, Condvar, Mutex, MutexGuard, lock, wait_while},
};

/// Why a receiver that did not wait, or not for ever, has no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecvError {
    /// There is none so far.
    Empty,
    /// There will be none: the bus is gone, and all it told is received.
    Closed,
}

impl fmt::Display for RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "no event so far",
            Self::Closed => "no more events: the bus is gone",
        })
    }
}

impl std::error::Error for RecvError {}

struct Channel {
    state: Mutex<State>,
    arrived: Condvar,
    capacity: usize,
}

#[derive(Default)]
struct State {
    queue: VecDeque<OwnedEvent>,
    dropped: u64,
    /// Of the task that waits.
    waker: Option<Waker>,
    /// Whether a thread waits. Without one, waking it would cost a call into the operating system for nothing.
    waits: bool,
    closed: bool,
}

impl State {
    fn next(&mut self) -> Result<OwnedEvent, RecvError> {
        self.queue.pop_front().ok_or(if self.closed { RecvError::Closed } else { RecvError::Empty })
    }

    /// Whom to wake. To be done after the lock is gone.
    fn waiting(&mut self) -> (Option<Waker>, bool) {
        (self.waker.take(), self.waits)
    }
}

impl Channel {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn wake(&self, (waker, waits): (Option<Waker>, bool)) {
        if waits {
            self.arrived.notify_all();
        }
        if let Some(waker) = waker {
            shield(|| waker.wake()); // foreign code
        }
    }
}

/// The end that listens to the bus.
pub(super) struct Sender(Arc<Channel>);

impl Listener for Sender {
    fn on_event(&self, event: &Event<'_>) {
        let Self(channel) = self;
        let has_room = |state: &mut State| {
            let room = state.queue.len() < channel.capacity;
            state.dropped += u64::from(!room);
            room
        };
        if !has_room(&mut channel.state()) {
            return;
        }
        let event = OwnedEvent::from(event);
        let mut state = channel.state();
        if has_room(&mut state) {
            state.queue.push_back(event);
            let waiting = state.waiting();
            drop(state);
            channel.wake(waiting);
        }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.closed = true;
        let waiting = state.waiting();
        drop(state);
        self.0.wake(waiting);
    }
}

/// The receiving end of a channel: made by [`Events::subscribe_channel`](super::Events::subscribe_channel). Dropping it
/// unsubscribes.
///
/// One consumer at a time, a thread or a task. It ends when the bus is gone, which is when its registry is and all
/// instances and pipelines are; what was told by then is still received.
///
/// As an iterator it gives what [`Receiver::recv`] gives; `poll_fn(|cx| receiver.poll_recv(cx))` of a crate for
/// streams makes it a stream.
#[must_use = "dropping it ends it"]
pub struct Receiver {
    /// Before the channel, so that no sender is left when that goes.
    _subscription: Subscription,
    channel: Arc<Channel>,
}

impl Receiver {
    pub(super) fn new(capacity: usize, subscribe: impl FnOnce(Sender) -> Subscription) -> Self {
        let channel = Channel { state: Mutex::default(), arrived: Condvar::new(), capacity: capacity.max(1) };
        let channel = Arc::new(channel);
        Self { _subscription: subscribe(Sender(Arc::clone(&channel))), channel }
    }

    /// Waits for the next event; `None` when there will be none.
    pub fn recv(&mut self) -> Option<OwnedEvent> {
        self.wait(None).ok()
    }

    /// Waits for the next event, at most this long, in real time.
    ///
    /// # Errors
    ///
    /// [`RecvError::Empty`] when the time is over, [`RecvError::Closed`] when there will be none.
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<OwnedEvent, RecvError> {
        self.wait(Some(timeout))
    }

    /// The next event, if there is one. Waits for nothing.
    ///
    /// # Errors
    ///
    /// [`RecvError::Empty`] if there is none so far, [`RecvError::Closed`] if there will be none.
    pub fn try_recv(&mut self) -> Result<OwnedEvent, RecvError> {
        self.channel.state().next()
    }

    /// Waits for the next event without a thread, on any executor; `None` when there will be none. Dropping the future
    /// loses nothing.
    pub async fn recv_async(&mut self) -> Option<OwnedEvent> {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// As [`Receiver::recv_async`], for futures written by hand.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<OwnedEvent>> {
        let waker = cx.waker().clone();
        let mut state = self.channel.state();
        let (polled, replaced) = match state.next() {
            Err(RecvError::Empty) => (Poll::Pending, state.waker.replace(waker)),
            next => (Poll::Ready(next.ok()), state.waker.take()),
        };
        drop(state);
        drop(replaced);
        polled
    }

    /// How many events came while it was full, and are lost.
    pub fn dropped(&self) -> u64 {
        self.channel.state().dropped
    }

    /// How many events are there to be received.
    pub fn len(&self) -> usize {
        self.channel.state().queue.len()
    }

    /// Whether there are none to be received.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<OwnedEvent, RecvError> {
        let mut state = self.channel.state();
        state.waits = true;
        let is_idle = |state: &mut State| state.queue.is_empty() && !state.closed;
        let mut state = wait_while(&self.channel.arrived, state, timeout, is_idle);
        state.waits = false;
        state.next()
    }
}

impl Iterator for Receiver {
    type Item = OwnedEvent;

    fn next(&mut self) -> Option<OwnedEvent> {
        self.recv()
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, dropped, capacity) = (self.len(), self.dropped(), self.channel.capacity);
        f.debug_struct("Receiver")
            .field("len", &len)
            .field("capacity", &capacity)
            .field("dropped", &dropped)
            .finish_non_exhaustive()
    }
}
