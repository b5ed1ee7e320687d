//! The place of one instance. Creating runs foreign code, so it happens under no lock: the slot is marked as taken,
//! and others wait on a condition. When a creation fails, one of those who wait creates.

use std::sync::PoisonError;

use super::{Instance, RegistryError};
use crate::{
    Code, ConfigError, Id, Problem,
    sync::{Condvar, Mutex, ThreadId, current_thread, lock},
};

#[derive(Default)]
pub(super) struct Slot {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
enum State {
    #[default]
    Empty,
    /// This thread creates the instance.
    Taken(ThreadId),
    Ready(Instance),
}

impl Slot {
    /// The instance, if it is ready.
    pub(super) fn instance(&self) -> Option<Instance> {
        match &*lock(&self.state) {
            State::Ready(instance) => Some(instance.clone()),
            _ => None,
        }
    }

    pub(super) fn get_or_create(
        &self,
        id: Id,
        create: impl FnOnce() -> Result<Instance, ConfigError>,
    ) -> Result<Instance, RegistryError> {
        let me = current_thread().id();
        let mut state = lock(&self.state);
        loop {
            match &*state {
                State::Ready(instance) => return Ok(instance.clone()),
                State::Empty => break,
                State::Taken(by) if *by == me => {
                    let allowed = "an instance that does not need itself in order to be created";
                    let problem = Problem::new(Code::InvalidConfig, "create", id.as_str(), allowed);
                    return Err(ConfigError::of(id.as_str(), problem).into());
                }
                State::Taken(_) => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
        *state = State::Taken(me);
        drop(state);

        let vacate = Vacate(self); // also if `create` panics
        let instance = create()?;
        *lock(&self.state) = State::Ready(instance.clone());
        drop(vacate);
        Ok(instance)
    }
}

/// Gives the slot up unless it is ready by now, and wakes those who wait for it.
struct Vacate<'a>(&'a Slot);

impl Drop for Vacate<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        if let State::Taken(_) = *state {
            *state = State::Empty;
        }
        drop(state);
        self.0.changed.notify_all();
    }
}
