// The stream of events from the server. `fetch` rather than `EventSource`: it says why it was refused.

import { path } from "./dom.js";

/** Seconds without a frame after which the server is taken for gone; it sends one a second. */
const PATIENCE = 6;

export class Feed {
  /** `on` has `all(data)`, `changes(data)` and `link(state, text)`. */
  constructor(on) {
    this.on = on;
    this.failures = 0;
  }

  async run() {
    for (;;) {
      const text = await this.follow().catch(() => "The server does not answer");
      this.failures += 1;
      const wait = Math.min(this.failures, 5);
      this.on.link("lost", `${text}; trying again in ${wait} s`);
      await new Promise((done) => setTimeout(done, wait * 1000));
    }
  }

  /** Until it ends; says why it did. */
  async follow() {
    const abort = new AbortController();
    let timer;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), PATIENCE * 1000);
    };
    try {
      alive();
      const response = await fetch(path("stream"), { signal: abort.signal, cache: "no-store" });
      if (response.status === 401) location.reload();
      if (response.status === 503) return "As many pages are open as may be";
      if (!response.ok) return `The server answered ${response.status}`;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return "The server closed the stream";
        alive();
        text += value;
        const frames = text.split("\n\n");
        text = frames.pop();
        for (const frame of frames) this.frame(frame);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  frame(frame) {
    const end = frame.indexOf("\n");
    const name = frame.slice("event: ".length, end);
    const data = JSON.parse(frame.slice(end + "\ndata: ".length));
    this.failures = 0;
    this.on.link("live", "Live");
    this.on[name]?.(data);
  }
}
