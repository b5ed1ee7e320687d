// The page: what the server sends goes into rows, rows go into tiles.

import { byId, write } from "./dom.js";
import { Detail } from "./detail.js";
import { Feed } from "./feed.js";
import { Grid } from "./grid.js";
import { Announcer, Log } from "./log.js";
import { History } from "./spark.js";
import { stateOf } from "./state.js";

const detail = new Detail();
const grid = new Grid((row) => detail.show(row, now, actions));
const log = new Log((id) => { if (grid.rows.has(id)) detail.show(grid.rows.get(id), now, actions); });
const announcer = new Announcer();
let now = 0;
let actions = false;

function rowOf(tile, history) {
  const row = { tile, history: new History(history), retriedAt: -Infinity, state: "fine" };
  row.state = stateOf(row, now);
  return row;
}

const on = {
  all(data) {
    ({ now, actions } = data);
    byId("leave").hidden = !data.locked;
    grid.clear();
    grid.now = now; // a tile that comes into view before the first change is drawn at this time
    log.clear();
    for (const { history, ...tile } of data.tiles) grid.add(rowOf(tile, history));
    grid.arrange(true);
    log.add(data.news, now);
    if (detail.row) follow(detail.row.tile.id);
    title();
  },

  changes(data) {
    ({ now } = data);
    for (const id of data.gone) grid.remove(id);
    const changed = new Map(data.tiles.map((tile) => [tile.id, tile]));
    for (const row of grid.rows.values()) {
      const tile = changed.get(row.tile.id);
      changed.delete(row.tile.id);
      if (tile) take(row, tile);
      row.history.push(row.tile.share, row.tile.rejected);
      settle(row);
    }
    for (const tile of changed.values()) grid.add(rowOf(tile, { share: [tile.share], rejected: [tile.rejected] }));
    log.add(data.news, now);
    log.uncounted(data.uncounted);
    // What the dialog read may hold no longer.
    if (data.news.some((it) => it.kind === "config" || it.instance === detail.row?.tile.id)) detail.read();
    grid.arrange();
    draw();
    title();
  },

  link(state, text) {
    const link = byId("link");
    link.dataset.link = state;
    document.body.dataset.link = state;
    write(link, text);
  },
};

function take(row, tile) {
  if ((tile.retry?.retries ?? 0) > (row.tile.retry?.retries ?? 0)) row.retriedAt = now;
  row.tile = tile;
}

function settle(row) {
  const state = stateOf(row, now);
  if (state === row.state) return;
  announcer.changed(row.tile.id, row.state, state);
  row.state = state;
  row.view.showState();
}

/** Nothing is drawn that nobody can see. */
function draw() {
  if (document.hidden) return;
  grid.draw(now);
  detail.update(now);
}

/** The instance under the dialog is another object after a restart of the server, or gone. */
function follow(id) {
  if (grid.rows.has(id)) detail.row = grid.rows.get(id);
  else byId("detail").close();
}

function title() {
  const open = [...grid.rows.values()].filter((row) => row.state === "open" || row.state === "forced_open").length;
  write(document.querySelector("title"), open ? `(${open} open) Resilience` : "Resilience");
}

/** The theme that was chosen last, here or now. Some browsers are told to keep nothing: then nothing is. */
function remembered(chosen) {
  try {
    if (chosen) localStorage.setItem("resilience-theme", chosen);
    return localStorage.getItem("resilience-theme");
  } catch {
    return null;
  }
}

function controls() {
  const search = byId("search");
  search.addEventListener("input", () => {
    grid.query = search.value.trim().toLowerCase();
    grid.arrange(true);
  });
  byId("sort").addEventListener("change", (event) => {
    grid.order = event.target.value;
    grid.arrange(true);
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, select, textarea") || byId("detail").open;
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  });
  document.addEventListener("visibilitychange", draw);
  const theme = byId("theme");
  const apply = () => {
    if (theme.value === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  };
  theme.value = remembered() ?? "auto";
  theme.addEventListener("change", () => {
    remembered(theme.value);
    apply();
  });
  apply();
}

controls();
new Feed(on).run();
