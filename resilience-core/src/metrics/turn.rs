//! One thread at a time, without a lock that is held while foreign code runs.

use std::{
    ops::{Deref, DerefMut},
    sync::PoisonError,
};

use crate::sync::{Condvar, Mutex, ThreadId, current_thread, lock};

/// Lends a value to one thread after the other.
#[derive(Default)]
pub(super) struct Turns<T> {
    place: Mutex<Place<T>>,
    returned: Condvar,
}

enum Place<T> {
    Here(T),
    With(ThreadId),
}

impl<T: Default> Default for Place<T> {
    fn default() -> Self {
        Self::Here(T::default())
    }
}

/// The value, until it is dropped; a panic gives it back too.
pub(super) struct Turn<'a, T> {
    turns: &'a Turns<T>,
    /// Taken when it is given back.
    value: Option<T>,
}

impl<T> Turns<T> {
    /// Waits for the value; `None` if this very thread has it.
    pub(super) fn take(&self) -> Option<Turn<'_, T>> {
        let me = current_thread().id();
        let mut place = lock(&self.place);
        loop {
            match std::mem::replace(&mut *place, Place::With(me)) {
                Place::Here(value) => return Some(Turn { turns: self, value: Some(value) }),
                Place::With(thread) => *place = Place::With(thread),
            }
            if matches!(*place, Place::With(thread) if thread == me) {
                return None;
            }
            place = self.returned.wait(place).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("given back by the drop only")
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("given back by the drop only")
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            *lock(&self.turns.place) = Place::Here(value);
            self.turns.returned.notify_one();
        }
    }
}
