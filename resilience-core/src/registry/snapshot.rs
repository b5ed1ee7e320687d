use std::{any::Any, fmt};

use super::Managed;
use crate::{Id, any::AsAny};

/// What all instances of a registry showed at one time, by kind and id.
///
/// Each policy crate adds a method for its own: `snapshot.rate_limiters()`, ..
pub struct Snapshot(Vec<Entry>);

pub(super) struct Entry {
    kind: &'static str,
    id: Id,
    shown: Box<dyn Shown>,
}

/// A snapshot of any type.
trait Shown: AsAny + fmt::Debug + Send + Sync {}

impl<T: AsAny + fmt::Debug + Send + Sync> Shown for T {}

pub(super) fn of<P: Managed>(policy: &(dyn Any + Send + Sync)) -> Entry {
    let policy = policy.downcast_ref::<P>().expect("stored together with this function");
    Entry { kind: P::KIND, id: policy.id(), shown: Box::new(policy.snapshot()) }
}

impl Snapshot {
    pub(super) fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by_key(|entry| (entry.kind, entry.id));
        Self(entries)
    }

    /// The snapshots of one type, by id.
    pub fn list<T: 'static>(&self) -> Vec<&T> {
        self.0.iter().filter_map(|entry| (*entry.shown).as_any().downcast_ref()).collect()
    }

    /// The kind and id of every instance.
    pub fn instances(&self) -> impl Iterator<Item = (&'static str, Id)> + '_ {
        self.0.iter().map(|entry| (entry.kind, entry.id))
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|entry| &entry.shown)).finish()
    }
}
