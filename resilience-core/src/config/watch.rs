//! Watching files: what the platform tells is a reason to look, and what is seen decides.
//!
//! A reload takes exactly the bytes that were seen twice, a settle time apart, with no word of a change in between. So
//! it does not matter how late, how often or whether at all the platform tells.

mod eyes;
mod trail;

use std::{
    fmt, fs, io,
    sync::{
        Arc,
        mpsc::{self, Receiver, SyncSender, TrySendError},
    },
    thread,
    time::Duration,
};

use super::{Sources, sources::Contents};
use crate::{
    Registry,
    shield::shield,
    sync::{AtomicBool, Ordering},
};
use eyes::Eyes;

/// How often the files are looked at without being told.
const LOOK: Duration = Duration::from_secs(2);

/// Keeps the files watched, as [`Registry::watch`] says; dropping it ends that, at once and from anywhere, also from
/// inside a listener. A reload that has begun by then runs to its end.
#[must_use = "keep it in a variable or a field: dropping it ends it, and `let _ =` drops it at once"]
pub struct Watch {
    stopped: Arc<AtomicBool>,
    bell: Bell,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Ordering: Release; pairs with the Acquire in Watcher::rest.
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

/// The thread of a watch. `R` gives the registry as long as it is there.
pub(crate) struct Watcher<R> {
    registry: R,
    settle: Duration,
    look: Duration,
    /// Whether the platform is asked to tell.
    told: bool,
}

impl<R: Fn() -> Option<Registry> + Send + 'static> Watcher<R> {
    pub(crate) fn new(registry: R, settle: Duration) -> Self {
        Self { registry, settle, look: LOOK, told: true }
    }

    pub(crate) fn start(self) -> io::Result<Watch> {
        let (sender, rung) = mpsc::sync_channel(1);
        let (bell, stopped) = (Bell(sender), Arc::new(AtomicBool::new(false)));
        let watch = Watch { stopped: Arc::clone(&stopped), bell: bell.clone() };
        if let Some(registry) = (self.registry)() {
            registry.tell(bell.clone());
        }
        thread::Builder::new().name("resilience-watch".into()).spawn(move || {
            let eyes = if self.told { Eyes::open(bell) } else { Eyes::closed() };
            Watching { watcher: self, eyes, rung, stopped }.run()
        })?;
        Ok(watch)
    }
}

struct Watching<R> {
    watcher: Watcher<R>,
    eyes: Eyes,
    rung: Receiver<()>,
    stopped: Arc<AtomicBool>,
}

/// The watch was dropped, or the registry is gone.
struct Over;

impl<R: Fn() -> Option<Registry>> Watching<R> {
    fn run(mut self) {
        let mut rung = true;
        while let Ok(again) = self.round(rung) {
            rung = again;
        }
    }

    /// Looks, reloads if there is news, and rests; whether the bell rang.
    fn round(&mut self, rung: bool) -> Result<bool, Over> {
        let mut sight = self.look(rung)?;
        if self.is_news(&sight)? {
            while self.rest(self.watcher.settle)? || !self.look(true)?.is_still(&mut sight) {}
            let Sight { sources, contents, .. } = sight;
            let registry = self.registry()?;
            // A policy of somebody else may panic; watching goes on.
            shield(|| registry.reload_with(&sources, contents));
        }
        self.rest(self.watcher.look)
    }

    /// What is in the files now. First the eyes turn to where they are, so that whatever changes later is told.
    fn look(&mut self, turn: bool) -> Result<Sight, Over> {
        let sources = self.registry()?.sources().unwrap_or_default();
        if turn {
            self.eyes.turn(sources.paths());
        }
        Ok(Sight::of(sources))
    }

    fn is_news(&self, sight: &Sight) -> Result<bool, Over> {
        Ok(self.registry()?.is_news(&sight.sources, &sight.contents))
    }

    fn registry(&self) -> Result<Registry, Over> {
        (self.watcher.registry)().ok_or(Over)
    }

    /// Waits for the bell, this long at most; whether it rang.
    fn rest(&self, most: Duration) -> Result<bool, Over> {
        let rung = self.rung.recv_timeout(most).is_ok();
        // Ordering: Acquire; pairs with the Release in the drop of the watch, which rings after that.
        if self.stopped.load(Ordering::Acquire) { Err(Over) } else { Ok(rung) }
    }
}

/// What was seen of the files.
struct Sight {
    sources: Arc<Sources>,
    files: Vec<Option<fs::Metadata>>,
    contents: Contents,
}

impl Sight {
    fn of(sources: Arc<Sources>) -> Self {
        let files = sources.paths().map(|path| fs::metadata(path).ok()).collect();
        Self { files, contents: sources.contents(), sources }
    }

    /// Whether nothing was written since `before`, which becomes this otherwise. The same bytes are not enough: a file
    /// may be half written twice in the same way.
    fn is_still(self, before: &mut Self) -> bool {
        let written = |sight: &Self| -> Vec<_> {
            let files = sight.files.iter().map(Option::as_ref);
            files.map(|file| file.and_then(|file| file.modified().ok())).collect()
        };
        let still = Arc::ptr_eq(&self.sources, &before.sources)
            && self.contents == before.contents
            && written(&self) == written(before);
        *before = self;
        still
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

    /// Changes the file three times, and sees a reload each time.
    fn notices(registry: &Registry, file: &Path) {
        let (tell, told) = mpsc::channel();
        let _listening = registry.events().subscribe(move |event| tell.send(event.payload.to_string()).unwrap());
        for line in ["# 1", "# 2", "# 3"] {
            fs::write(file, line).unwrap();
            assert_eq!(told.recv_timeout(LONG).unwrap(), "reloaded, nothing changed");
        }
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
        let mut watcher = registry.watcher(SOON);
        watcher.look = Duration::MAX;
        let _watch = watcher.start().unwrap();
        notices(&registry, &file);
    }

    #[test]
    fn looking_is_enough_where_the_platform_tells_nothing() {
        let (registry, file) = configured("looked-at");
        let mut watcher = registry.watcher(SOON);
        (watcher.told, watcher.look) = (false, SOON);
        let _watch = watcher.start().unwrap();
        notices(&registry, &file);
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
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }
}
