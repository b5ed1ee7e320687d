// What the page can do, where the service allows it. Each action is an event of the service.

import { byId, el, path, write } from "./dom.js";

export function actionsFor(row, entries, done) {
  const instance = row.tile.id;
  const output = el("output", { class: "output" });
  const act = async (action) => {
    write(output, "…");
    const answer = await send(action);
    write(output, answer.text);
    output.dataset.done = String(answer.done);
    done();
  };
  const buttons = [button("Reload configuration", () => act({ action: "reload" }))];
  if (row.tile.circuit_breaker) {
    buttons.unshift(
      button("Reset", () => act({ action: "reset", instance })),
      careful("Force open", "Reject every call?", () => act({ action: "force_open", instance })),
      careful("Disable", "Record no call?", () => act({ action: "disable", instance })),
    );
  }
  const key = el("select", { "aria-label": "Key" });
  const value = el("input", { "aria-label": "Value", autocomplete: "off", spellcheck: "false" });
  const fill = () => {
    const chosen = key.value;
    key.replaceChildren(...entries().map((it) => el("option", { value: `${it.kind} ${it.key}` }, `${it.kind}.${it.key}`)));
    if (chosen) key.value = chosen;
    else suggest();
  };
  const suggest = () => {
    value.value = entries().find((it) => `${it.kind} ${it.key}` === key.value)?.value ?? "";
  };
  key.addEventListener("change", suggest);
  byId("detail").addEventListener("entries", fill);
  byId("detail").addEventListener("close", () => byId("detail").removeEventListener("entries", fill), { once: true });
  const attempt = (event) => {
    event.preventDefault();
    const [kind, name] = key.value.split(" ");
    act({ action: "check", instance, kind, key: name, value: value.value });
  };
  return el("section", { class: "actions" },
    el("h3", {}, "Actions"),
    el("p", { class: "buttons" }, ...buttons),
    el("form", { class: "try", onsubmit: attempt }, key, value, el("button", {}, "Try it out")),
    el("p", { class: "none" }, "Trying a value out changes nothing: it shows what a configuration with it would change."),
    output);
}

function button(text, run) {
  return el("button", { type: "button", onclick: run }, text);
}

/** Asks once more, for a few seconds. */
function careful(text, question, run) {
  let sure = false;
  const self = button(text, () => {
    if (sure) run();
    sure = !sure;
    write(self, sure ? question : text);
    if (sure) setTimeout(() => { sure = false; write(self, text); }, 5000);
  });
  self.classList.add("careful");
  return self;
}

async function send(action) {
  try {
    const headers = { "content-type": "application/json" };
    const response = await fetch(path("act"), { method: "POST", headers, body: JSON.stringify(action) });
    if (!response.ok) return { done: false, text: `refused: ${response.status} ${await response.text()}` };
    return await response.json();
  } catch {
    return { done: false, text: "The server does not answer." };
  }
}
