// Elements: find them, make them, and draw pictures into them.

export const at = (id) => document.getElementById(id);

// make("button", { class: "card", onclick: f, hidden: true }, "text", child)
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// The key of the first ten things that one may choose from, or none.
export const keyOf = (place) => (place < 10 ? String((place + 1) % 10) : undefined);

export const keyCap = (key) => (key ? make("kbd", { "aria-hidden": "true" }, key) : "");

const sources = {};

// Whether an element has to be made again: whether its source differs from that of the last time, by its name.
export function differs(name, ...source) {
  const before = sources[name];
  sources[name] = JSON.stringify(source);
  return sources[name] !== before;
}

const parser = new DOMParser();

// An SVG document of the table's as an element.
export function drawing(text) {
  return document.importNode(parser.parseFromString(text, "image/svg+xml").documentElement, true);
}
