// What an instance is doing, in one word, and why.

/** In the order of trouble. Each has a shape of its own beside its colour. */
export const STATES = {
  open: { label: "open", rank: 7, shape: "M7 2h6l5 5v6l-5 5H7l-5-5V7zM7 7l6 6M13 7l-6 6" },
  forced_open: { label: "forced open", rank: 6, shape: "M7 2h6l5 5v6l-5 5H7l-5-5V7zM6 10h8" },
  half_open: { label: "half-open", rank: 5, shape: "M10 2a8 8 0 1 0 0 16zM10 2a8 8 0 0 1 0 16" },
  limited: { label: "limited", rank: 4, shape: "M5 2h10M5 18h10M6 2c0 5 8 11 8 16M14 2c0 5-8 11-8 16" },
  retrying: { label: "retrying", rank: 3, shape: "M17 10a7 7 0 1 1-2-5M17 2v4h-4" },
  metrics_only: { label: "metrics only", rank: 2, shape: "M3 17V9M8 17V4M13 17v-6M18 17V7" },
  disabled: { label: "disabled", rank: 1, shape: "M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16M4.5 15.5l11-11" },
  fine: { label: "fine", rank: 0, shape: "M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16M6.5 10l2.5 3 4.5-6" },
};

/** Seconds for which a rejection or a retry still shows in the state. */
const LATELY = 10;
/** Codes that speak of the other side: the breaker is open, a call took too long. All others are limits of ours. */
const NO_LIMITS = ["R4C-RT-002", "R4C-RT-003"];

export function stateOf(row, now) {
  const { tile } = row;
  const breaker = tile.circuit_breaker?.state;
  if (breaker && breaker !== "closed") return breaker;
  const limits = tile.rejections.some((it) => !NO_LIMITS.includes(it.code) && now - it.at < LATELY);
  if (limits || tile.rate_limiter?.waiting || tile.bulkhead?.queued) return "limited";
  if (now - row.retriedAt < LATELY) return "retrying";
  return "fine";
}

/** The sentence under the name: what an operator asks next. */
export function why(row, now) {
  const { tile } = row;
  const breaker = tile.circuit_breaker;
  switch (row.state) {
    case "open": {
      const left = breaker.open_until - now;
      return left > 0 ? `next probe in ${seconds(left)}` : "the next call is a probe";
    }
    case "forced_open": return "by hand: rejects every call until it is reset";
    case "half_open": return `${count(breaker.probes_running, "probe")} running, ${breaker.probes_ended} ended`;
    case "disabled": return "by hand: lets every call pass, records none";
    case "metrics_only": return "by hand: records, and never opens";
    case "limited": return limitedBy(tile, now);
    case "retrying": return "calls failed and are tried again";
    default: return "";
  }
}

function limitedBy(tile, now) {
  const parts = [];
  const waiting = tile.rate_limiter?.waiting;
  const queued = tile.bulkhead?.queued;
  if (waiting) parts.push(`${waiting} waiting for a permit`);
  if (queued) parts.push(`${queued} in line for a slot`);
  if (tile.rejected) parts.push(`${count(tile.rejected, "call")} rejected in the last second`);
  if (parts.length) return parts.join(", ");
  const last = Math.max(...tile.rejections.map((it) => it.at));
  return `last rejection ${ago(now - last)}`;
}

/** What the sparkline and the large number show. */
export function measureOf(tile) {
  if (tile.circuit_breaker) return "failure rate";
  if (tile.bulkhead) return "slots in use";
  if (tile.rate_limiter) return "permits spent";
  return "";
}

export const count = (number, noun) => `${large(number)} ${noun}${number === 1 ? "" : "s"}`;

export function large(number) {
  if (number < 10_000) return String(number);
  if (number < 1e6) return `${(number / 1e3).toFixed(number < 1e5 ? 1 : 0)} k`;
  return `${(number / 1e6).toFixed(number < 1e8 ? 1 : 0)} M`;
}

/** A length of time, in seconds, as people say it. */
export function seconds(value) {
  if (value < 0.001) return `${+(value * 1e6).toPrecision(3)} µs`;
  if (value < 1) return `${+(value * 1e3).toPrecision(3)} ms`;
  if (value < 120) return `${+value.toFixed(value < 10 ? 1 : 0)} s`;
  if (value < 7200) return `${Math.round(value / 60)} min`;
  return `${Math.round(value / 3600)} h`;
}

export const ago = (value) => (value < 1 ? "just now" : `${seconds(Math.floor(value))} ago`);

export const kindName = (kind) => kind.replaceAll("_", " ");
