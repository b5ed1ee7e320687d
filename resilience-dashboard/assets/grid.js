// All tiles: which of them show, in which order, and where the keyboard is.

import { byId, el, write } from "./dom.js";
import { STATES, count } from "./state.js";
import { TileView } from "./tile.js";

const ORDERS = {
  trouble: (a, b) => STATES[b.state].rank - STATES[a.state].rank || byName(a, b),
  name: byName,
  share: (a, b) => (b.tile.share ?? -1) - (a.tile.share ?? -1) || byName(a, b),
  rejected: (a, b) => rejections(b) - rejections(a) || byName(a, b),
};

/** Comparing names takes long: it is done once for each, not in every tick. */
const collator = new Intl.Collator("en", { numeric: true });
function byName(a, b) {
  return a.place - b.place;
}
const rejections = (row) => row.tile.rejections.reduce((sum, it) => sum + it.count, 0);

export class Grid {
  constructor(open) {
    this.open = open;
    this.root = byId("tiles");
    this.chips = byId("chips");
    this.rows = new Map();
    this.query = "";
    this.only = "";
    this.order = "trouble";
    this.now = 0;
    this.unnamed = false;
    this.seen = new IntersectionObserver((entries) => this.look(entries), { rootMargin: "300px" });
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("focusin", (event) => this.rove(event.target.closest("li")));
    this.root.addEventListener("pointerleave", () => this.arrange());
    this.root.addEventListener("focusout", () => setTimeout(() => this.arrange()));
  }

  add(row) {
    row.view = new TileView(row, this.open);
    this.rows.set(row.tile.id, row);
    this.unnamed = true;
    this.root.append(row.view.root);
    this.seen.observe(row.view.root);
  }

  remove(id) {
    const row = this.rows.get(id);
    if (!row) return;
    this.seen.unobserve(row.view.root);
    row.view.root.remove();
    this.rows.delete(id);
  }

  clear() {
    for (const id of [...this.rows.keys()]) this.remove(id);
  }

  look(entries) {
    for (const { target, isIntersecting } of entries) target.view.setInView(isIntersecting, this.now);
  }

  /** Redraws what can be seen. */
  draw(now) {
    this.now = now;
    for (const row of this.rows.values()) row.view.update(now);
  }

  /** Puts the tiles in order, unless somebody is about to use one: it must not move away under a hand. */
  arrange(force = false) {
    const busy = this.root.matches(":hover") || this.root.contains(document.activeElement);
    this.count();
    this.filter();
    if (busy && !force) return;
    if (this.unnamed) this.place();
    const sorted = [...this.rows.values()].sort(ORDERS[this.order]);
    let next = this.root.firstElementChild;
    for (const { view } of sorted) {
      if (view.root === next) next = next.nextElementSibling;
      // The one before it is what goes elsewhere, when its turn comes: better than to move all that follow.
      else if (view.root === next?.nextElementSibling) next = view.root.nextElementSibling;
      else this.root.insertBefore(view.root, next);
    }
    this.rove(this.current() ?? this.shown()[0]);
  }

  /** Where each row stands by its name, after some came. */
  place() {
    const rows = [...this.rows.values()].sort((a, b) => collator.compare(a.tile.id, b.tile.id));
    rows.forEach((row, place) => { row.place = place; });
    this.unnamed = false;
  }

  filter() {
    let shown = 0;
    for (const row of this.rows.values()) {
      const matches = row.tile.id.toLowerCase().includes(this.query) && (!this.only || row.state === this.only);
      if (row.view.root.hidden === matches) row.view.root.hidden = !matches;
      shown += matches;
    }
    const none = byId("none");
    none.hidden = shown > 0;
    const all = this.rows.size;
    write(none, all ? `None of ${count(all, "instance")} is like that.` : "There are no instances yet.");
  }

  /** The buttons that count the states, and show one alone. */
  count() {
    const counts = new Map([["", this.rows.size]]);
    for (const { state } of this.rows.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
    for (const state of ["", ...Object.keys(STATES)]) {
      const chip = this.chips.querySelector(`[data-only="${state}"]`) ?? this.chip(state);
      const number = counts.get(state) ?? 0;
      chip.hidden = Boolean(state) && number === 0 && this.only !== state;
      chip.setAttribute("aria-pressed", String(this.only === state));
      write(chip.lastElementChild, String(number));
    }
  }

  chip(state) {
    const label = state ? STATES[state].label : "all";
    const pick = () => {
      this.only = this.only === state ? "" : state;
      this.arrange(true);
    };
    const attributes = { type: "button", class: "chip", "data-only": state, "data-state": state || "all", onclick: pick };
    const chip = el("button", attributes, el("span", {}, label), " ", el("strong", {}, "0"));
    this.chips.append(chip);
    return chip;
  }

  shown() {
    return [...this.root.children].filter((tile) => !tile.hidden);
  }

  current() {
    const tile = this.root.querySelector('.name[tabindex="0"]')?.closest("li");
    return tile && !tile.hidden ? tile : null;
  }

  /** One tile is in the order of the Tab key; arrows go to the others. */
  rove(tile) {
    if (!tile) return;
    for (const button of this.root.querySelectorAll('.name[tabindex="0"]')) button.tabIndex = -1;
    tile.view.button.tabIndex = 0;
  }

  key(event) {
    const tiles = this.shown();
    const at = tiles.indexOf(event.target.closest("li"));
    const top = tiles[0]?.offsetTop;
    const across = Math.max(1, tiles.filter((tile) => tile.offsetTop === top).length);
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across, Home: -at, End: tiles.length - 1 - at };
    const step = steps[event.key];
    if (step == null || at < 0 || !event.target.classList.contains("name")) return;
    event.preventDefault();
    tiles[at + step]?.view.button.focus();
  }
}
