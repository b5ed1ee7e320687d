use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::Wake,
    time::Duration,
};

/// What a thread waits on: raised by a waker, or given up when the time has passed.
///
/// A condition of its own, not `thread::park`, whose token belongs to the user's code.
#[derive(Default)]
pub(crate) struct Signal {
    raised: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    /// Waits until raised, at most `timeout`. Takes the signal down and says whether it was up.
    pub(crate) fn wait(&self, timeout: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), timeout, |raised| !*raised);
        std::mem::take(&mut waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Takes the signal down and says whether it was up.
    pub(crate) fn take(&self) -> bool {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        *self.lock() = true;
        self.changed.notify_one();
    }
}
