//! Who looks, and the sampler that runs as long as somebody does.
//!
//! One task takes a snapshot per tick and puts the changes into the channel of each open page. A page that does not read
//! finds its channel closed once that is full: nobody waits for it. The tempting race is a page that comes while the
//! sampler ends: both look at the list of pages under the one lock, so either sees the other.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, MutexGuard},
    time::Duration,
};

use axum::body::Bytes;
use resilience_core::{
    Registry, Snapshot,
    event::{Filter, Level, RecentEvents, Subscription},
    sync::{Mutex, lock},
};
use tokio::sync::mpsc;

use crate::{
    board::{Board, NEWS, Offers},
    frame,
    tally::{self, Ear, News, Tally},
};

pub(crate) const TICK: Duration = Duration::from_secs(1);
/// The kind under which reloads are told.
const CONFIG: &str = "config";
/// Frames that a page may be behind, before it is dropped.
const BACKLOG: usize = 8;
/// Ticks without a page before the sampler ends: whoever reloads the page finds its last two minutes again.
const LINGER: u32 = 5;
/// Ticks after which a page may lose its place to one that comes when there is none. What lies between us and a browser that
/// is stuck takes small frames for a long time, so not reading alone would let it keep its place.
const OURS: u32 = 60;

pub(crate) struct Hub {
    registry: Registry,
    max_clients: usize,
    /// The last reloads and actions, which matter also if nobody looked.
    past: RecentEvents,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// In the order in which they came.
    pages: Vec<Page>,
    /// While the sampler runs.
    running: Option<Running>,
    closed: bool,
}

struct Page {
    frames: mpsc::Sender<Bytes>,
    ticks: u32,
}

struct Running {
    board: Board,
    /// What a page that comes before the next tick is sent: made once, however many come.
    all: Option<Bytes>,
    tally: Arc<Tally>,
    _listening: Subscription,
    idle: u32,
}

/// Why there is no page.
#[derive(Debug)]
pub(crate) enum Refused {
    /// There is no room for one more.
    Full,
    /// A policy that is not ours panicked when it was asked what it shows.
    Broken,
}

impl State {
    /// Whether there is a place for one more page. A browser that reads asks again when it lost its own; one that is stuck
    /// does not.
    fn makes_room(&mut self, max_clients: usize) -> bool {
        if self.pages.len() >= max_clients && self.pages.first().is_some_and(|oldest| oldest.ticks >= OURS) {
            self.pages.remove(0);
        }
        self.pages.len() < max_clients
    }
}

impl Hub {
    pub(crate) fn new(registry: Registry, max_clients: usize) -> Self {
        let filter = Filter::new().policy(CONFIG).policy(crate::audit::KIND).level(Level::Info);
        let past = registry.events().filtered(filter).recent(NEWS);
        Self { registry, max_clients, past, state: Mutex::default() }
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The last reloads, the latest first.
    pub(crate) fn reloads(&self, most: usize) -> Vec<News> {
        let past = self.past.list();
        let reloads = past.iter().rev().filter(|event| event.policy == CONFIG).take(most);
        reloads.map(|event| News::of(&event.as_event())).collect()
    }

    pub(crate) fn clients(&self) -> usize {
        self.open_pages().pages.len()
    }

    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        state.pages.clear();
    }

    /// A page more, which gets all there is at once and the changes from then on.
    pub(crate) fn join(self: &Arc<Self>, offers: Offers) -> Result<mpsc::Receiver<Bytes>, Refused> {
        let first = self.first()?;
        let mut state = self.open_pages();
        if state.closed || !state.makes_room(self.max_clients) {
            return Err(Refused::Full);
        }
        let State { pages, running, .. } = &mut *state;
        let starts = running.is_none();
        if starts {
            *running = first;
        }
        let Some(Running { board, all, .. }) = running else {
            // The one that was there ended meanwhile.
            drop(state);
            return self.join(offers);
        };
        let (sender, receiver) = mpsc::channel(BACKLOG);
        let all = all.get_or_insert_with(|| frame::all(&board.all(offers)));
        sender.try_send(all.clone()).expect("it is empty");
        pages.push(Page { frames: sender, ticks: 0 });
        drop(state);
        if starts {
            // A runtime that is about to end may drop it at once, and so the page.
            tokio::spawn(run(Ends(Arc::clone(self))));
        }
        Ok(receiver)
    }

    /// The first sample, unless there is a sampler: made under no lock.
    fn first(&self) -> Result<Option<Running>, Refused> {
        let idle = lock(&self.state).running.is_none();
        idle.then(|| self.sample()).transpose()
    }

    fn sample(&self) -> Result<Running, Refused> {
        let tally = Arc::new(Tally::default());
        let listening = self.registry.events().filtered(tally::filter()).subscribe_listener(Ear(Arc::clone(&tally)));
        let past = self.past.list().iter().map(|event| News::of(&event.as_event())).collect();
        let mut board = Board::new(past);
        board.tick(&self.snapshot()?, tally.take(), self.registry.clock().now());
        Ok(Running { board, all: None, tally, _listening: listening, idle: 0 })
    }

    /// Foreign policies may panic when they are asked. What they do then is no reason to end a request without an answer.
    fn snapshot(&self) -> Result<Snapshot, Refused> {
        catch_unwind(AssertUnwindSafe(|| self.registry.snapshot())).map_err(|_| Refused::Broken)
    }

    /// Whether the sampler goes on.
    fn tick(&self) -> bool {
        let (Ok(snapshot), now) = (self.snapshot(), self.registry.clock().now()) else { return false };
        let mut state = self.open_pages();
        let State { pages, running, .. } = &mut *state;
        let Some(sampler) = running else { return false };
        sampler.all = None;
        let changes = frame::changes(&sampler.board.tick(&snapshot, sampler.tally.take(), now));
        pages.retain_mut(|page| {
            page.ticks = page.ticks.saturating_add(1);
            page.frames.try_send(changes.clone()).is_ok()
        });
        sampler.idle = if pages.is_empty() { sampler.idle + 1 } else { 0 };
        sampler.idle < LINGER
    }

    /// Without those that are gone.
    fn open_pages(&self) -> MutexGuard<'_, State> {
        let mut state = lock(&self.state);
        state.pages.retain(|page| !page.frames.is_closed());
        state
    }
}

async fn run(hub: Ends) {
    let clock = hub.0.registry.clock().clone();
    loop {
        clock.sleep_until(clock.now().after(TICK)).await;
        if !hub.0.tick() {
            return;
        }
    }
}

/// However the sampler ends, with its runtime for one, the next page starts another.
struct Ends(Arc<Hub>);

impl Drop for Ends {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.pages.clear();
        let running = state.running.take();
        drop(state);
        drop(running);
    }
}
