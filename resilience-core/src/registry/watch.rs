//! Reloading when a file changes.

use std::{io, sync::Arc, time::Duration};

use super::Registry;
use crate::config::{Bell, Contents, Sources, Watch, Watcher};

/// Longer than those pauses in which a program that saves a file leaves it half written.
const SETTLE: Duration = Duration::from_millis(200);

impl Registry {
    /// Reloads whenever a file of the sources changes, until the watch is dropped or the registry is gone. On a thread
    /// of its own, which is where listeners hear of these reloads.
    ///
    /// It goes by the sources of the last [`Registry::configure`] that was taken, also of one to come, and waits until
    /// their files have been still for 200 ms, in real time.
    ///
    /// - Any way of saving is noticed: in place, by renaming over it, deleted and created again, by a symbolic link on
    ///   the way that leads elsewhere. So is what the platform does not tell, as with network file systems and where it
    ///   gives no watcher: for that, the files are looked at every 2 s.
    /// - A file that is missing or cannot be read counts as changed only if that lasts.
    /// - A refused reload (R4C-CFG-004) is told as one event, leaves the last good configuration, and ends nothing.
    /// - Files whose bytes are what they were, at the last reload of any kind, are not read again: no event. Other bytes
    ///   that say the same make an event without changes. The environment is read at each reload, and not watched.
    ///
    /// ```
    /// use resilience_core::{Registry, config::Sources};
    ///
    /// # let path = std::env::temp_dir().join(format!("resilience-watch-doc-{}.toml", std::process::id()));
    /// # std::fs::write(&path, "")?;
    /// let registry = Registry::new();
    /// registry.configure(Sources::new().file(&path).environment())?;
    /// let _watch = registry.watch()?;
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The operating system gives no thread.
    pub fn watch(&self) -> io::Result<Watch> {
        self.watch_with(SETTLE)
    }

    /// As [`Registry::watch`], with another time for which the files must have been still. Who saves a file with longer
    /// pauses in between should write another one and rename it.
    ///
    /// # Errors
    ///
    /// As [`Registry::watch`].
    pub fn watch_with(&self, settle: Duration) -> io::Result<Watch> {
        self.watcher(settle).start()
    }

    pub(crate) fn watcher(&self, settle: Duration) -> Watcher<impl Fn() -> Option<Self> + Send + 'static> {
        let registry = Arc::downgrade(&self.0);
        Watcher::new(move || registry.upgrade().map(Self), settle)
    }

    /// Rings for other sources, and when the registry is gone.
    pub(crate) fn tell(&self, bell: Bell) {
        self.0.layers.reloading.tell(bell);
    }

    /// Those of the last [`Registry::configure`] that was taken: to [`check`](Registry::check) them with one more.
    pub fn sources(&self) -> Option<Arc<Sources>> {
        self.0.layers.reloading.sources()
    }

    pub(crate) fn is_news(&self, sources: &Arc<Sources>, contents: &Contents) -> bool {
        self.0.layers.reloading.is_news(sources, contents)
    }

    /// Reloads with what is in the files, if that is still news.
    pub(crate) fn reload_with(&self, sources: &Arc<Sources>, contents: Contents) {
        if let Some(turn) = self.0.layers.reloading.turn_with(sources, contents) {
            drop(self.take(turn)); // both outcomes were told as events
        }
    }
}
