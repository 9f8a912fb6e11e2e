// Elements: find them, make them, and draw pictures into them.

import { named } from "./names.js";

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

const parser = new DOMParser();

// An SVG document of the table's as an element.
export function drawing(text) {
  return document.importNode(parser.parseFromString(text, "image/svg+xml").documentElement, true);
}

const STANDS_OUT = /(player_\d+|\d+ points?$)/;

// A sentence in which players stand out by their names, oneself most, and so do points.
export function sentence(words, you, players) {
  const parts = words.split(STANDS_OUT).map((part) => {
    if (!STANDS_OUT.test(part)) return part;
    if (!part.startsWith("player_")) return make("b", { class: "gain" }, part);
    const name = named(part, players);
    return make("b", {}, part === `player_${you}` ? `${name} (you)` : name);
  });
  return make("span", {}, ...parts);
}
