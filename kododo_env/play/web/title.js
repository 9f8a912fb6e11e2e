// The head of the page: which game it is, and where it stands.

import { at } from "./dom.js";

let shown = null;

// The first line of a table's text has both.
export function showTitle({ position, replay }) {
  const text = replay?.steps[0].text ?? position?.text;
  if (!text || text === shown) return;
  shown = text;
  const [line] = text.split("\n");
  const [name, ...moment] = line.split(": ");
  at("title").textContent = name;
  at("moment").textContent = replay ? "a replay" : moment.join(": ");
  document.title = replay ? `${name}: a replay` : line;
}
