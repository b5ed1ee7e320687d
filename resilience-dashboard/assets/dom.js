// Making elements. Text goes in as text: nothing here, or anywhere, reads it as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes (`on..` are listeners) and children, which are elements or text. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Writes a text, if it is another one. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function attribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export const byId = (id) => document.getElementById(id);

/** Where the server's other paths start, wherever it is mounted. */
export const path = (name) => new URL(name, import.meta.url);

/** A link to the page of a code. */
export function codeLink(code, ...more) {
  return el("a", { href: `codes#${code.toLowerCase()}`, class: "code" }, code, ...more);
}
