//! What every open page shows: kept once for all of them, and sent to each as changes.

use std::collections::{BTreeMap, VecDeque};

use resilience_core::{Id, Nanos, Snapshot};
use serde::Serialize;

use crate::{
    history::History,
    recent::{Recent, seconds},
    tally::{News, Taken},
    tile::{Tile, tiles},
};

/// News that somebody who opens the page now is shown.
pub(crate) const NEWS: usize = 100;

#[derive(Debug, Default)]
pub(crate) struct Board {
    now: f64,
    ticks: u64,
    rows: BTreeMap<Id, Row>,
    news: VecDeque<News>,
}

#[derive(Debug)]
struct Row {
    tile: Tile,
    history: History,
}

/// What the page can do beside showing.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Offers {
    /// Act.
    pub(crate) actions: bool,
    /// Sign out.
    pub(crate) locked: bool,
}

/// All there is, for a page that was just opened.
#[derive(Serialize)]
pub(crate) struct All<'a> {
    now: f64,
    #[serde(flatten)]
    offers: Offers,
    tiles: Vec<Full<'a>>,
    news: &'a VecDeque<News>,
}

#[derive(Serialize)]
struct Full<'a> {
    #[serde(flatten)]
    tile: &'a Tile,
    history: &'a History,
}

/// What a tick changed. Each tile that is not in it has the same share, and rejected nothing.
#[derive(Debug, Serialize)]
pub(crate) struct Changes {
    now: f64,
    pub(crate) tiles: Vec<Tile>,
    pub(crate) gone: Vec<Id>,
    pub(crate) news: Vec<News>,
    uncounted: u64,
}

impl Board {
    /// Nothing but what happened before anybody looked.
    pub(crate) fn new(news: Vec<News>) -> Self {
        Self { news: news.into(), ..Self::default() }
    }

    pub(crate) fn all(&self, offers: Offers) -> All<'_> {
        let tiles = self.rows.values().map(|row| Full { tile: &row.tile, history: &row.history });
        All { now: self.now, offers, tiles: tiles.collect(), news: &self.news }
    }

    /// One tick later.
    pub(crate) fn tick(&mut self, snapshot: &Snapshot, taken: Taken, now: Nanos) -> Changes {
        self.now = seconds(now);
        self.ticks += 1;
        let mut rejected: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for ((id, code), (count, at)) in taken.rejected {
            rejected.entry(id).or_default().push((code, count, at));
        }
        let mut before = std::mem::take(&mut self.rows);
        let mut changed = Vec::new();
        for (id, mut tile) in tiles(snapshot, now) {
            let (old, mut history) =
                before.remove(&id).map_or_else(Default::default, |row| (Some(row.tile), row.history));
            let mut counts = rejected.remove(&id).unwrap_or_default();
            counts.sort_unstable_by_key(|(code, ..)| *code);
            tile.rejections = old.as_ref().map_or_else(Recent::default, |old| old.rejections.clone());
            tile.rejections.tick(self.ticks, &counts);
            tile.rejected = counts.iter().map(|(_, count, _)| count).sum();
            history.push(tile.share(), tile.rejected);
            if old.as_ref().is_none_or(|old| *old != tile) {
                changed.push(tile.clone());
            }
            self.rows.insert(id, Row { tile, history });
        }
        let gone = before.into_keys().collect();
        self.news.extend(taken.news.iter().cloned());
        self.news.drain(..self.news.len().saturating_sub(NEWS));
        Changes { now: self.now, tiles: changed, gone, news: taken.news, uncounted: taken.uncounted }
    }
}
