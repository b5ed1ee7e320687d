//! The way to a file, over all symbolic links: what decides which file a path leads to.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

/// More links than systems follow.
const MOST_LINKS: usize = 64;

#[derive(Default)]
pub(super) struct Trail {
    /// Those that hold a link on the way, the file, or the first name that is missing.
    pub(super) directories: BTreeSet<PathBuf>,
    /// All names on the way.
    pub(super) names: BTreeSet<OsString>,
}

impl Trail {
    /// Adds the way to `file`.
    pub(super) fn follow(&mut self, file: &Path) {
        let Ok(file) = std::path::absolute(file) else { return };
        let (mut at, mut left, mut links) = (PathBuf::new(), steps(&file), 0);
        while let Some(step) = left.pop() {
            if step == ".." {
                at.pop();
                continue;
            }
            let path = at.join(&step);
            self.names.insert(step);
            let found = fs::symlink_metadata(&path);
            let link = found.as_ref().is_ok_and(fs::Metadata::is_symlink);
            // Links right below the root are the system's, and there is too much to hear there.
            if left.is_empty() || found.is_err() || (link && at.parent().is_some()) {
                self.directories.insert(at.clone());
            }
            match fs::read_link(&path) {
                Ok(target) if link && links < MOST_LINKS => {
                    links += 1;
                    left.extend(steps(&target));
                }
                _ if found.is_ok() => at = path,
                _ => return,
            }
        }
    }
}

/// The names in the path, the last one first.
fn steps(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter(|it| *it != Component::CurDir);
    names.map(|it| it.as_os_str().to_owned()).collect()
}
