//! Reading the sources into a live registry: everything is checked before anything changes.

use std::{
    fmt,
    sync::{Arc, PoisonError},
};

use super::{Sources, sources::Contents, watch::Bell};
use crate::{
    Code, Id, Problem,
    event::{Fields, Level, Payload, Value},
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

impl Change {
    fn fields(&self) -> Fields<'_> {
        let Self { kind, instance, key, from, to, place } = self;
        vec![
            ("kind", (*kind).into()),
            ("instance", (*instance).into()),
            ("key", (*key).into()),
            ("from", from.as_str().into()),
            ("to", to.as_str().into()),
            ("place", place.as_deref().into()),
        ]
    }
}

fn problems(problems: &[Problem]) -> Value<'_> {
    let fields = |it: &Problem| {
        vec![("code", it.code.into()), ("path", it.path.clone().into()), ("text", it.to_string().into())]
    };
    Value::Rows(problems.iter().map(fields).collect())
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
///
/// `Debug` says what `Display` says, one problem per line: it is what `main` and `unwrap` show.
#[derive(Clone, PartialEq, Eq)]
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

impl fmt::Debug for ReloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
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

    fn level(&self) -> Level {
        match self {
            Self::Applied(reload) if reload.warnings.is_empty() => Level::Info,
            _ => Level::Warn,
        }
    }

    fn fields(&self) -> Fields<'_> {
        match self {
            Self::Applied(reload) => vec![
                ("changes", Value::Rows(reload.changes.iter().map(Change::fields).collect())),
                ("warnings", problems(&reload.warnings)),
            ],
            Self::Refused(error) => vec![("code", error.code().into()), ("problems", problems(error.problems()))],
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
    sources: Option<Arc<Sources>>,
    /// What was in their files when they were last taken or refused.
    contents: Contents,
    running: Option<ThreadId>,
    /// What a listener asked for meanwhile.
    next: Next,
    /// Those who want to know of other sources, and when the registry is gone.
    watches: Vec<Bell>,
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
    pub(crate) sources: Arc<Sources>,
    /// What is in the files; read if it is not known yet.
    known: Option<Contents>,
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
        let sources = sources.map(Arc::new).or_else(|| state.sources.clone()).unwrap_or_default();
        Some(Turn { reloading: self, sources, known: None })
    }

    /// Waits for the turn to reload with what is in the files of the sources; `None` if that is no news by then.
    pub(crate) fn turn_with(&self, sources: &Arc<Sources>, contents: Contents) -> Option<Turn<'_>> {
        let mut turn = self.turn(None)?;
        if !self.is_news(sources, &contents) {
            return None;
        }
        turn.known = Some(contents);
        Some(turn)
    }

    /// Whether these are still the sources, and what is in their files is not what was taken or refused last.
    pub(crate) fn is_news(&self, sources: &Arc<Sources>, contents: &Contents) -> bool {
        let state = lock(&self.state);
        state.sources.as_ref().is_some_and(|now| Arc::ptr_eq(now, sources)) && state.contents != *contents
    }

    /// Those of the last `configure` that was taken.
    pub(crate) fn sources(&self) -> Option<Arc<Sources>> {
        lock(&self.state).sources.clone()
    }

    /// Rings for other sources, and when the registry is gone.
    pub(crate) fn tell(&self, bell: Bell) {
        let watches = &mut lock(&self.state).watches;
        watches.retain(Bell::ring);
        watches.push(bell);
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
    /// What is in the files.
    pub(crate) fn contents(&mut self) -> Contents {
        self.known.take().unwrap_or_else(|| self.sources.contents())
    }

    /// The sources were taken, and a reload reads them from now on; or they were refused.
    pub(crate) fn judged(&self, contents: Contents, taken: bool) {
        let mut state = self.state();
        let same = state.sources.as_ref().is_some_and(|now| Arc::ptr_eq(now, &self.sources));
        if taken && !same {
            state.sources = Some(Arc::clone(&self.sources));
            state.watches.retain(Bell::ring);
        }
        if taken || same {
            state.contents = contents;
        }
    }

    /// Whether it is to go round again; then with what `sources` is now.
    pub(crate) fn again(&mut self) -> bool {
        let mut state = self.state();
        let sources = match std::mem::take(&mut state.next) {
            Next::Nothing => return false,
            Next::Reload => state.sources.clone().unwrap_or_default(),
            Next::Configure(sources) => Arc::new(sources),
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
