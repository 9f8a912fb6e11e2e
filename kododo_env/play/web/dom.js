// Helpers for elements: find, create, and draw pictures into them.

export const at = (id) => document.getElementById(id);

// make("button", { class: "card", onclick: f, hidden: true }, "text", child)
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// The keyboard key of the first ten choices, or none.
export const keyOf = (place) => (place < 10 ? String((place + 1) % 10) : undefined);

export const keyCap = (key) => (key ? make("kbd", { "aria-hidden": "true" }, key) : "");

const sources = {};

// Whether an element must be rebuilt: whether its source differs from the last one with this name.
export function differs(name, ...source) {
  const before = sources[name];
  sources[name] = JSON.stringify(source);
  return sources[name] !== before;
}

const parser = new DOMParser();

// Parse an SVG document of the table into an element.
export function drawing(text) {
  return document.importNode(parser.parseFromString(text, "image/svg+xml").documentElement, true);
}
