// The last two minutes as a line (how far along its measure) over bars (calls rejected), in one small picture.

import { attribute, svg } from "./dom.js";

export const SAMPLES = 120;
const WIDTH = 240;
const HEIGHT = 44;
const STEP = WIDTH / (SAMPLES - 1);

export class History {
  constructor({ share = [], rejected = [] } = {}) {
    this.share = [...share];
    this.rejected = [...rejected];
  }

  push(share, rejected) {
    this.share.push(share);
    this.rejected.push(rejected);
    if (this.share.length > SAMPLES) {
      this.share.shift();
      this.rejected.shift();
    }
  }
}

export class Spark {
  constructor() {
    this.area = svg("path", { class: "area" });
    this.bars = svg("path", { class: "bars" });
    this.line = svg("path", { class: "line" });
    const base = svg("path", { class: "base", d: `M0 ${HEIGHT - 0.5}H${WIDTH}` });
    const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "spark", role: "img" };
    this.root = svg("svg", box, base, this.area, this.bars, this.line);
  }

  draw({ share, rejected }, measure) {
    const start = SAMPLES - share.length;
    const x = (index) => ((start + index) * STEP).toFixed(1);
    const y = (value) => (HEIGHT - 1 - (value / 100) * (HEIGHT - 4)).toFixed(1);
    let line = "";
    let area = "";
    let first = -1;
    share.forEach((value, index) => {
      if (value != null) {
        if (first < 0) first = index;
        line += `${first === index ? "M" : "L"}${x(index)} ${y(value)}`;
      }
      const ends = first >= 0 && (value == null || index === share.length - 1);
      if (ends) {
        const last = value == null ? index - 1 : index;
        area += `M${x(first)} ${HEIGHT}`;
        for (let at = first; at <= last; at++) area += `L${x(at)} ${y(share[at])}`;
        area += `L${x(last)} ${HEIGHT}Z`;
        first = -1;
      }
    });
    const most = Math.max(1, ...rejected);
    let bars = "";
    rejected.forEach((value, index) => {
      if (value) bars += `M${x(index)} ${HEIGHT}V${(HEIGHT - 3 - (value / most) * 0.45 * HEIGHT).toFixed(1)}`;
    });
    attribute(this.line, "d", line);
    attribute(this.area, "d", area);
    attribute(this.bars, "d", bars);
    const known = share.filter((value) => value != null);
    const total = rejected.reduce((sum, value) => sum + value, 0);
    const rate = known.length ? `${measure} now ${known.at(-1)} %, at most ${Math.max(...known)} %; ` : "";
    attribute(this.root, "aria-label", `Last two minutes: ${rate}${total} calls rejected`);
  }
}
