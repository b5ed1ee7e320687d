//! Watching files: what the platform tells is a reason to look, and what is seen decides.
//!
//! A reload takes exactly the bytes that were seen twice, a settle time apart, with no word of a change in between. So
//! it does not matter how late, how often or whether at all the platform tells.

mod eyes;
mod sight;
mod trail;
mod watcher;

use std::{
    fmt,
    sync::{
        Arc,
        mpsc::{SyncSender, TrySendError},
    },
};

use crate::sync::{AtomicBool, Ordering};

pub(crate) use watcher::Watcher;

/// Keeps the files watched, as [`Registry::watch`](crate::Registry::watch) says; dropping it ends that. It may be
/// dropped anywhere, also inside a listener, and waits for nothing: a reload that has begun by then runs to its end.
#[must_use = "keep it in a variable or a field: dropping it ends it, and `let _ =` drops it at once"]
pub struct Watch {
    stopped: Arc<AtomicBool>,
    bell: Bell,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Ordering: Release; pairs with the Acquire in Watching::rest.
        self.stopped.store(true, Ordering::Release);
        self.bell.ring();
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// Wakes the thread of a watch; also when it is dropped, for whoever held it is gone then. Never waits.
#[derive(Clone)]
pub(crate) struct Bell(SyncSender<()>);

impl Bell {
    /// Whether there is still somebody to hear it.
    pub(crate) fn ring(&self) -> bool {
        // Full: it rings already.
        !matches!(self.0.try_send(()), Err(TrySendError::Disconnected(())))
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.ring();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
        sync::mpsc,
        time::Duration,
    };

    use super::Bell;
    use crate::{Registry, config::Sources};

    const SOON: Duration = Duration::from_millis(20);
    const SETTLE: Duration = Duration::from_millis(200);
    const LONG: Duration = Duration::from_secs(60);

    /// A registry with an empty file of its own.
    fn configured(name: &str) -> (Registry, PathBuf) {
        let path = std::env::temp_dir().join(format!("resilience-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let (registry, file) = (Registry::new(), path.join("app.toml"));
        fs::write(&file, "").unwrap();
        registry.configure(Sources::new().file(&file)).unwrap();
        (registry, file)
    }

    /// Saves three times, and sees a reload each time; after another event only if saving took longer than the settle
    /// time, on a busy machine.
    fn notices(registry: &Registry, save: impl Fn(&str)) {
        let (tell, told) = mpsc::channel();
        let _listening = registry.events().subscribe(move |event| tell.send(event.payload.to_string()).unwrap());
        for text in ["# 1", "# 2", "# 3"] {
            let begun = registry.clock().now();
            save(text);
            let in_time = registry.clock().now().since(begun) < SETTLE;
            let mut event = told.recv_timeout(LONG).unwrap();
            while !in_time && event != "reloaded, nothing changed" {
                event = told.recv_timeout(LONG).unwrap();
            }
            assert_eq!(event, "reloaded, nothing changed");
        }
    }

    fn remove(file: &Path) {
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }

    /// The thread ends, and with it what hears the bell.
    fn ends(bell: &Bell) {
        while bell.ring() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_the_platform_tells_is_enough() {
        let (registry, file) = configured("told");
        let mut watcher = registry.watcher(SETTLE);
        watcher.look = Duration::MAX;
        let _watch = watcher.start().unwrap();
        let next = file.with_extension("next");
        notices(&registry, |text| fs::write(&file, text).unwrap());
        notices(&registry, |text| {
            fs::write(&next, text).unwrap();
            fs::rename(&next, &file).unwrap();
        });
        notices(&registry, |text| {
            fs::remove_file(&file).unwrap();
            fs::write(&file, text).unwrap();
        });
        notices(&registry, |text| {
            remove(&file);
            fs::create_dir(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
        });
        remove(&file);
    }

    /// As Kubernetes does it.
    #[cfg(unix)]
    #[test]
    fn what_the_platform_tells_of_links_is_enough() {
        use std::os::unix::fs::symlink;

        let (registry, file) = configured("linked");
        let folder = file.parent().unwrap();
        let swap = |text: &str| {
            let version = folder.join(format!("..v{text}"));
            fs::create_dir_all(&version).unwrap();
            fs::write(version.join("app.toml"), text).unwrap();
            symlink(&version, folder.join("..data_tmp")).unwrap();
            fs::rename(folder.join("..data_tmp"), folder.join("..data")).unwrap();
        };
        swap("");
        fs::remove_file(&file).unwrap();
        symlink("..data/app.toml", &file).unwrap();
        let mut watcher = registry.watcher(SETTLE);
        watcher.look = Duration::MAX;
        let _watch = watcher.start().unwrap();
        notices(&registry, swap);
        notices(&registry, |text| fs::write(folder.join("..data/app.toml"), text).unwrap());
        // The link above the file, rather than one in its place.
        registry.configure(Sources::new().file(folder.join("..data/app.toml"))).unwrap();
        notices(&registry, swap);
        remove(&file);
    }

    #[test]
    fn other_sources_are_watched_at_once() {
        let ((registry, file), (_, other)) = (configured("before"), configured("after"));
        let mut watcher = registry.watcher(SETTLE);
        watcher.look = Duration::MAX;
        let _watch = watcher.start().unwrap();
        notices(&registry, |text| fs::write(&file, text).unwrap());
        registry.configure(Sources::new().file(&other)).unwrap();
        notices(&registry, |text| fs::write(&other, text).unwrap());
        for file in [file, other] {
            remove(&file);
        }
    }

    #[test]
    fn looking_is_enough_where_the_platform_tells_nothing() {
        let (registry, file) = configured("looked-at");
        let mut watcher = registry.watcher(SETTLE);
        (watcher.told, watcher.look) = (false, SOON);
        let _watch = watcher.start().unwrap();
        notices(&registry, |text| fs::write(&file, text).unwrap());
        remove(&file);
    }

    #[test]
    fn the_thread_ends_with_the_watch() {
        let registry = Registry::new();
        let watch = registry.watch().unwrap();
        let bell = watch.bell.clone();
        drop(watch);
        ends(&bell);
    }

    #[test]
    fn the_thread_ends_with_the_registry() {
        let registry = Registry::new();
        let mut watcher = registry.watcher(SOON);
        watcher.look = Duration::MAX;
        let watch = watcher.start().unwrap();
        drop(registry);
        ends(&watch.bell);
    }

    /// Which may be from inside its own thread, in the middle of a reload.
    #[test]
    fn a_registry_whose_listener_holds_the_watch_goes_with_it() {
        let (registry, file) = configured("held");
        let watch = registry.watcher(SOON).start().unwrap();
        let bell = watch.bell.clone();
        let slot = std::sync::Mutex::new(Some((registry.clone(), watch)));
        let (tell, told) = mpsc::channel();
        let listening = registry.events().subscribe(move |_| {
            drop(slot.lock().unwrap().take());
            tell.send(()).unwrap();
        });
        std::mem::forget(listening);
        drop(registry);
        fs::write(&file, "# 1").unwrap();
        told.recv_timeout(LONG).unwrap();
        ends(&bell);
        remove(&file);
    }
}
