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
    /// Rings when it is dropped, after `stopped` was set.
    _bell: Bell,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Ordering: Release; pairs with the Acquire in Watcher::rest.
        self.stopped.store(true, Ordering::Release);
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

    /// Starts the thread; the bell is for the registry.
    pub(crate) fn start(self) -> io::Result<(Watch, Bell)> {
        let (sender, rung) = mpsc::sync_channel(1);
        let (bell, stopped) = (Bell(sender), Arc::new(AtomicBool::new(false)));
        let watch = Watch { stopped: Arc::clone(&stopped), _bell: bell.clone() };
        let (eyes, told) = (bell.clone(), self.told);
        thread::Builder::new().name("resilience-watch".into()).spawn(move || {
            let eyes = if told { Eyes::open(eyes) } else { Eyes::closed() };
            Watching { watcher: self, eyes, rung, stopped }.run()
        })?;
        Ok((watch, bell))
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
        path::PathBuf,
        sync::{Arc, mpsc},
        time::Duration,
    };

    use super::{Bell, Watch, Watcher};
    use crate::{
        Id, Registry,
        config::{Event, Sources},
        event::Subscription,
    };

    const SETTLE: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(60);

    /// An empty configuration, and what is told of it.
    fn service(name: &str) -> (Registry, PathBuf, mpsc::Receiver<Id>, Subscription) {
        let path = std::env::temp_dir().join(format!("resilience-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let registry = Registry::new();
        let file = path.join("app.toml");
        fs::write(&file, "").unwrap();
        registry.configure(Sources::new().file(&file)).unwrap();
        let (tell, told) = mpsc::channel();
        let listening = registry.events().subscribe(move |event| {
            assert!(matches!(event.payload(), Some(Event::Applied(_))), "{event}");
            tell.send(event.instance).unwrap();
        });
        (registry, file, told, listening)
    }

    fn start(registry: &Registry, look: Duration, told: bool) -> (Watch, Bell) {
        let weak = registry.downgrade();
        let watcher = Watcher { look, told, ..Watcher::new(weak, SETTLE) };
        let (watch, bell) = watcher.start().unwrap();
        registry.tell(bell.clone());
        (watch, bell)
    }
}
