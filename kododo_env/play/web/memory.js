// Memory aids that a person may switch on: the cards that are left, and the guesses that are ruled out.

import { at, make } from "./dom.js";
import { settings } from "./settings.js";

let current = null;
let on = null;

export function showMemory({ position }) {
  if (!position || (position === current && on === settings.memory)) return;
  current = position;
  on = settings.memory;
  const { tables } = position.memory;
  at("memory-box").hidden = on !== "on" || !tables.length;
  if (!at("memory-box").hidden) at("memory").replaceChildren(...tables.map(tableOf));
}

function tableOf({ title, columns, rows }) {
  const head = make("tr", {}, make("td"), ...columns.map((column) => make("th", { scope: "col" }, column)));
  return make("table", {}, make("caption", {}, title), make("thead", {}, head), make("tbody", {}, ...rows.map(rowOf)));
}

function rowOf({ name, left, of }) {
  const cells = left.map((number, place) => make("td", { class: number ? "" : "gone" }, of[place] ? String(number) : ""));
  return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
}

// Whether actions at a place, by the names of its axes, are known to be in vain.
export function ruledOut(place, position) {
  if (settings.memory !== "on") return false;
  return position.memory.ruled_out.some((wrong) => Object.entries(wrong).every(([axis, number]) => place[axis] === number));
}
