//! The only place that names atomics: `std`'s, or loom's when the crate is model-checked (`--cfg loom`).
//!
//! Policies take theirs from here too, so one flag turns the whole workspace into something loom can explore.

#[cfg(not(loom))]
use std::sync::TryLockError;
#[cfg(not(loom))]
pub use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, RwLock,
    atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence},
};

#[cfg(loom)]
pub use loom::sync::{
    Arc, Condvar, Mutex, MutexGuard, RwLock,
    atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence},
};

/// Declares values of each thread's own; under loom, of each modelled thread's.
#[cfg(not(loom))]
pub(crate) use std::thread_local as per_thread;

#[cfg(loom)]
macro_rules! per_thread {
    ($(static $name:ident: $type:ty = const { $init:expr };)+) => {
        loom::thread_local! { $(static $name: $type = $init;)+ }
    };
}

#[cfg(loom)]
pub(crate) use per_thread;

/// A count that many threads add to, and that one takes away now and then. For crates that cannot be model-checked because
/// what they rest on cannot.
#[derive(Debug)]
pub struct Counter(AtomicU64);

impl Default for Counter {
    fn default() -> Self {
        Self(AtomicU64::new(0))
    }
}

impl Counter {
    /// One more; returns how many there were before.
    pub fn add_one(&self) -> u64 {
        // Ordering: Relaxed; a count, and nothing hangs on it.
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// How many there were since the last time.
    pub fn take(&self) -> u64 {
        // Ordering: Relaxed; see add_one.
        self.0.swap(0, Ordering::Relaxed)
    }
}

/// Tells the processor (or loom's scheduler) that this thread spins.
#[inline]
pub fn spin_loop() {
    #[cfg(not(loom))]
    std::hint::spin_loop();
    #[cfg(loom)]
    loom::thread::yield_now();
}

/// How often a caller spins after a lost exchange: with two threads on one word, fewer were slower and more not much
/// faster.
const BACK_OFF: u32 = 32;

/// Leaves a word to others for a moment. Trying again at once would only move the cache line to and fro.
pub fn back_off() {
    for _ in 0..BACK_OFF {
        spin_loop();
    }
}

/// Threads: told apart, and one that gives way to others.
#[cfg(not(loom))]
pub use std::thread::{ThreadId, current as current_thread, yield_now};

#[cfg(loom)]
pub use loom::thread::{ThreadId, current as current_thread, yield_now};

/// Locks, whether or not a thread panicked while it held the lock: nothing behind our locks is left half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// As [`lock`], of what nobody holds for longer than some ten nanoseconds. Who finds it held leaves it to its holder for a
/// moment, who can come back some times before the cache line has to move; a lock that is handed on each time is slower
/// than one thread alone.
#[cfg(not(loom))]
#[inline(always)]
pub fn lock_briefly<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    try_lock(mutex).unwrap_or_else(|| lock_patiently(mutex))
}

#[cfg(loom)]
pub use lock as lock_briefly;

#[cfg(not(loom))]
#[cold]
#[inline(never)]
fn lock_patiently<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..PATIENCE {
        back_off();
        if let Some(guard) = try_lock(mutex) {
            return guard;
        }
    }
    lock(mutex) // whoever holds it has no processor
}

#[cfg(not(loom))]
#[inline(always)]
fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// How often a caller looks again whether a lock is free.
#[cfg(not(loom))]
const PATIENCE: u32 = 16;

/// Waits as long as `condition` holds, and no longer than `timeout` of real time.
#[cfg(not(loom))]
pub(crate) fn wait_while<'a, T>(
    changed: &Condvar,
    guard: MutexGuard<'a, T>,
    timeout: Option<std::time::Duration>,
    condition: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    use std::sync::PoisonError;

    match timeout {
        None => changed.wait_while(guard, condition).unwrap_or_else(PoisonError::into_inner),
        Some(timeout) => {
            changed.wait_timeout_while(guard, timeout, condition).unwrap_or_else(PoisonError::into_inner).0
        }
    }
}

/// Without the timeout: a model has no time.
#[cfg(loom)]
pub(crate) fn wait_while<'a, T>(
    changed: &Condvar,
    mut guard: MutexGuard<'a, T>,
    _: Option<std::time::Duration>,
    mut condition: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    while condition(&mut guard) {
        guard = changed.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner);
    }
    guard
}

/// A value alone on its cache lines, so that writers of a neighbour do not slow its readers.
///
/// 128 bytes: x86-64 fetches lines in pairs, and Apple's arm64 has lines of that size.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct OwnLine<T>(pub T);

impl<T> std::ops::Deref for OwnLine<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
