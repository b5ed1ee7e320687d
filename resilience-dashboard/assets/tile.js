// One instance on the page. Its head is always there; the rest is made when it comes into view, and kept up to date only
// while it is in view.

import { attribute, codeLink, el, svg, write } from "./dom.js";
import { Spark } from "./spark.js";
import { STATES, count, large, measureOf, seconds, why } from "./state.js";

export class TileView {
  constructor(row, open) {
    this.row = row;
    this.inView = false;
    this.button = el("button", { type: "button", class: "name", tabindex: "-1", onclick: () => open(row) });
    this.path = svg("path");
    this.label = el("span");
    const icon = svg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, this.path);
    this.badge = el("span", { class: "badge" }, icon, this.label);
    this.head = el("div", { class: "head" }, el("h3", {}, this.button), this.badge);
    this.root = el("li", { class: "tile" }, this.head);
    this.root.view = this;
    write(this.button, row.tile.id || "(no name)");
    this.showState();
  }

  showState() {
    const { state } = this.row;
    attribute(this.root, "data-state", state);
    write(this.label, STATES[state].label);
    attribute(this.path, "d", STATES[state].shape);
  }

  setInView(inView, now) {
    this.inView = inView;
    if (inView) this.update(now);
  }

  update(now) {
    if (!this.inView) return;
    if (!this.body) this.build();
    const { row } = this;
    write(this.why, why(row, now));
    const { share } = row.tile;
    write(this.number, share == null ? "–" : String(share));
    this.spark.draw(row.history, measureOf(row.tile));
    this.showRows(row.tile);
    this.showCodes(row.tile.rejections);
  }

  build() {
    this.why = el("p", { class: "why" });
    this.number = el("span");
    this.spark = new Spark();
    this.rows = el("dl", { class: "rows" });
    this.codes = el("p", { class: "codes" });
    this.known = new Map();
    const measure = measureOf(this.row.tile);
    const figure = el("p", { class: "figure" }, el("strong", {}, this.number, " %"), el("span", {}, measure));
    const picture = measure ? el("div", { class: "picture" }, this.spark.root, figure) : null;
    this.body = el("div", { class: "body" }, this.why, picture, this.rows, this.codes);
    this.root.append(this.body);
  }

  showRows(tile) {
    const lines = rowsOf(tile);
    for (const [name, , ] of this.known) if (!lines.some((line) => line.name === name)) this.dropRow(name);
    for (const line of lines) {
      const known = this.known.get(line.name) ?? this.addRow(line);
      write(known.text, line.text);
      if (known.bar) {
        known.bar.style.setProperty("--part", line.part);
        attribute(known.bar, "data-full", String(line.part >= 1));
      }
    }
  }

  addRow(line) {
    const text = el("span");
    const bar = line.part == null ? null : el("span", { class: "bar", "aria-hidden": "true" });
    const term = el("dt", {}, line.name);
    const value = el("dd", {}, bar, text);
    this.rows.append(term, value);
    const known = { text, bar, term, value };
    this.known.set(line.name, known);
    return known;
  }

  dropRow(name) {
    const { term, value } = this.known.get(name);
    term.remove();
    value.remove();
    this.known.delete(name);
  }

  showCodes(rejections) {
    const key = rejections.map((it) => `${it.code}×${it.count}`).join(" ");
    if (this.shownCodes === key) return;
    this.shownCodes = key;
    this.codes.replaceChildren(...rejections.map((it) => codeLink(it.code, el("span", {}, `×${large(it.count)}`))));
  }
}

/** What the policies of an instance say in one line each. */
export function rowsOf(tile) {
  const lines = [];
  const { circuit_breaker: breaker, rate_limiter: limiter, bulkhead, retry, timeout } = tile;
  if (breaker) {
    const slow = breaker.slow ? `, ${breaker.slow} slow` : "";
    const calls = breaker.calls ? `${large(breaker.failed)} of ${count(breaker.calls, "call")} failed${slow}` : "no calls yet";
    lines.push({ name: "breaker", text: `${STATES[breaker.state]?.label ?? "closed"} · ${calls}` });
  }
  if (limiter) {
    const waits = limiter.waiting ? ` · ${limiter.waiting} waiting` : "";
    const text = `${large(limiter.available)} of ${large(limiter.permits)} per ${seconds(limiter.period)} left${waits}`;
    lines.push({ name: "permits", text, part: 1 - limiter.available / limiter.permits });
  }
  if (bulkhead) {
    const most = bulkhead.max_queue == null ? "" : ` of ${large(bulkhead.max_queue)}`;
    const queue = bulkhead.queued ? ` · ${bulkhead.queued}${most} in line` : "";
    const text = `${bulkhead.in_use} of ${bulkhead.max_concurrent} in use${queue}`;
    lines.push({ name: "slots", text, part: bulkhead.in_use / bulkhead.max_concurrent });
  }
  if (retry) {
    const budget = retry.budget_left == null ? "" : ` · budget ${large(retry.budget_left)}`;
    const text = `${large(retry.retries)} · ${large(retry.recovered)} helped · ${large(retry.exhausted)} gave up${budget}`;
    lines.push({ name: "retries", text });
  }
  if (timeout) {
    const late = timeout.late ? `, ${large(timeout.late)} late` : "";
    lines.push({ name: "timeout", text: `${seconds(timeout.limit)} · ${large(timeout.timed_out)} cut off${late}` });
  }
  if (tile.others) lines.push({ name: "also", text: tile.others.join(", ") });
  return lines;
}
