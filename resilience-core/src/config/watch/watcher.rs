//! The thread of a watch.

use std::{
    io,
    sync::{
        Arc,
        mpsc::{self, Receiver},
    },
    thread,
    time::Duration,
};

use super::{Bell, Watch, eyes::Eyes, sight::Sight};
use crate::{
    Registry,
    shield::shield,
    sync::{AtomicBool, Ordering},
};

/// How often the files are looked at without being told.
const LOOK: Duration = Duration::from_secs(2);

/// A watch that has not begun. `R` gives the registry as long as it is there.
pub(crate) struct Watcher<R> {
    registry: R,
    settle: Duration,
    pub(super) look: Duration,
    /// Whether the platform is asked to tell.
    pub(super) told: bool,
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
            Watching { watcher: self, eyes, rung, stopped }.run();
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
        let sight = self.look(rung)?;
        if self.registry()?.is_news(&sight.sources, &sight.contents) {
            let Sight { sources, contents, .. } = self.settled(sight)?;
            let registry = self.registry()?;
            // A policy of somebody else may panic; watching goes on.
            shield(|| registry.reload_with(&sources, contents));
        }
        self.rest(self.watcher.look)
    }

    /// What is in the files once they are still.
    fn settled(&mut self, mut before: Sight) -> Result<Sight, Over> {
        loop {
            let rung = self.rest(self.watcher.settle)?;
            let now = self.look(true)?;
            if !rung && now.is_as(&before) {
                return Ok(now);
            }
            before = now;
        }
    }

    /// What is in the files now. First the eyes turn to where they are, so that whatever changes later is told.
    fn look(&mut self, turn: bool) -> Result<Sight, Over> {
        let sources = self.registry()?.sources().unwrap_or_default();
        if turn {
            self.eyes.turn(sources.paths());
        }
        Ok(Sight::of(sources))
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
