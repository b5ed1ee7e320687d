//! What there is to see of the files.

use std::{fs, sync::Arc};

use crate::config::{Sources, sources::Contents};

/// What was seen of the files.
pub(super) struct Sight {
    pub(super) sources: Arc<Sources>,
    pub(super) contents: Contents,
    files: Vec<Option<fs::Metadata>>,
}

impl Sight {
    /// What is there now. When it was written is asked before it is read: what is written in between differs from the
    /// next sight then.
    pub(super) fn of(sources: Arc<Sources>) -> Self {
        let files = sources.paths().map(|path| fs::metadata(path).ok()).collect();
        Self { files, contents: sources.contents(), sources }
    }

    /// Whether nothing was written in between. The same bytes are not enough: a file may be half written twice in the
    /// same way.
    pub(super) fn is_as(&self, before: &Self) -> bool {
        Arc::ptr_eq(&self.sources, &before.sources)
            && self.contents == before.contents
            && self.written().eq(before.written())
    }

    /// When each file was written; only ever compared with itself, whatever the time of day.
    fn written(&self) -> impl Iterator<Item = Option<impl PartialEq>> {
        self.files.iter().map(|file| file.as_ref().and_then(|file| file.modified().ok()))
    }
}

#[cfg(test)]
mod tests {
    use std::{fs::File, sync::Arc, time::Duration};

    use super::Sight;
    use crate::config::Sources;

    #[test]
    fn the_same_bytes_written_again_are_another_sight() {
        let path = std::env::temp_dir().join(format!("resilience-sight-{}.toml", std::process::id()));
        let file = File::create(&path).unwrap();
        let sources = Arc::new(Sources::new().file(&path));
        let look = || Sight::of(Arc::clone(&sources));
        let before = look();
        assert!(look().is_as(&before));
        let written = file.metadata().and_then(|it| it.modified()).unwrap();
        file.set_modified(written + Duration::from_secs(1)).unwrap();
        assert!(!look().is_as(&before));
        std::fs::remove_file(&path).unwrap();
        assert!(!look().is_as(&before));
    }
}
