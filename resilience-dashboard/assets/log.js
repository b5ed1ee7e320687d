// What happened: state changes, reloads and actions, the latest first; and what is said aloud of it.

import { byId, el, write } from "./dom.js";
import { STATES, ago, kindName, large } from "./state.js";

const MOST = 100;
/** Seconds in which changes are gathered, so that a storm is one sentence. */
const GATHER = 3;

export class Log {
  constructor(open) {
    this.open = open;
    this.root = byId("news");
  }

  clear() {
    this.root.replaceChildren();
  }

  add(news, now) {
    for (const it of news) this.root.prepend(this.item(it));
    while (this.root.childElementCount > MOST) this.root.lastElementChild.remove();
    byId("no-news").hidden = this.root.childElementCount > 0;
    this.age(now);
  }

  item({ at, warn, kind, instance, text }) {
    const own = kind === "config" || instance === "unknown";
    const name = own ? null : el("button", { type: "button", class: "plain", onclick: () => this.open(instance) }, instance || "(no name)");
    const time = el("time", { "data-at": at });
    const head = el("p", { class: "news-head" }, el("span", { class: "kind" }, kindName(kind)), name, time);
    const mark = warn ? el("span", { class: "mark" }, "Warning. ") : null;
    return el("li", { "data-warn": String(warn) }, head, el("p", { class: "news-text" }, mark, text));
  }

  age(now) {
    for (const time of this.root.querySelectorAll("time")) write(time, ago(now - Number(time.dataset.at)));
  }

  uncounted(number) {
    const note = byId("uncounted");
    note.hidden = number === 0;
    if (number) write(note, `${large(number)} more rejections in the last second than were counted by instance.`);
  }
}

/** Says breakers that opened or closed, a few by name and many as a number; nothing else. */
export class Announcer {
  constructor() {
    this.changes = new Map();
  }

  changed(id, from, to) {
    if (STATES[from].rank >= 5 || STATES[to].rank >= 5) this.changes.set(id, to);
    if (this.changes.size && !this.timer) this.timer = setTimeout(() => this.say(), GATHER * 1000);
  }

  say() {
    this.timer = null;
    const changes = [...this.changes];
    this.changes.clear();
    const few = changes.map(([id, state]) => `${id} is ${STATES[state].label}`).join(", ");
    const open = changes.filter(([, state]) => STATES[state].rank >= 5).length;
    const many = `${open} instances are open or half-open now, ${changes.length - open} are closed again`;
    write(byId("announce"), changes.length > 3 ? many : few);
  }
}
