//! Reading the sources into a live registry: everything is checked before anything changes.

use std::{fmt, sync::PoisonError};

use super::Sources;
use crate::{
    Code, Id, Problem,
    event::Payload,
    sync::{AtomicU64, Condvar, Mutex, MutexGuard, Ordering, ThreadId, current_thread, lock},
};

/// A key of a live instance that changed, or would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The kind of policy.
    pub kind: &'static str,
    /// The instance.
    pub instance: Id,
    /// The key.
    pub key: &'static str,
    /// Its value before.
    pub from: String,
    /// Its value now.
    pub to: String,
    /// Where the value was written; `None` if it is code's or the default.
    pub place: Option<String>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, instance, key, from, to, place } = self;
        write!(f, "{kind} `{}`: {key} {from} -> {to}", instance.escaped())?;
        place.as_ref().map_or(Ok(()), |place| write!(f, " ({place})"))
    }
}

/// What the sources made of the registry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reload {
    /// The keys that changed; none if the sources say what they said before.
    pub changes: Vec<Change>,
    /// What looks wrong and stops nothing.
    pub warnings: Vec<Problem>,
    /// Whether it was asked for in the middle of another reload, by a listener, and is done after that.
    pub deferred: bool,
}

/// R4C-CFG-004: the sources were refused as a whole, and the configuration is what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReloadError {
    problems: Vec<Problem>,
}

impl ReloadError {
    pub(crate) fn new(problems: Vec<Problem>) -> Self {
        Self { problems }
    }

    /// R4C-CFG-004.
    pub fn code(&self) -> Code {
        Code::ReloadRefused
    }

    /// All that is wrong, in all sources.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for ReloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.code().summary())?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl std::error::Error for ReloadError {}

/// A value in the sources that an instance ignores, since code locked it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The kind of policy.
    pub kind: &'static str,
    /// The instance.
    pub instance: Id,
    /// The key.
    pub key: &'static str,
    /// The value that is ignored.
    pub value: String,
    /// Where it was written.
    pub place: String,
}

/// How often the sources were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reloads {
    /// And taken.
    pub applied: u64,
    /// And refused.
    pub refused: u64,
}

/// What a registry publishes of its configuration, as the policy `config`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The sources were read and taken.
    Applied(Reload),
    /// The sources were refused; the last good configuration stays.
    Refused(ReloadError),
}

impl Payload for Event {
    fn name(&self) -> &'static str {
        match self {
            Self::Applied(_) => "applied",
            Self::Refused(_) => "refused",
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Applied(reload) if reload.changes.is_empty() => f.write_str("reloaded, nothing changed"),
            Self::Applied(reload) => {
                f.write_str("reloaded")?;
                reload.changes.iter().try_for_each(|change| write!(f, "; {change}"))
            }
            Self::Refused(error) => error.fmt(f),
        }
    }
}

/// One reload at a time. The lock is held by nobody while sources are read, instances change and listeners hear of it.
#[derive(Default)]
pub(crate) struct Reloading {
    state: Mutex<State>,
    changed: Condvar,
    applied: AtomicU64,
    refused: AtomicU64,
}

#[derive(Default)]
struct State {
    /// Those of the last `configure`.
    sources: Option<Sources>,
    running: Option<ThreadId>,
    /// What a listener asked for meanwhile.
    next: Next,
}

#[derive(Default)]
enum Next {
    #[default]
    Nothing,
    Reload,
    Configure(Sources),
}

/// A turn to reload.
pub(crate) struct Turn<'a> {
    reloading: &'a Reloading,
    pub(crate) sources: Sources,
}

impl Reloading {
    /// Waits for the turn; `None` if this thread is in the middle of one, which will go round again then.
    pub(crate) fn turn(&self, sources: Option<Sources>) -> Option<Turn<'_>> {
        let me = current_thread().id();
        let mut state = lock(&self.state);
        if state.running == Some(me) {
            match (sources, &state.next) {
                (Some(sources), _) => state.next = Next::Configure(sources),
                (None, Next::Nothing) => state.next = Next::Reload,
                (None, _) => {}
            }
            return None;
        }
        while state.running.is_some() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.running = Some(me);
        let sources = sources.or_else(|| state.sources.clone()).unwrap_or_default();
        Some(Turn { reloading: self, sources })
    }

    pub(crate) fn count(&self, applied: bool) {
        let count = if applied { &self.applied } else { &self.refused };
        // Ordering: Relaxed; a count.
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn reloads(&self) -> Reloads {
        // Ordering: Relaxed; a count.
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Reloads { applied: read(&self.applied), refused: read(&self.refused) }
    }
}

impl Turn<'_> {
    /// The sources were taken: a reload reads them from now on.
    pub(crate) fn keep(&self) {
        self.state().sources = Some(self.sources.clone());
    }

    /// Whether it is to go round again; then with what `sources` is now.
    pub(crate) fn again(&mut self) -> bool {
        let mut state = self.state();
        let sources = match std::mem::take(&mut state.next) {
            Next::Nothing => return false,
            Next::Reload => state.sources.clone().unwrap_or_default(),
            Next::Configure(sources) => sources,
        };
        drop(state);
        self.sources = sources;
        true
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.reloading.state)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.state().running = None;
        self.reloading.changed.notify_all();
    }
}
