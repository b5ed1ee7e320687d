//! Foreign code that must not hurt anybody else: listeners, wakers, clocks.

use std::{
    any::Any,
    mem,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    task::Waker,
};

/// Runs `op`; `None` if it panicked.
pub(crate) fn shield<T>(op: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(op)) {
        Ok(value) => Some(value),
        Err(payload) => {
            discard(payload);
            None
        }
    }
}

/// Drops what was thrown; if that throws again, it is kept for ever.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(payload);
    }
}

/// Wakes all of them, also if some panic; then the first panic goes on.
pub(crate) fn wake_all(wakers: impl IntoIterator<Item = Waker>) {
    let mut first = None;
    for waker in wakers {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
            match first {
                None => first = Some(payload),
                Some(_) => discard(payload),
            }
        }
    }
    if let Some(payload) = first {
        resume_unwind(payload);
    }
}
