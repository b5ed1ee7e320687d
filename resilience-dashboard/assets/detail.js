// One instance in full: its numbers, the configuration in force with where each value came from, and what can be done.

import { actionsFor } from "./actions.js";
import { byId, codeLink, el, path, write } from "./dom.js";
import { Spark } from "./spark.js";
import { STATES, ago, count, kindName, large, measureOf, why } from "./state.js";
import { rowsOf } from "./tile.js";

export class Detail {
  constructor() {
    this.root = byId("detail");
    this.root.addEventListener("close", () => { this.row = null; });
    // A click beside it closes it, as Escape does.
    this.root.addEventListener("click", (event) => { if (event.target === this.root) this.root.close(); });
  }

  show(row, now, actions) {
    this.row = row;
    this.state = el("p", { class: "badge" });
    this.why = el("p", { class: "why" });
    this.spark = new Spark();
    this.rows = el("dl", { class: "rows" });
    this.codes = el("ul", { class: "rejections" });
    this.config = el("div", { class: "config" }, el("p", { class: "none" }, "Reading…"));
    this.reloads = el("p", { class: "none" });
    this.last = el("ol", { class: "reloads" });
    const close = el("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.root.close() }, "×");
    const title = el("h2", { id: "detail-title", tabindex: "-1" }, row.tile.id || "(no name)");
    const refresh = () => this.read();
    this.root.replaceChildren(
      el("header", {}, title, this.state, close),
      this.why,
      el("div", { class: "picture" }, this.spark.root, legend(row.tile)),
      this.rows,
      el("h3", {}, "Rejections of the last two minutes"), this.codes,
      ...(actions ? [actionsFor(row, () => this.entries ?? [], refresh)] : []),
      el("h3", {}, "Configuration in force"), this.config,
      el("h3", {}, "Last reloads"), this.reloads, this.last,
    );
    this.root.showModal();
    title.focus();
    this.update(now);
    this.read();
  }

  update(now) {
    const { row } = this;
    this.now = now;
    if (!row) return;
    this.root.dataset.state = row.state;
    write(this.state, STATES[row.state].label);
    write(this.why, why(row, now));
    this.spark.draw(row.history, measureOf(row.tile));
    this.rows.replaceChildren(...rowsOf(row.tile).flatMap(({ name, text }) => [el("dt", {}, name), el("dd", {}, text)]));
    const codes = row.tile.rejections.map((it) =>
      el("li", {}, codeLink(it.code), ` ${large(it.count)} times, last ${ago(now - it.at)}`));
    // Links stay under the keyboard: the list changes only when nobody is in it.
    if (!this.codes.contains(document.activeElement)) {
      this.codes.replaceChildren(...(codes.length ? codes : [el("li", {}, "None.")]));
    }
  }

  async read() {
    const { row } = this;
    if (!row) return;
    const url = path("instance");
    url.searchParams.set("id", row.tile.id);
    const response = await fetch(url).catch(() => null);
    if (this.row !== row) return;
    if (!response?.ok) return this.config.replaceChildren(el("p", { class: "none" }, "The server does not say."));
    const { config, reloads, last } = await response.json();
    this.entries = config;
    const kinds = [...new Set(config.map((it) => it.kind))];
    this.config.replaceChildren(
      ...kinds.map((kind) => table(kind, config.filter((it) => it.kind === kind))),
    );
    write(this.reloads, `Sources were read and taken ${count(reloads[0], "time")}, refused ${count(reloads[1], "time")}${last.length ? ":" : "."}`);
    this.last.replaceChildren(...last.map((it) => el("li", { "data-warn": String(it.warn) },
      el("time", {}, ago(this.now - it.at)), it.warn ? el("span", { class: "mark" }, " Warning. ") : " ", it.text)));
    this.root.dispatchEvent(new CustomEvent("entries"));
  }
}

function legend(tile) {
  const measure = measureOf(tile);
  return el("p", { class: "legend" }, `The last two minutes. ${measure ? `Line: ${measure}, up to 100 %. ` : ""}Bars: calls rejected.`);
}

function table(kind, entries) {
  const head = el("tr", {}, ...["key", "value", "from"].map((name) => el("th", { scope: "col" }, name)));
  const rows = entries.map(({ key, value, origin, set }) =>
    el("tr", { "data-set": String(set) }, el("th", { scope: "row" }, key), el("td", {}, value), el("td", {}, origin)));
  return el("table", {}, el("caption", {}, kindName(kind)), el("thead", {}, head), el("tbody", {}, ...rows));
}
