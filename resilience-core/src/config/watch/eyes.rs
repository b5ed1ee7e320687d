//! What the platform tells of the files.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use notify::{
    EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};

use super::{Bell, trail::Trail};
use crate::sync::{Mutex, lock};

/// Rings when something happens on the way to a file. Best effort: it may ring for nothing, and be silent.
pub(super) struct Eyes {
    watcher: Option<RecommendedWatcher>,
    directories: BTreeSet<PathBuf>,
    names: Names,
}

/// Those on the way. The directories are not compared: the platform may spell them in its own way.
type Names = Arc<Mutex<BTreeSet<OsString>>>;

impl Eyes {
    pub(super) fn open(bell: Bell) -> Self {
        let names = Names::default();
        let ours = Arc::clone(&names);
        let watcher = notify::recommended_watcher(move |told: notify::Result<notify::Event>| {
            if told.map_or(true, |event| matters(&event, &ours)) {
                bell.ring();
            }
        });
        Self { watcher: watcher.ok(), names, ..Self::closed() }
    }

    /// Tell nothing.
    pub(super) fn closed() -> Self {
        Self { watcher: None, directories: BTreeSet::new(), names: Names::default() }
    }

    /// Turns to the ways that lead to these files now.
    pub(super) fn turn<'a>(&mut self, files: impl Iterator<Item = &'a Path>) {
        let Some(watcher) = &mut self.watcher else { return };
        let mut trail = Trail::default();
        files.for_each(|file| trail.follow(file));
        *lock(&self.names) = trail.names;
        // All of them anew: another directory may have the path by now. Those that cannot be watched are looked at.
        for old in &self.directories {
            let _ = watcher.unwatch(old);
        }
        for new in &trail.directories {
            let _ = watcher.watch(new, RecursiveMode::NonRecursive);
        }
        self.directories = trail.directories;
    }
}

/// Not the reading of files, which looking does, too, and not the neighbours of ours.
fn matters(event: &notify::Event, names: &Names) -> bool {
    if let EventKind::Access(access) = event.kind {
        if access != AccessKind::Close(AccessMode::Write) {
            return false;
        }
    }
    let names = lock(names);
    event.need_rescan() || event.paths.iter().any(|path| path.file_name().is_some_and(|name| names.contains(name)))
}
