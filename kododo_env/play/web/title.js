// The header of the page: the game and its progress.

import { at } from "./dom.js";
import { language, say } from "./say.js";

let shown = null;

// The first line of a table's text has both.
export function showTitle({ position, replay }) {
  const text = replay?.steps[0].text ?? position?.text;
  if (!text || text + language === shown) return;
  shown = text + language;
  const [line] = text.split("\n");
  const [, name, moment] = /^(.*?)\s?: (.*)$/.exec(line) ?? [line, line, ""];
  at("title").textContent = name;
  at("moment").textContent = replay ? say("replay.moment") : moment;
  document.title = replay ? say("replay.page_title", { title: name }) : line;
}
